import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { teams } from '../tables/teams.ts'
import { webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'

/** What waits to be done, for those who watch over the service. */
export interface Backlog {
  /** Deliveries with an attempt to come, due or not, those of paused endpoints included. */
  pending: number
  /** Deliveries that a worker has in hand. */
  sending: number
  /** Pending deliveries that could be sent now. */
  due: number
  /** For how long the oldest of those has been due, in seconds; 0 when none is. */
  oldest_due_seconds: number
}

// Both counts walk an index that holds nothing but what is unfinished.
const read = statement<object, Backlog>(sql`
  select pending.*, sending.*
    from (
      select count(*)::int as pending,
             (count(*) filter (where is_due))::int as due,
             coalesce(extract(epoch from now() - min(d.next_attempt_at) filter (where is_due)), 0)::float8 as oldest_due_seconds
        from ${webhook_deliveries} d
        join ${webhook_endpoints} e on e.id = d.endpoint_id and e.team_id = d.team_id
        join ${teams} t on t.id = e.team_id
       cross join lateral (
         select d.next_attempt_at <= now() and e.state = 'active' and e.deleted_at is null and t.deleted_at is null as is_due
       ) judged
       where d.state = 'pending'
    ) pending
   cross join (
     select count(*)::int as sending
       from ${webhook_deliveries}
      where state = 'sending'
   ) sending`)

export async function readBacklog(tx: Tx): Promise<Backlog> {
  return onlyOne(await read(tx, {}))
}

const readStored = statement<object, { state: string; stored: number }>(sql`
  select *
    from stored_deliveries()`)

/** About how many deliveries are kept, by state, as PostgreSQL last looked; empty before it has. */
export async function readStoredDeliveries(tx: Tx): Promise<{ state: string; stored: number }[]> {
  return readStored(tx, {})
}

/** Jobs of one kind in the queue, by what they wait for. */
export interface QueueDepth {
  task: string
  /** Could run now. */
  ready: number
  /** A worker has it in hand. */
  running: number
  /** Has a time of its own, or was tried and waits for the next try. */
  waiting: number
  /** Was tried as often as it may be. */
  given_up: number
  /** For how long the oldest ready one could have run, in seconds. */
  oldest_ready_seconds: number
}

const readQueue = statement<object, QueueDepth>(sql`
  select *
    from queue_depths()`)

/** The kinds of jobs that are in the queue at all. */
export async function readQueueDepths(tx: Tx): Promise<QueueDepth[]> {
  return readQueue(tx, {})
}
