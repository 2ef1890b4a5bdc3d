import { z } from 'zod'

/** A JSON Schema, or a part of one. */
type JsonSchema = { [keyword: string]: unknown }

/** A tool's schema: MCP requires an object at its root. */
export type ToolSchema = JsonSchema & { type: 'object' }

/**
 * Keywords that a model does not need to write arguments: what they forbid, the pipeline refuses with a clear error. They are two
 * thirds of a list of tools.
 */
const UNNEEDED = new Set([
  ...['$schema', 'example', 'examples', 'exclusiveMinimum', 'format', 'id', 'maxItems', 'maxLength'],
  ...['maximum', 'maxProperties', 'minItems', 'minLength', 'minimum', 'pattern', 'propertyNames', 'title', 'visibility'],
])
/** Of a field's description: whole sentences, as many as fit, and always the first. */
const DESCRIPTION_CHARACTERS = 160
/** How many characters describe a tool's output: the names of its first fields, as many as fit. The result itself shows the rest. */
const OUTPUT_CHARACTERS = 150
const MAX_FIELDS = 24

/** Returns the schema of a tool's arguments, without `fixed` fields, which the connection gives. */
export function slimInput(input: z.ZodObject, { fixed, undescribed }: Record<'fixed' | 'undescribed', ReadonlySet<string>>): ToolSchema {
  const {
    properties = {},
    required = [],
    ...rest
  } = reduce(inlined(z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' })), false) as JsonSchema
  const kept = Object.entries(properties as Record<string, JsonSchema>)
    .filter(([name]) => !fixed.has(name))
    .map(([name, schema]) => [name, undescribed.has(name) ? withoutDescription(schema) : schema])
  const stillRequired = (required as string[]).filter((name) => !fixed.has(name))
  return { ...rest, type: 'object', properties: Object.fromEntries(kept), ...(stillRequired.length > 0 && { required: stillRequired }) }
}

/** Returns the schema of a tool's structured result: the names of its first fields, and of those of the records of a list. */
export function slimOutput(output: z.ZodType): ToolSchema {
  const whole = inlined(z.toJSONSchema(output, { unrepresentable: 'any' }))
  const outlines = Array.from({ length: MAX_FIELDS }, (_value, fields) => outlineOf(whole, MAX_FIELDS - fields))
  const fitting = outlines.find((outline) => JSON.stringify(outline).length <= OUTPUT_CHARACTERS)
  return { ...fitting, type: 'object' }
}

/**
 * Replaces references by what they refer to: a client of 2025 refuses a whole list for one schema whose root is a reference. A schema
 * that contains itself, which is any JSON, is left open.
 */
function inlined(schema: JsonSchema): JsonSchema {
  const { $defs = {}, ...root } = schema
  const isRecursive = (name: string) => JSON.stringify(($defs as JsonSchema)[name] ?? null).includes(`/${name}"`)
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => replace(item))
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as JsonSchema
    const own = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, replace(child)]))
    if (typeof $ref !== 'string') return own
    const name = $ref.split('/').at(-1) ?? ''
    const target = isRecursive(name) ? {} : replace(($defs as JsonSchema)[name] ?? {})
    return { ...(target as JsonSchema), ...own }
  }
  return replace(root) as JsonSchema
}

/** `isNames`: the keys are names of fields or definitions, not keywords. */
function reduce(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => reduce(item, false))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key, child]) => isNames || !(UNNEEDED.has(key) || (key === 'default' && child === null)))
    .map(([key, child]) => [
      key,
      !isNames && key === 'description' ? firstSentences(String(child)) : reduce(child, key === 'properties' && !isNames),
    ])
  const reduced = Object.fromEntries(entries)
  return isNames ? reduced : mergedNull(mergedVariants(withoutOpenFields(reduced)))
}

/** A union of objects is one object with the fields of all: which go together is in their descriptions, and checked by the pipeline. */
function mergedVariants(schema: JsonSchema): JsonSchema {
  const { oneOf, anyOf, ...rest } = schema
  const variants = (oneOf ?? anyOf) as JsonSchema[] | undefined
  if (!variants?.every(({ type, properties }) => type === 'object' && properties !== undefined)) return schema
  const fields = new Map<string, JsonSchema[]>()
  for (const { properties } of variants) {
    for (const [name, field] of Object.entries(properties as Record<string, JsonSchema>))
      fields.set(name, [...(fields.get(name) ?? []), field])
  }
  const required = [...fields.keys()].filter((name) =>
    variants.every((variant) => (variant.required as string[] | undefined)?.includes(name)),
  )
  const properties = Object.fromEntries([...fields].map(([name, versions]) => [name, mergedField(versions)]))
  return { ...rest, type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** What versions of a field have in common; constants become the list of them. */
function mergedField(versions: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = versions
  const values = versions.flatMap((version) => (version.const === undefined ? (version.enum ?? []) : version.const))
  const common = Object.entries(first).filter(([key, value]) =>
    versions.every((version) => JSON.stringify(version[key]) === JSON.stringify(value)),
  )
  const { const: _one, ...shared } = Object.fromEntries(common)
  return values.length > 0 ? { ...shared, enum: [...new Set(values)] } : shared
}

/** `anyOf` of one type and null is one type with two names. */
function mergedNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf as JsonSchema[]
  if (second?.type !== 'null' || typeof first?.type !== 'string') return schema
  const { enum: values, description: _replaced, ...type } = first
  return {
    ...(rest.description === undefined && first.description !== undefined ? { description: first.description } : {}),
    ...type,
    ...(Array.isArray(values) && { enum: [...values, null] }),
    type: [first.type, 'null'],
    ...rest,
  }
}

/** An enum says its type itself, and whether an object may have other fields is checked by the pipeline. */
function withoutOpenFields(schema: JsonSchema): JsonSchema {
  const { type, additionalProperties, ...rest } = schema
  const isSaid = schema.enum !== undefined || schema.const !== undefined
  const values = typeof additionalProperties === 'object' && additionalProperties !== null ? Object.keys(additionalProperties) : []
  return { ...(type !== undefined && !isSaid && { type }), ...rest, ...(values.length > 0 && { additionalProperties }) }
}

function firstSentences(text: string): string {
  const sentences = text.match(/.+?\.(?=\s|$)\s*/gs) ?? [text]
  let kept = ''
  for (const sentence of sentences) {
    if (kept !== '' && kept.length + sentence.length > DESCRIPTION_CHARACTERS) break
    kept += sentence
  }
  return kept.trim()
}

function withoutDescription({ description: _description, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** Names the first fields of an object, and of the objects in its lists. */
function outlineOf({ type, properties, items }: JsonSchema, fields: number, isInList = false): JsonSchema {
  if (type === 'array') return isInList ? { type } : { type, items: outlineOf((items ?? {}) as JsonSchema, fields, true) }
  if (type !== 'object') return {}
  const named = Object.entries((properties ?? {}) as Record<string, JsonSchema>).slice(0, fields)
  const outlined = named.map(([name, field]) => [name, !isInList && field.type === 'array' ? outlineOf(field, fields) : {}])
  return named.length === 0 ? { type } : { type, properties: Object.fromEntries(outlined) }
}
