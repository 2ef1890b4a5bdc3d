import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'

const { placeholder } = sql

const number = statement<{ days: number; max: number }, { numbered: number }>(sql`
  select number_events(now() - ${placeholder('days')}::int * interval '1 day', ${placeholder('max')}::int) as numbered`)

/**
 * Gives committed events their place in the change feed, up to `max` of those of the last `days`; fewer days, fewer
 * partitions to look into. Returns how many it numbered: none also when another worker is at it.
 */
export async function numberEvents(tx: Tx, { days, max }: { days: number; max: number }): Promise<number> {
  return onlyOne(await number(tx, { days, max })).numbered
}
