import { isOperation, listOperations, type NamedOperation, type OperationTree } from '@earshot/contracts'
import type { Document } from './model-types.ts'

const HEAD = `// Made from the contracts and the OpenAPI document.
import type {
  CallOptions,
  ClientOptions,
  Export,
  ExportOptions,
  PagedPromise,
  Streamed,
  StreamOptions,
  VideoMethods,
} from './options.js'
import type { operations } from './models.js'
import type * as models from './models.js'

/** The fields side by side. An optional one may be undefined too: it is not sent. */
type Flat<Fields> = Fields extends unknown
  ? { [Name in keyof Fields]: Record<never, never> extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name] }
  : never
type Given<Fields> = [Fields] extends [never] ? unknown : Fields
type PathOf<Name extends keyof operations> = Given<NonNullable<operations[Name]['parameters']['path']>>
type QueryOf<Name extends keyof operations> = Given<NonNullable<operations[Name]['parameters']['query']>>
type BodyOf<Name extends keyof operations> = [NonNullable<operations[Name]['requestBody']>] extends [never]
  ? unknown
  : NonNullable<operations[Name]['requestBody']> extends { content: { 'application/json': infer Fields } }
    ? Fields
    : unknown

/** The input of an operation: the fields of path, query and body side by side. */
export type InputOf<Name extends keyof operations> = Flat<PathOf<Name> & QueryOf<Name> & BodyOf<Name>>

/** The output of an operation; void for 204. */
export type OutputOf<Name extends keyof operations> =
  operations[Name]['responses'][keyof operations[Name]['responses']] extends { content: { 'application/json': infer Output } } ? Output : void

type ItemOf<Page> = Page extends { results: (infer Item)[] } ? Item : never
`

/** Returns the interface of the client, with one documented method for each operation. */
export function clientTypes(tree: OperationTree, document: Document): string {
  const inDocument = new Map(
    Object.values(document.paths).flatMap((item) => Object.values(item).map((found) => [found.operationId, found])),
  )
  const needsInput = (operationId: string) => {
    const { parameters = [], requestBody } = inDocument.get(operationId) ?? {}
    return [...parameters, requestBody].some((part) => part !== undefined && (part as { required?: boolean }).required)
  }
  const named = new Map(listOperations(tree).map((found) => [found.operation, found]))

  const members = (level: OperationTree, indent: string): string =>
    Object.entries(level)
      .map(([name, node]) => {
        if (!isOperation(node)) return `${indent}readonly ${name}: {\n${members(node, `${indent}  `)}${indent}}\n`
        const found = named.get(node)
        if (!found) throw new Error(`${name} has no name.`)
        return indented(methodOf(name, found, needsInput(found.operationId)), indent)
      })
      .join('')

  return `${HEAD}
/** One method for each operation, under the operation's name, and \`videos.upload\`. */
export type Client = Operations & { readonly videos: VideoMethods }

interface Operations {
${members(tree, '  ')}}

/** Creates a client, for Node, Deno, Bun and browsers. */
export declare function createClient(options: ClientOptions): Client
`
}

function methodOf(name: string, { operationId, operation }: NamedOperation, needsInput: boolean): string {
  const { summary, description, stream } = operation
  const comment = [`${summary}.`, ...(description ? ['', description] : [])].flatMap((text) => text.split('\n'))
  const input = `input${needsInput ? '' : '?'}: ${inputType(operationId, operation)}`
  const output = `OutputOf<'${operationId}'>`
  const method = (options: string, result: string) => `${name}(${input}, options?: ${options}): ${result}`
  return `/**\n${comment.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n */\n${signature()}\n`

  function signature(): string {
    if (stream === 'events') return method('StreamOptions', `AsyncIterable<Streamed<models.${idOf(operation.output)}>>`)
    if (stream === 'records') return method('ExportOptions', `Export<models.${idOf(operation.output)}>`)
    const isList = 'shape' in operation.output && 'next_cursor' in (operation.output.shape as object)
    return method('CallOptions', isList ? `PagedPromise<${output}, ItemOf<${output}>>` : `Promise<${output}>`)
  }
}

/** Fields of headers are fields of the input, and the client chooses the format of an export. */
function inputType(operationId: string, { stream, headerFields }: NamedOperation['operation']): string {
  const fields = stream === 'records' ? `Omit<InputOf<'${operationId}'>, 'format'>` : `InputOf<'${operationId}'>`
  const ofHeaders = [...headerFields.keys()].map((field) => `${field}: string`)
  return ofHeaders.length === 0 ? fields : `${fields} & { ${ofHeaders.join('; ')} }`
}

function idOf(schema: NamedOperation['operation']['output']): string {
  const id = schema.meta()?.id
  if (typeof id !== 'string') throw new Error('The records of a stream have no name.')
  return id
}

function indented(text: string, indent = '  '): string {
  return text.replaceAll(/^(?=.)/gm, indent)
}
