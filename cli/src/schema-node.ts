import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** A node of a schema, with what a command line needs to know. */
export interface SchemaNode {
  /** `json` has no fixed shape. */
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'json'
  isNullable: boolean
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

/** Reads a contract's schema as JSON Schema, which is stable where zod's internals are not. */
export function readSchema(schema: z.ZodType, io: 'input' | 'output'): SchemaNode {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return nodeOf(root, root.$defs ?? {})
}

/** Returns the node at a dotted path, `json` below a node without a fixed shape; undefined if there is none. */
export function nodeAt(node: SchemaNode, path: readonly string[]): SchemaNode | undefined {
  const [name, ...rest] = path
  if (name === undefined || node.kind === 'json') return node
  if (node.kind === 'array' && /^\d+$/.test(name)) return nodeAt(node.items(), rest)
  const child = node.properties().find(([key]) => key === name)?.[1]
  return child && nodeAt(child, rest)
}

function nodeOf(schema: JsonSchema, definitions: Record<string, JsonSchema>): SchemaNode {
  const plain = resolve(schema, definitions)
  const all = (plain.anyOf ?? plain.oneOf ?? [plain]).map((variant) => resolve(variant, definitions))
  const variants = all.filter(({ type }) => type !== 'null')
  const [first = {}] = variants
  return {
    kind: kindOf(first),
    isNullable: variants.length < all.length || [first.type].flat().includes('null'),
    choices: variants.flatMap(({ enum: values, const: value }) => values ?? [value]).flatMap(textOfChoice),
    description: plain.description ?? first.description,
    defaultValue: plain.default,
    format: first.format,
    required: new Set(first.required),
    properties: () => {
      const entries = variants.flatMap(({ properties = {} }) => Object.entries(properties))
      return [...new Map(entries)].map(([name, child]) => [name, nodeOf(asObject(child), definitions)])
    },
    items: () => nodeOf(asObject([first.items ?? {}].flat()[0] ?? {}), definitions),
  }
}

function textOfChoice(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

/** Follows `$ref`; keywords beside it take precedence. */
function resolve(schema: JsonSchema | boolean, definitions: Record<string, JsonSchema>): JsonSchema {
  const { $ref, ...rest } = asObject(schema)
  if ($ref === undefined) return rest
  return { ...resolve(definitions[$ref.replace('#/$defs/', '')] ?? {}, definitions), ...rest }
}

function asObject(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'boolean' ? {} : schema
}

function kindOf({ type, properties, const: value }: JsonSchema): SchemaNode['kind'] {
  const [kind] = [type].flat().filter((name) => name !== 'null')
  if (kind === 'object') return properties ? 'object' : 'json'
  if (kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean' || kind === 'array') return kind
  return typeof value === 'string' ? 'string' : 'json'
}
