import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Statement, statement } from '../sql/statement.ts'

const BATCH_ROWS = 1000

/** Deletes rows in batches until none is left; returns their number. */
export type BatchedDelete = (tx: Tx) => Promise<number>

/**
 * Builds a deletion in batches. Each batch is a statement of its own, so no lock is held for long; rows that another
 * transaction has locked are left for the next run. `rows` is the condition on a row, which is named `gone`.
 */
export function batchedDelete(table: SQL, rows: SQL): BatchedDelete {
  const batch: Statement<object, { count: number }> = statement(sql`
    with gone as (
      delete from ${table}
       where ctid = any (array(
         select gone.ctid
           from ${table} gone
          where ${rows}
          limit ${sql.raw(String(BATCH_ROWS))}
            for update skip locked
       ))
      returning 1
    )
    select count(*)::int as count
      from gone`)
  return async (tx) => {
    let total = 0
    for (;;) {
      const { count } = onlyOne(await batch(tx, {}))
      total += count
      if (count < BATCH_ROWS) return total
    }
  }
}
