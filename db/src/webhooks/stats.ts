import { sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import {
  isPendingByEndpoint,
  webhook_attempt_changes,
  webhook_attempt_hours,
  webhook_deliveries,
  webhook_endpoints,
} from '../tables/webhooks.ts'
import { type AttemptCounts, attemptCounts } from './attempt-figures.ts'
import type { WebhookRef } from './endpoints.ts'

/** Figures of attempts, and how many are in each bucket of durations. */
export interface AttemptFigures extends AttemptCounts {
  latency_counts: number[]
}

/** The figures of an endpoint: by hour, for the hours with attempts alone, and what waits now. */
export interface EndpointStats {
  hours: Map<string, AttemptFigures>
  pending: number
  oldest_due_at: string | null
}

/** Full hours. */
interface Hours {
  from: string
  /** Exclusive. */
  to: string
}

type Values = WebhookRef & Hours & { max_pending: number }

/** An hour's figures, what is not folded into them yet, or nulls if there are neither. */
type StatsRow = Pick<EndpointStats, 'pending' | 'oldest_due_at'> &
  (
    | (AttemptCounts & { hour: string } & ({ latency_counts: number[]; latencies: null } | { latency_counts: null; latencies: number[] }))
    | { hour: null }
  )

const isAsked = (p: Parameters<Values>) =>
  sql`team_id = ${p.team_id} and endpoint_id = ${p.webhook_id} and hour >= ${p.from}::timestamptz and hour < ${p.to}::timestamptz`
const ofEndpoint = (p: Parameters<Values>) => sql`d.team_id = ${p.team_id} and d.endpoint_id = ${p.webhook_id}`

// The figures are read in one statement with the changes, so each is seen once (db/src/sql/folding.ts). The oldest due delivery is
// the first entry of its index; pending ones are counted along the primary key.
const read = statement<Values, StatsRow>(
  (p) => sql`
  with endpoint as materialized (
    select e.team_id,
           (
             select count(*)::int
               from (
                      select
                        from ${webhook_deliveries} d
                       where ${ofEndpoint(p)} and d.state = 'pending'
                       limit ${p.max_pending}
                    ) d
           ) as pending,
           (
             select d.next_attempt_at
               from ${webhook_deliveries} d
              where ${isPendingByEndpoint} and ${ofEndpoint(p)} and d.next_attempt_at <= now() and e.state = 'active'
              order by d.next_attempt_at
              limit 1
           ) as oldest_due_at
      from ${webhook_endpoints} e
     where e.team_id = ${p.team_id} and e.id = ${p.webhook_id} and e.deleted_at is null
  )
  select e.*, f.*
    from endpoint e
    left join (
           select hour, ${attemptCounts}, latency_counts, null::int[] as latencies
             from ${webhook_attempt_hours}
            where ${isAsked(p)}
            union all
           select hour, ${attemptCounts}, null, latencies::int[]
             from ${webhook_attempt_changes}
            where ${isAsked(p)}
         ) f on true`,
)

/** Reads the figures of an endpoint for a range of hours. Throws `not_found`. */
export async function readEndpointStats(tx: Tx, ref: WebhookRef, { from, to }: Hours): Promise<EndpointStats> {
  const rows = await read(tx, { ...ref, from, to, max_pending: sizes.countedDeliveries })
  const [{ pending, oldest_due_at } = notFound()] = rows
  const hours: EndpointStats['hours'] = new Map()
  for (const row of rows) {
    if (row.hour === null) continue
    const hour = toTimestamp(row.hour)
    const figures = hours.get(hour) ?? noAttempts()
    addAttempts(figures, { ...row, latency_counts: row.latency_counts ?? countLatencies(row.latencies) })
    hours.set(hour, figures)
  }
  return { hours, pending, oldest_due_at: toTimestamp(oldest_due_at) }
}

/** Returns the figures of no attempts, to add others to. */
export function noAttempts(): AttemptFigures {
  return { succeeded: 0, retried: 0, bad_responses: 0, timeouts: 0, connection_errors: 0, interrupted: 0, latency_counts: [] }
}

/** Adds figures to others. */
export function addAttempts(figures: AttemptFigures, added: AttemptFigures): void {
  figures.succeeded += added.succeeded
  figures.retried += added.retried
  figures.bad_responses += added.bad_responses
  figures.timeouts += added.timeouts
  figures.connection_errors += added.connection_errors
  figures.interrupted += added.interrupted
  for (const [bucket, count] of added.latency_counts.entries()) {
    figures.latency_counts[bucket] = (figures.latency_counts[bucket] ?? 0) + count
  }
}

function countLatencies(buckets: readonly number[]): number[] {
  const counts: number[] = []
  for (const bucket of buckets) counts[bucket] = (counts[bucket] ?? 0) + 1
  return Array.from(counts, (count) => count ?? 0)
}
