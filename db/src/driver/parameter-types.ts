import { makePgArray } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { parse } from 'postgres-array'

/** PostgreSQL's type numbers; those of built-in types are the same in every database. */
const BOOLEAN = 16
const BYTEA = 17
/** The array types of parameters: text[] and uuid[]. */
const ARRAYS = [1009, 2951]
const HEX = '\\x'

/**
 * Registers types of parameters with the driver, for two reasons.
 *
 * Arrays: by itself the driver reads the catalogue at each connect, in a query whose rejection nobody handles when the
 * database goes away at that moment, and which would end the process.
 *
 * Values that are text already: when a table got another column since a statement was prepared, the driver sends the
 * statement again with parameters that it has serialized; by its own rules it would turn `true` into false, and bytes
 * into the bytes of their hexadecimal digits.
 */
export function registerParameterTypes({ options: { parsers, serializers } }: postgres.Sql): void {
  for (const type of ARRAYS) {
    parsers[type] = (text) => parse(text)
    serializers[type] = (values: unknown) => (Array.isArray(values) ? makePgArray(values) : values)
  }
  serializers[BOOLEAN] = (value: unknown) => (value === true || value === 't' ? 't' : 'f')
  serializers[BYTEA] = (value: string | Uint8Array) => (isHex(value) ? value : `${HEX}${Buffer.from(value).toString('hex')}`)
}

function isHex(value: string | Uint8Array): value is string {
  return typeof value === 'string' && value.startsWith(HEX)
}
