import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Tx, transaction } from '../driver/database.ts'
import { onlyOne } from './rows.ts'
import { statement } from './statement.ts'

type None = Record<never, never>

/**
 * Returns a function that runs work on the rows that wait in a table, in a transaction, in one process at a time. It returns
 * the work's result: 0 without any work while no row waits, or while another process works.
 */
export function oneAtATime(name: string, table: PgTable): (tx: Tx, work: (tx: Tx) => Promise<number>) => Promise<number> {
  const findWaiting = statement<None, { exist: boolean }>(
    () => sql`
  select exists (
           select
             from ${table}
         ) as exist`,
  )
  // Released at the commit, when what was done is visible.
  const lock = statement<None, { is_granted: boolean }>(
    () => sql`
  select pg_try_advisory_xact_lock(hashtext(${name})) as is_granted`,
  )
  return async (tx, work) => {
    // Most polls end here, without a transaction.
    if (!onlyOne(await findWaiting(tx, {})).exist) return 0
    // The work's statements are of their own, so that their snapshots are younger than the lock and see what the last holder did.
    return transaction(tx, async (tx) => (onlyOne(await lock(tx, {})).is_granted ? work(tx) : 0))
  }
}
