import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { teams } from '../tables/teams.ts'
import { videos } from '../tables/videos.ts'
import { webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'

/** Unfinished deliveries, for monitoring. */
export interface Backlog {
  /** Deliveries with another attempt to come, due or not, those of paused endpoints included. */
  pending: number
  /** Deliveries that a worker is sending. */
  sending: number
  /** Pending deliveries that could be sent now; without those of endpoints with a limit, which wait as they are meant to. */
  due: number
  /** How long the oldest of those has been due, in seconds; 0 without any. */
  oldest_due_seconds: number
}

// Both counts walk a partial index that holds unfinished deliveries only.
const read = statement<Record<never, never>, Backlog>(sql`
  select pending.*, sending.*
    from (
      select count(*)::int as pending,
             (count(*) filter (where is_due))::int as due,
             coalesce(extract(epoch from now() - min(d.next_attempt_at) filter (where is_due)), 0)::float8 as oldest_due_seconds
        from ${webhook_deliveries} d
        join ${webhook_endpoints} e on e.id = d.endpoint_id and e.team_id = d.team_id
        join ${teams} t on t.id = e.team_id
       cross join lateral (
         select d.next_attempt_at <= now() and e.state = 'active' and e.deleted_at is null and t.deleted_at is null
                and e.max_per_second is null as is_due
       ) due
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

const readStored = statement<Record<never, never>, { state: string; stored: number }>(sql`
  select *
    from stored_deliveries()`)

/** Returns about how many deliveries are stored, by state, from PostgreSQL's last statistics; empty before it has any. */
export async function readStoredDeliveries(tx: Tx): Promise<{ state: string; stored: number }[]> {
  return readStored(tx, {})
}

/** Jobs of one kind in the queue. */
export interface QueueDepth {
  task: string
  /** Jobs that could run now. */
  ready: number
  /** Jobs that a worker is running. */
  running: number
  /** Jobs with a later time of their own, or that wait for another try. */
  waiting: number
  /** Jobs that used up their tries. */
  given_up: number
  /** How long the oldest ready job has been ready, in seconds. */
  oldest_ready_seconds: number
}

const readQueue = statement<Record<never, never>, QueueDepth>(sql`
  select *
    from queue_depths()`)

/** Returns the depth of the queue for each kind of job in it. */
export async function readQueueDepths(tx: Tx): Promise<QueueDepth[]> {
  return readQueue(tx, {})
}

/** Videos that wait for a transcode. */
export interface WaitingVideos {
  waiting: number
  /** How long the oldest of them has waited, in seconds; 0 without any. */
  oldest_seconds: number
}

const readVideos = statement<Record<never, never>, WaitingVideos>(sql`
  select count(*)::int as waiting, coalesce(extract(epoch from now() - min(v.uploaded_at)), 0)::float8 as oldest_seconds
    from ${videos} v
   where v.state = 'uploaded' and v.deleted_at is null`)

export async function readWaitingVideos(tx: Tx): Promise<WaitingVideos> {
  return onlyOne(await readVideos(tx, {}))
}
