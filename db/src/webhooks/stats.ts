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
import { type AttemptFigures, addAttempts, figuresOfCodes, noAttempts } from './attempt-codes.ts'
import { attemptCounts, noCounts } from './attempt-figures.ts'
import type { WebhookRef } from './endpoints.ts'

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

/** An hour's figures, the codes of attempts that are not folded into them yet, or nulls if there are neither. */
type StatsRow = Pick<EndpointStats, 'pending' | 'oldest_due_at'> &
  ((AttemptFigures & { hour: string; codes: null }) | { hour: string; codes: number[] } | { hour: null })

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
           select hour, ${attemptCounts}, latency_counts, null::int[] as codes
             from ${webhook_attempt_hours}
            where ${isAsked(p)}
            union all
           select hour, ${noCounts}, null, codes::int[]
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
    addAttempts(figures, row.codes === null ? row : figuresOfCodes(row.codes))
    hours.set(hour, figures)
  }
  return { hours, pending, oldest_due_at: toTimestamp(oldest_due_at) }
}
