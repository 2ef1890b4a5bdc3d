import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Tx } from '../driver/database.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { onlyOne } from './rows.ts'
import { type Statement, statement } from './statement.ts'

/** Folds up to `max` changes, and returns how many: none also while another worker does it. */
export type Fold = (tx: Tx, limit: { max: number }) => Promise<number>

/**
 * Returns a function that folds the changes of a table into totals. Each of `inserts` adds the rows of `changes`, an alias `c`
 * of those that were taken, to one table of totals. What is left of a parent that is gone, by `hasParent`, counts for nothing.
 * Changes are deleted and added up in one statement, so every reader sees each change once. `cleanUp` is a statement after it,
 * in the same transaction.
 */
export function foldOf(table: PgTable, { hasParent, inserts, cleanUp }: { hasParent: SQL; inserts: SQL[]; cleanUp?: SQL }): Fold {
  const whenWaiting = oneAtATime(`fold_${getTableName(table)}`, table)
  const parts = inserts.map(
    (insert, index) => sql`
  ${sql.identifier(`fold_${index}`)} as (${insert}
  )`,
  )
  const fold = statement<{ max: number }, { taken: number }>(
    (p) => sql`
  with taken as materialized (
    delete from ${table}
     where ctid = any (array(
       select ctid
         from ${table}
        limit ${p.max}
     ))
    returning *
  ),
  changes as materialized (
    select c.*
      from taken c
     where ${hasParent}
  ),${sql.join(parts, sql`,`)}
  select count(*)::int as taken
    from taken`,
  )
  const clean: Statement<Record<never, never>, never> = cleanUp ? statement(cleanUp) : async () => []
  return (tx, { max }) =>
    whenWaiting(tx, async (tx) => {
      const { taken } = onlyOne(await fold(tx, { max }))
      await clean(tx, {})
      return taken
    })
}
