import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../../contracts/src/operation.ts'
import { operations } from './operations.ts'

const SNAPSHOT = 'snapshots/operations.json'

type Released = Record<string, { operationId: string; method: string; path: string }>

/** Read before any snapshot is written anew. */
const released: Released = JSON.parse(readFileSync(new URL(SNAPSHOT, import.meta.url), 'utf8'))

const present: Released = Object.fromEntries(
  operations.map(({ name, operationId, operation: { method, path } }) => [name, { operationId, method, path }]),
)

const common = { summary: 'Contradict yourself', input: z.strictObject({}), output: z.object({}) } as const

test('a contract whose fields contradict each other does not load', () => {
  const contradictions = [
    () => operation({ ...common, method: 'GET', path: '/api/public/v1/things/' }),
    () => operation({ ...common, method: 'GET', path: '/api/v1/things/', access: 'public' }),
    () => operation({ ...common, method: 'POST', path: '/api/v1/things/', access: 'account' }),
    () => operation({ ...common, method: 'POST', path: '/api/v1/things/', stream: 'events' }),
    () => operation({ ...common, method: 'POST', path: '/api/v1/things/', authorizesWithWork: true }),
    () => operation({ ...common, method: 'POST', path: '/api/auth/things/', access: 'account', reauthenticates: true }),
    () => operation({ ...common, method: 'POST', path: '/api/v1/things/', counts: 'failures' }),
    () => operation({ ...common, method: 'POST', path: '/api/v1/things/', checksReceiver: true }),
  ]
  for (const contradict of contradictions) expect(contradict).toThrow('things/: ')
})

test('the name, method and path of a released operation never change', () => {
  expect(present).toMatchObject(released)
})

test('every operation is in the committed list of names', async () => {
  await expect(`${JSON.stringify(present, null, 2)}\n`).toMatchFileSnapshot(SNAPSHOT)
})

test('no two operations share an operationId, or a method and path', () => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  expect(new Set(operations.map(({ operation: { method, path } }) => `${method} ${path}`)).size).toBe(operations.length)
})

for (const { name, operation } of operations) {
  test(`${name} has a fast validator for its input`, () => {
    expect(() => z.compile(operation.input, { strict: true })).not.toThrow()
  })

  test(`${name} describes every field`, () => {
    const fields = [...fieldsOf(operation.input, ''), ...fieldsOf(operation.output, '')]
    expect(fields.filter(({ schema }) => !descriptionOf(schema)).map(({ field }) => field)).toEqual([])
  })

  test(`${name} documents that the texts of its body have no NUL`, () => {
    const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
    // No client makes up a cursor.
    const fields = [...operation.bodyFields].filter((field) => field !== 'cursor')
    const accepting = fields.flatMap((field) => textsOf(properties[field])).filter(acceptsNul)
    expect(accepting).toEqual([])
  })

  test(`${name} shows other people’s addresses only to callers with read:contacts`, () => {
    const emails = fieldsOf(operation.output, '').filter(({ field }) => /email(?!_verified)/i.test(field.split('.').at(-1) ?? ''))
    const unmarked = emails.filter(({ schema }) => (schema.meta() as { visibility?: string } | undefined)?.visibility !== 'read:contacts')
    // The one address that needs no mark is the caller's own.
    expect(unmarked.filter(({ owner }) => owner !== 'Profile').map(({ field }) => field)).toEqual([])
  })
}

interface JsonSchema {
  type?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
}

/** The schemas of free texts, at any depth. */
function textsOf(schema: unknown): JsonSchema[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, enum: values, const: value } = schema as JsonSchema
  const own = type === 'string' && values === undefined && value === undefined ? [schema] : []
  return [...own, ...Object.values(schema).flatMap(textsOf)]
}

/** Whether the pattern lets NUL through, alone or after what it asks for. */
function acceptsNul({ pattern }: JsonSchema): boolean {
  if (pattern === undefined) return true
  return ['', 'a', 'metadata.a', 'https://example.com/', 'a@example.com'].some((start) => new RegExp(pattern).test(`${start}\0`))
}

interface Field {
  field: string
  schema: z.ZodType
  /** Component that the field belongs to. */
  owner: string | undefined
}

/** Every field of a schema, through wrappers, lists and unions. */
function fieldsOf(schema: z.ZodType, path: string): Field[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return fieldsOf(schema.unwrap() as z.ZodType, path)
  }
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element as z.ZodType, `${path}[]`)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option as z.ZodType, path))
  if (!(schema instanceof z.ZodObject)) return []
  const owner = schema.meta()?.id
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, child]) => {
    const field = path === '' ? name : `${path}.${name}`
    return [{ field, schema: child, owner }, ...fieldsOf(child, field)]
  })
}

/** Its own, or that of the component which it wraps or repeats. */
function descriptionOf(schema: z.ZodType): string | undefined {
  const { description } = schema
  if (description) return description
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return descriptionOf(schema.unwrap() as z.ZodType)
  }
  return schema instanceof z.ZodArray ? descriptionOf(schema.element as z.ZodType) : undefined
}
