import { z } from 'zod'

type Convert = (text: string) => unknown

/** Reads the query of an operation: converts each parameter to the type of its field, and repeated ones to arrays. */
export type ReadQuery = (query: Record<string, unknown>) => Record<string, unknown>

const INTEGER = /^-?\d{1,16}$/
/** A key of a field that is an object: `metadata.plan`, or `metadata[plan]` as OpenAPI calls it `deepObject`. */
const ENTRY = /^(\w+)(?:\.(.+)|\[(.+)\])$/s

/** Compiles a converter for each query field from its schema. Text that cannot be converted is left for the schema to refuse. */
export function compileQuery(schema: z.ZodObject, queryFields: ReadonlySet<string>): ReadQuery {
  const converters = new Map<string, { convert: Convert; isArray: boolean }>()
  for (const name of queryFields) converters.set(name, converterOf(schema.shape[name] as z.ZodType))
  const objects = new Set([...queryFields].filter((name) => isQueryObject(schema.shape[name] as z.ZodType)))
  return (query) => {
    const entries = Object.entries(gathered(query, objects)).map(([name, given]) => {
      const converter = converters.get(name)
      return [name, converter ? convertAll(given, converter) : given] as const
    })
    // `fromEntries` makes even `__proto__` a plain field, which the schema refuses.
    return Object.fromEntries(entries)
  }
}

/** Gathers the keys of fields that are objects. A key that is given more than once has an array, which the schema refuses. */
function gathered(query: Record<string, unknown>, objects: ReadonlySet<string>): Record<string, unknown> {
  if (objects.size === 0) return query
  const plain: [string, unknown][] = []
  const keys = new Map<string, Map<string, unknown>>()
  for (const [name, given] of Object.entries(query)) {
    const [, field = '', dotted, bracketed] = ENTRY.exec(name) ?? []
    const key = dotted ?? bracketed
    if (key === undefined || !objects.has(field)) plain.push([name, given])
    else {
      const values = keys.get(field) ?? new Map<string, unknown>()
      keys.set(field, values.set(key, values.has(key) ? [values.get(key), given] : given))
    }
  }
  // `fromEntries` makes even `__proto__` a plain key. A field given as a whole stands, and the schema refuses it.
  return Object.fromEntries([...[...keys].map(([field, values]) => [field, Object.fromEntries(values)] as const), ...plain])
}

function convertAll(given: unknown, { convert, isArray }: { convert: Convert; isArray: boolean }): unknown {
  const texts = Array.isArray(given) ? given : [given]
  const values = texts.map((text) => (typeof text === 'string' ? convert(text) : text))
  // A repeated parameter stays an array, which the schema refuses where one value is expected.
  return isArray || values.length > 1 ? values : values[0]
}

function converterOf(schema: z.ZodType): { convert: Convert; isArray: boolean } {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray) return { convert: converterOf(inner.element as z.ZodType).convert, isArray: true }
  if (inner instanceof z.ZodNumber) return { convert: (text) => (INTEGER.test(text) ? Number(text) : text), isArray: false }
  if (inner instanceof z.ZodBoolean) return { convert: toBoolean, isArray: false }
  return { convert: (text) => text, isArray: false }
}

/** Returns whether a field has keys, each of which is a parameter of its own. */
export function isQueryObject(field: z.ZodType): boolean {
  return unwrapped(field) instanceof z.ZodRecord
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap() as z.ZodType)
  }
  return schema
}

function toBoolean(text: string): unknown {
  if (text === 'true') return true
  return text === 'false' ? false : text
}
