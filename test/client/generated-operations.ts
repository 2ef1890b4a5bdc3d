import { contracts, errorTable, isOperation, type Operation, type OperationTree } from '@earshot/contracts'
import { z } from 'zod'

/** The committed table of operations, from the top of the repository. */
export const CLIENT_OPERATIONS_PATH = 'contracts/src/client/operations.ts'

const HEAD = `// Made from the contracts by "npm run generate": what the client must know of them, without their schemas.

/**
 * Method and path of each operation, under its name, then what is special about it: \`list\` for pages, \`feed\` for pages without an
 * end, \`events\` and \`records\` for streams, \`waits:SECONDS\`, \`reauthenticates\`, \`header:FIELD=NAME\`. \`T\` is the path of a team, \`P\`
 * that of a project.
 */
export const operations =`

/** The committed statuses of errors. */
export const ERROR_STATUSES_PATH = 'contracts/src/client/error-statuses.ts'

/** Returns the table of operations as the source of a module. */
export function clientOperations(): string {
  return `${HEAD} ${treeText(contracts, '')} as const\n`
}

/** Returns the statuses of errors as the source of a module. */
export function errorStatuses(): string {
  const statuses = Object.entries(errorTable).map(([code, { status }]) => `  ${code}: ${status},\n`)
  return `// Made from the contracts by "npm run generate".

/** The status of each error code. */
export const errorStatuses = {
${statuses.join('')}} as const
`
}

/** The statuses of errors for the Python package. */
export const PYTHON_STATUSES_PATH = 'sdks/python/src/earshot/_statuses.py'

/** Returns the statuses of errors as a module of Python. */
export function pythonStatuses(): string {
  const statuses = Object.entries(errorTable).map(([code, { status }]) => `    "${code}": ${status},\n`)
  return `"""Made from the contracts by "npm run generate"."""

#: The status of each error code.
ERROR_STATUSES = {
${statuses.join('')}}
`
}

function treeText(tree: OperationTree, indent: string): string {
  const lines = Object.entries(tree).map(([name, node]) => {
    const value = isOperation(node) ? `'${operationText(node)}'` : treeText(node, `${indent}  `)
    return `${indent}  ${name}: ${value},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function operationText(operation: Operation): string {
  const { method, path, stream, waitsSeconds, reauthenticates, headerFields } = operation
  const short = path.replace(/^\/api\/v1\/teams\/\{team_id\}\//, 'T/').replace(/^T\/projects\/\{project_id\}\//, 'P/')
  const words = [
    method,
    short,
    listOf(operation),
    stream,
    waitsSeconds !== undefined && `waits:${waitsSeconds}`,
    reauthenticates && 'reauthenticates',
    ...[...headerFields].map(([field, header]) => `header:${field}=${header}`),
  ]
  return words.filter(Boolean).join(' ')
}

/** A list is an object with `next_cursor`; that of a feed is never null. */
function listOf({ output }: Operation): 'list' | 'feed' | false {
  const cursor = output instanceof z.ZodObject ? output.shape.next_cursor : undefined
  if (!(cursor instanceof z.ZodType)) return false
  return cursor.safeParse(null).success ? 'list' : 'feed'
}
