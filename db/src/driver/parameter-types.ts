import { makePgArray } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { parse } from 'postgres-array'

/** PostgreSQL's type numbers; those of what it brings along are the same in every database. */
const BOOLEAN = 16
const BYTEA = 17
/** The arrays that statements carry: text[] and uuid[]. */
const ARRAYS = [1009, 2951]
const HEX = '\\x'

/**
 * Teaches the driver two things about the types of parameters.
 *
 * The arrays of the product. Its own way is to ask the catalogue at each connect, in a query of which nobody hears when the
 * database goes away at that moment: the rejection would end the process.
 *
 * And to write what it has written before. When a table got another column since a statement was prepared, the driver
 * sends the statement again, with parameters that are text already; by its own rules `true` would then read as false, and
 * bytes as the bytes of their hexadecimal digits.
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
