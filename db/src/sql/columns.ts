import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Returns the names of all columns of a table, which a statement returns instead of `*`: PostgreSQL refuses a prepared statement
 * whose result an upgrade would change. `of` is what they belong to where the table has an alias.
 */
export function columnsOf(table: PgTable, of?: string): SQL {
  const prefix = of === undefined ? '' : `${of}.`
  const names = Object.values(getTableColumns(table)).map(({ name }) => prefix + name)
  return sql.raw(names.join(', '))
}
