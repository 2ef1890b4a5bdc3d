import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Database, Tx } from '../driver/database.ts'
import { isLockTimeout } from '../driver/errors.ts'
import { statement } from '../sql/statement.ts'
import { feed_late_days } from '../tables/events.ts'

const DAYS_AHEAD = 30
/** A partition that someone reads for longer is dropped by a later run. */
export const LOCK_TIMEOUT_MS = 5_000

/** Tables in daily partitions, and how many days they are kept. */
const KEPT_DAYS = {
  events: durations.eventDays,
  feed_positions: durations.eventDays,
  submission_feed: durations.eventDays,
  webhook_delivery_history: durations.deliveryDays,
  webhook_attempts: durations.attemptDays,
  audit_entries: durations.auditLogDays,
}

interface Partition {
  name: string
  state: 'attached' | 'detaching' | 'detached'
}

const ensure = statement<{ table: string; days: number }, never>(
  (p) => sql`
  select ensure_partitions(${p.table}, ${p.days}::int)`,
)

/** Creates today's partitions and those of the next 30 days. Every process does so at its start and once an hour. */
export async function ensurePartitions(tx: Tx): Promise<void> {
  for (const table of Object.keys(KEPT_DAYS)) await ensure(tx, { table, days: DAYS_AHEAD })
}

// An event that was numbered late stays as long as its position. Includes partitions that an interrupted run has detached, or half detached.
const findPast = statement<{ table: string; days: number }, Partition>(
  (p) => sql`
  select c.relname as name,
         case when i.inhparent is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end as state
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
   where c.relnamespace = 'public'::regnamespace
     and c.relkind = 'r'
     and c.relname ~ ('^' || ${p.table}::text || '_[0-9]{8}$')
     and to_date(right(c.relname, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${p.days}::int
     and not exists (
       select
         from ${feed_late_days} l
        where ${p.table}::text = 'events'
          and l.day = to_date(right(c.relname, 8), 'YYYYMMDD')
          and l.last_position >= feed_position_at(((now() at time zone 'UTC')::date - ${p.days}::int)::timestamp at time zone 'UTC')
     )
   order by c.relname`,
)

// The first day without a partition ends the count.
const readAhead = statement<Record<never, never>, { table: string; days: number }>(sql`
  select t.relname as table,
         coalesce(
           min(d.day) filter (where to_regclass(t.relname || '_' || to_char(now() at time zone 'UTC' + d.day * interval '1 day', 'YYYYMMDD')) is null),
           ${sql.raw(String(DAYS_AHEAD + 1))}
         ) - 1 as days
    from pg_partitioned_table p
    join pg_class t on t.oid = p.partrelid and t.relnamespace = 'public'::regnamespace
   cross join generate_series(0, ${sql.raw(String(DAYS_AHEAD))}) d (day)
   group by t.relname
   order by t.relname`)

/** Returns for how many days after today each table in partitions has them; -1 when it lacks that of today. */
export async function readPartitionDaysAhead(tx: Tx): Promise<{ table: string; days: number }[]> {
  return readAhead(tx, {})
}

/** What a run dropped, and the tables of which someone still reads a partition. */
export interface DroppedPartitions {
  dropped: string[]
  held: string[]
}

/**
 * Drops partitions older than their days. Detaches them concurrently first: dropping an attached partition would block
 * every writer behind one long reader. A reader is waited for five seconds unless given, and then the next table is done.
 * `owner` is a pool of one connection of the tables' owner; no statement here may run in a transaction.
 */
export async function dropPastPartitions(
  owner: Database,
  { waitMs = LOCK_TIMEOUT_MS }: { waitMs?: number } = {},
): Promise<DroppedPartitions> {
  const result: DroppedPartitions = { dropped: [], held: [] }
  await owner.run(`set lock_timeout = ${waitMs}`, [])
  for (const [table, days] of Object.entries(KEPT_DAYS)) {
    try {
      for (const { name, state } of await findPast(owner, { table, days })) {
        if (state !== 'detached')
          await owner.run(`alter table ${table} detach partition ${name} ${state === 'attached' ? 'concurrently' : 'finalize'}`, [])
        await owner.run(`drop table ${name}`, [])
        result.dropped.push(name)
      }
    } catch (error) {
      // The partition stays detached, or half detached, which nobody notices. A table can have one such partition.
      if (!isLockTimeout(error)) throw error
      result.held.push(table)
    }
  }
  return result
}
