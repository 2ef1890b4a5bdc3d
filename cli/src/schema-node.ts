import { definitionOf, type JsonSchema, type Operation, schemasOf } from './operation.ts'

/** A node of a schema, with what a command line needs to know. */
export interface SchemaNode {
  /** `json` has no fixed shape. */
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'json'
  isNullable: boolean
  /** Whether it has one of several shapes. */
  isUnion: boolean
  /** Values that a text or number may have, as they are typed. */
  choices: readonly string[]
  description: string | undefined
  defaultValue: unknown
  format: string | undefined
  /** Names of an object's required fields. */
  required: ReadonlySet<string>
  /** Fields of an object, in order; for a union of objects, the fields of all. */
  properties: () => [string, SchemaNode][]
  /** The items of an array. */
  items: () => SchemaNode
}

/** A text of any kind. */
export const TEXT = nodeOf({ type: 'string' })

/** Returns the schema of an operation's input. */
export function readInput(operation: Operation): SchemaNode {
  return nodeOf(schemasOf(operation).input)
}

/** Returns the schema of an operation's output. */
export function readOutput(operation: Operation): SchemaNode {
  return nodeOf(schemasOf(operation).output)
}

/** Returns the node at a dotted path, `json` below a node without a fixed shape; undefined if there is none. */
export function nodeAt(node: SchemaNode, path: readonly string[]): SchemaNode | undefined {
  const [name, ...rest] = path
  if (name === undefined || node.kind === 'json') return node
  if (node.kind === 'array' && /^\d+$/.test(name)) return nodeAt(node.items(), rest)
  const child = node.properties().find(([key]) => key === name)?.[1]
  return child && nodeAt(child, rest)
}

function nodeOf(schema: JsonSchema): SchemaNode {
  const plain = resolve(schema)
  const all = (plain.anyOf ?? [plain]).map(resolve)
  const variants = all.filter(({ type }) => type !== 'null')
  const [first = {}] = variants
  return {
    kind: kindOf(first),
    isNullable: variants.length < all.length || [first.type].flat().includes('null'),
    isUnion: variants.length > 1,
    choices: variants.flatMap(({ enum: values, const: value }) => values ?? [value]).flatMap(textOfChoice),
    description: plain.description ?? first.description,
    defaultValue: plain.default,
    format: first.format,
    required: new Set(first.required),
    properties: () => {
      const entries = variants.flatMap(({ properties = {} }) => Object.entries(properties))
      return [...new Map(entries)].map(([name, child]) => [name, nodeOf(child)])
    },
    items: () => nodeOf(first.items ?? {}),
  }
}

function textOfChoice(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

/** Follows `$ref`; keywords beside it take precedence. */
function resolve({ $ref, ...rest }: JsonSchema): JsonSchema {
  return $ref === undefined ? rest : { ...resolve(definitionOf($ref)), ...rest }
}

function kindOf({ type, properties, const: value }: JsonSchema): SchemaNode['kind'] {
  const [kind] = [type].flat().filter((name) => name !== 'null')
  if (kind === 'object') return properties ? 'object' : 'json'
  if (kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean' || kind === 'array') return kind
  return typeof value === 'string' ? 'string' : 'json'
}
