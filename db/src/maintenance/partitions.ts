import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Database, Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { feed_late_days } from '../tables/events.ts'

const DAYS_AHEAD = 7

/** Tables in daily partitions, and how many days they are kept. */
const KEPT_DAYS = {
  events: durations.eventDays,
  feed_positions: durations.eventDays,
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

/** Creates today's partitions and those of the next days; without them nothing can be written. Part of every start. */
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

/**
 * Drops partitions older than their days. Detaches them concurrently first: dropping an attached partition would block
 * every writer behind one long reader. `owner` is a pool of the tables' owner; no statement here may run in a transaction.
 */
export async function dropPastPartitions(owner: Database): Promise<string[]> {
  const dropped: string[] = []
  for (const [table, days] of Object.entries(KEPT_DAYS)) {
    for (const { name, state } of await findPast(owner, { table, days })) {
      if (state !== 'detached')
        await owner.run(`alter table ${table} detach partition ${name} ${state === 'attached' ? 'concurrently' : 'finalize'}`, [])
      await owner.run(`drop table ${name}`, [])
      dropped.push(name)
    }
  }
  return dropped
}
