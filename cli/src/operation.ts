import { readFileSync } from 'node:fs'
import { type ClientOperation, kebabCase, type OperationTexts, operations, readOperation } from '@earshot/contracts/constants'
import { summaries } from './summaries.ts'

/** An operation as a command line knows it. */
export interface Operation extends ClientOperation {
  /** Its place in the client: `publicKeys.create`. */
  name: string
  /** The words of its command: `['public-keys', 'create']`. */
  words: readonly string[]
  summary: string
}

/** A schema in the keywords of JSON Schema that a command line reads. `$ref` names a definition. */
export interface JsonSchema {
  type?: string | string[]
  description?: string
  default?: unknown
  format?: string
  enum?: unknown[]
  const?: unknown
  required?: string[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  $ref?: string
}

interface Schemas {
  description?: string
  input: JsonSchema
  output: JsonSchema
}

/** Every operation that is a command, in the order of the contracts. */
export function listOperations(): Operation[] {
  return walk(operations, [])
}

/** Returns an operation by its name. */
export function operationNamed(name: string): Operation {
  const found = listOperations().find((operation) => operation.name === name)
  if (!found) throw new Error(`There is no operation ${name}.`)
  return found
}

/** Returns what must be known of an operation to read its flags and to show its result. */
export function schemasOf({ name }: Operation): Schemas {
  return read<Schemas>(name)
}

/** Returns the schema that a `$ref` names. */
export function definitionOf(name: string): JsonSchema {
  return read<JsonSchema>(name)
}

let lines: string | undefined

/** Reads one line: a command needs a few of some three hundred, and reading all takes longer than all else that it does. */
function read<Value>(name: string): Value {
  lines ??= `\n${readFileSync(new URL('./schemas.jsonl', import.meta.url), 'utf8')}`
  const start = lines.indexOf(`\n["${name}",`) + 1
  if (start === 0) throw new Error(`There is no schema ${name}.`)
  return JSON.parse(lines.slice(start, lines.indexOf('\n', start)))[1]
}

function walk(tree: OperationTexts, path: readonly string[]): Operation[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const names = [...path, key]
    if (typeof node !== 'string') return walk(node, names)
    const name = names.join('.')
    const summary = summaries[name]
    return summary === undefined ? [] : [{ ...readOperation(node), name, words: names.map(kebabCase), summary }]
  })
}
