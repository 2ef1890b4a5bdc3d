import { contracts, isEverywhere, listOperations, type Operation } from '@earshot/contracts'
import { z } from 'zod'

/** The committed schemas of the command line, from the top of the repository. */
export const CLI_SCHEMAS_PATH = 'cli/src/schemas.jsonl'
/** The committed summaries of its commands. */
export const CLI_SUMMARIES_PATH = 'cli/src/summaries.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** The keywords that a command line reads: those of what it can name, complete and show. The service checks the rest. */
const KEPT = ['type', 'description', 'default', 'format', 'enum', 'const', 'required', '$ref'] as const

/** Returns the summary of each operation as the source of a module. */
export function cliSummaries(): string {
  const lines = operationsOfCli().map(([name, { summary }]) => `  '${name}': ${quoted(summary)},\n`)
  return `// Made from the contracts by "npm run generate".

/** The summary of each operation that is a command. */
export const summaries: Readonly<Record<string, string>> = {
${lines.join('')}}
`
}

/** Returns the descriptions and schemas of the operations, then the definitions that they refer to: a pair of name and value in each line. */
export function cliSchemas(): string {
  const definitions = new Map<string, string>()
  const operations = operationsOfCli().map(([name, { description, input, output }]): [string, string] => {
    const schemas = { input: schemaOf(input, 'input', definitions), output: schemaOf(output, 'output', definitions) }
    return [name, JSON.stringify({ description, ...schemas })]
  })
  return [...operations, ...definitions].map(([name, text]) => `[${JSON.stringify(name)},${text}]\n`).join('')
}

function operationsOfCli(): [string, Operation][] {
  return listOperations(contracts).flatMap(({ name, operation }): [string, Operation][] =>
    isEverywhere(operation) || operation.stream ? [[name, operation]] : [],
  )
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output', definitions: Map<string, string>): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  // A field may have a default in one direction alone, so there are two definitions of a name.
  const rename = (name: string) => `${name}.${io}`
  for (const [name, definition] of Object.entries($defs)) define(rename(name), JSON.stringify(slim(definition, rename)), definitions)
  return slim(root, rename)
}

function define(name: string, text: string, definitions: Map<string, string>): void {
  const present = definitions.get(name)
  if (present !== undefined && present !== text) throw new Error(`Two schemas are named ${name}.`)
  definitions.set(name, text)
}

function slim(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const inner = (child: JsonSchema | boolean) => (typeof child === 'boolean' ? child : slim(child, rename))
  const { properties, items, $ref, anyOf, oneOf } = schema
  return {
    ...Object.fromEntries(KEPT.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...($ref !== undefined && { $ref: rename($ref.replace('#/$defs/', '')) }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, inner(child)])) }),
    ...(items !== undefined && !Array.isArray(items) && { items: inner(items) }),
    ...((anyOf ?? oneOf) && { anyOf: (anyOf ?? oneOf)?.map(inner) }),
  } as JsonSchema
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
