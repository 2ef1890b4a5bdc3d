import { z } from 'zod'

type Convert = (text: string) => unknown

/** Reads the query of an operation: converts each parameter to the type of its field, and repeated ones to arrays. */
export type ReadQuery = (query: Record<string, unknown>) => Record<string, unknown>

const INTEGER = /^-?\d{1,16}$/

/** Compiles a converter for each query field from its schema. Text that cannot be converted is left for the schema to refuse. */
export function compileQuery(schema: z.ZodObject, queryFields: ReadonlySet<string>): ReadQuery {
  const converters = new Map<string, { convert: Convert; isArray: boolean }>()
  for (const name of queryFields) converters.set(name, converterOf(schema.shape[name] as z.ZodType))
  return (query) => {
    const entries = Object.entries(query).map(([name, given]) => {
      const converter = converters.get(name)
      return [name, converter ? convertAll(given, converter) : given] as const
    })
    // `fromEntries` makes even `__proto__` a plain field, which the schema refuses.
    return Object.fromEntries(entries)
  }
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
