import { type SQL, sql } from 'drizzle-orm'
import { notFound } from './rows.ts'

/** A row of a list below a record, and whether there is such a record. An empty list has one row of nulls. */
export type Below<Row> = Row & { parent_exists: boolean }

/** Adds to a list whether the record above it exists, so that one statement tells an empty list from an unknown record. */
export function below(parentExists: SQL, list: SQL): SQL {
  return sql`
  select s.*, e.parent_exists
    from (select ${parentExists} as parent_exists) e
    left join (${list}) s on true
   order by s.id desc`
}

/** Returns the rows of such a list. Throws `not_found` when there is no such record. */
export function rowsBelow<Row extends { id: string }>(rows: Below<Row>[]): Row[] {
  if (!rows[0]?.parent_exists) notFound()
  return rows.filter(({ id }) => id !== null)
}
