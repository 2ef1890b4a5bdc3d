import { makePgArray } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { parse } from 'postgres-array'

/** PostgreSQL's type numbers of the arrays that statements carry: text[] and uuid[]. They are the same in every database. */
const ARRAY_TYPES = [1009, 2951]

/**
 * Teaches the driver the arrays of the product. Its own way is to ask the catalogue at each connect, in a query of which
 * nobody hears when the database goes away at that moment: the rejection would end the process.
 */
export function registerArrayTypes({ options }: postgres.Sql): void {
  for (const type of ARRAY_TYPES) {
    options.parsers[type] = (text) => parse(text)
    options.serializers[type] = (values: unknown) => (Array.isArray(values) ? makePgArray(values) : values)
  }
}
