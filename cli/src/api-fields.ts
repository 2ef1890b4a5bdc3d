import { UsageError } from './usage-error.ts'

/** Methods that can be sent. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Field = [name: string, value: unknown]

/** Reads `name=value`. A typed value is true, false, null, a number, the text of `@file`, or text. */
export async function fieldsOf(
  given: readonly string[],
  { isTyped, read }: { isTyped: boolean; read: (file: string) => Promise<string> },
): Promise<Field[]> {
  const fields: Field[] = []
  for (const text of given) {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`a field must be a name and a value: name=value, not ${text}`)
    const value = text.slice(at + 1)
    fields.push([text.slice(0, at), isTyped ? await typed(value, read) : value])
  }
  return fields
}

async function typed(text: string, read: (file: string) => Promise<string>): Promise<unknown> {
  if (text.startsWith('@')) return read(text.slice(1))
  const isLiteral = text === 'true' || text === 'false' || text === 'null' || /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)
  return isLiteral ? JSON.parse(text) : text
}

/** Returns the fields of a query. */
export function queryOf(fields: readonly Field[]): [string, string][] {
  return fields.map(([name, value]) => [name.replace(/\[\]$/, ''), String(value)])
}

/** Returns the fields as an object: `author.name` is one of an object in it, and each `tags[]` an item of a list. */
export function nested(fields: readonly Field[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, value] of fields) {
    const path = name.replace(/\[\]$/, '').split('.')
    const last = path.pop() ?? ''
    const parent = path.reduce((object, key) => objectIn(object, key), result)
    const before = Object.hasOwn(parent, last) ? parent[last] : undefined
    const item = name.endsWith('[]') ? [...(Array.isArray(before) ? before : []), value] : value
    define(parent, last, item)
  }
  return result
}

function objectIn(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const child = Object.hasOwn(parent, key) ? parent[key] : undefined
  if (typeof child === 'object' && child !== null && !Array.isArray(child)) return child as Record<string, unknown> // Made here.
  const made: Record<string, unknown> = {}
  define(parent, key, made)
  return made
}

/** `__proto__` is a name like any other. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
