import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Tx } from '../driver/database.ts'

const dialect = new PgDialect()

/** A statement of the product: its text is built once, and prepared by PostgreSQL once in each session. */
export type Statement<Values, Row> = (tx: Tx, values: Values) => Promise<Row[]>

/**
 * Builds a statement from a template with `sql.placeholder('name')` for each value.
 *
 * @example const find = statement<{ id: string }, Row>(sql`select * from ${users} where id = ${sql.placeholder('id')}`)
 */
export function statement<Values extends object, Row>(query: SQL): Statement<Values, Row> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return (tx, values) => tx.run<Row>(text, fillPlaceholders(params, values as Record<string, unknown>))
}

/** One statement for each combination of a set of filters, built when it is first asked for. */
export function statementsByKey<Values extends object, Row>(build: (key: string) => SQL): (key: string) => Statement<Values, Row> {
  const built = new Map<string, Statement<Values, Row>>()
  return (key) => {
    const known = built.get(key)
    if (known) return known
    const made = statement<Values, Row>(build(key))
    built.set(key, made)
    return made
  }
}
