import type { Operation } from '@earshot/contracts'
import { z } from 'zod'

/** Values of fields that name a record, by the field's name. */
export type Known = Readonly<Record<string, unknown>>

/** A value of the wrong type, and the dotted path of its field. */
export interface Wrong {
  field: string
  value: unknown
}

const CANDIDATES: readonly unknown[] = [{}, 'of another kind', 4.5, true, null, []]

/** Returns a minimal input: required fields alone, from their examples. */
export function sampleInput({ input }: Operation, known: Known = {}): Record<string, unknown> {
  const sample = sampleFields(input, known)
  const verdict = input.safeParse(sample)
  if (!verdict.success) throw new Error(`no sample of the input: give its fields an example\n${verdict.error.message}`)
  return sample
}

/** Returns the names of required fields, nested ones too. */
export function requiredNames(schema: z.ZodType): string[] {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray) return requiredNames(inner.element as z.ZodType)
  if (!(inner instanceof z.ZodObject)) return []
  return requiredFields(inner).flatMap(([name, field]) => [name, ...requiredNames(field)])
}

/** Returns values that a body field, or a nested one, must refuse, each with the path of that field. */
export function wrongValues(schema: z.ZodType, known: Known, field: string): Wrong[] {
  const inner = unwrapped(schema)
  const own = CANDIDATES.filter((value) => !schema.safeParse(value).success).map((value) => ({ field, value }))
  if (inner instanceof z.ZodArray) {
    return [...own, ...wrongValues(inner.element as z.ZodType, known, `${field}.0`).map((wrong) => ({ ...wrong, value: [wrong.value] }))]
  }
  if (!(inner instanceof z.ZodObject)) return own
  const sample = sampleFields(inner, known)
  const nested = fieldsOf(inner).flatMap(([name, child]) =>
    wrongValues(child, known, `${field}.${name}`).map((wrong) => ({ ...wrong, value: { ...sample, [name]: wrong.value } })),
  )
  return [...own, ...nested]
}

/** Returns query texts that a field must refuse: values that do not convert, and duplicates. */
export function wrongQueries(schema: z.ZodType, name: string): URLSearchParams[] {
  const text = 'of another kind'
  const isList = unwrapped(schema) instanceof z.ZodArray
  return [
    ...(schema.safeParse(isList ? [text] : text).success ? [] : [new URLSearchParams([[name, text]])]),
    ...(isList ? [] : [twice(name, String(sampleOf(schema, {})))]),
  ]
}

function twice(name: string, value: string): URLSearchParams {
  return new URLSearchParams([
    [name, value],
    [name, value],
  ])
}

function sampleOf(schema: z.ZodType, known: Known): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject) return sampleFields(inner, known)
  const example =
    (schema.meta() as { example?: unknown } | undefined)?.example ?? (inner.meta() as { example?: unknown } | undefined)?.example
  if (inner instanceof z.ZodArray) return Array.isArray(example) ? example : [sampleOf(inner.element as z.ZodType, known)]
  if (example !== undefined) return example
  if (inner instanceof z.ZodEnum) return inner.options[0]
  if (inner instanceof z.ZodLiteral) return inner.def.values[0]
  if (inner instanceof z.ZodUnion) return sampleOf(inner.options[0] as z.ZodType, known)
  if (inner instanceof z.ZodNumber) return inner.minValue ?? 1
  if (inner instanceof z.ZodBoolean) return true
  return inner instanceof z.ZodRecord ? {} : 'Sample'
}

function sampleFields(schema: z.ZodObject, known: Known): Record<string, unknown> {
  return Object.fromEntries(requiredFields(schema).map(([name, field]) => [name, known[name] ?? sampleOf(field, known)]))
}

function requiredFields(schema: z.ZodObject): [string, z.ZodType][] {
  return fieldsOf(schema).filter(([, field]) => !field.safeParse(undefined).success)
}

function fieldsOf({ shape }: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(shape as Record<string, z.ZodType>)
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap() as z.ZodType)
  }
  return schema
}
