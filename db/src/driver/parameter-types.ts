import { makePgArray } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { parse } from 'postgres-array'

/** PostgreSQL's numbers of the types int[], text[] and uuid[]; those of built-in types are the same in every database. */
const ARRAYS = new Map<number, (element: string) => unknown>([
  [1007, Number],
  [1009, String],
  [2951, String],
])

/**
 * Registers array types of parameters with the driver. By itself it reads the catalogue at each connect, in a query whose
 * rejection nobody handles when the database goes away at that moment, and which would end the process.
 */
export function registerParameterTypes({ options: { parsers, serializers } }: postgres.Sql): void {
  for (const [type, read] of ARRAYS) {
    parsers[type] = (text) => (text === '{}' ? [] : parse(text, read))
    serializers[type] = (values: unknown) => (Array.isArray(values) ? makePgArray(values) : values)
  }
}
