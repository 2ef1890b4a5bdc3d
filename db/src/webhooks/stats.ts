import { sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
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

type Values = Hours & { team_id: string; webhook_ids: string[]; max_pending: number }

/** An hour's figures, the codes of attempts that are not folded into them yet, or nulls if there are neither. */
type StatsRow = Pick<EndpointStats, 'pending' | 'oldest_due_at'> & { endpoint_id: string } & (
    | (AttemptFigures & { hour: string; codes: null })
    | { hour: string; codes: number[] }
    | { hour: null }
  )

const isAsked = (p: Parameters<Values>) =>
  sql`team_id = e.team_id and endpoint_id = e.endpoint_id and hour >= ${p.from}::timestamptz and hour < ${p.to}::timestamptz`
const ofEndpoint = sql`d.team_id = e.team_id and d.endpoint_id = e.id`

// The figures are read in one statement with the changes, so each is seen once (db/src/sql/folding.ts). The oldest due delivery is
// the first entry of its index; pending ones are counted along the primary key.
const read = statement<Values, StatsRow>(
  (p) => sql`
  with endpoint as materialized (
    select e.team_id, e.id as endpoint_id,
           (
             select count(*)::int
               from (
                      select
                        from ${webhook_deliveries} d
                       where ${ofEndpoint} and d.state = 'pending'
                       limit ${p.max_pending}
                    ) d
           ) as pending,
           (
             select d.next_attempt_at
               from ${webhook_deliveries} d
              where ${isPendingByEndpoint} and ${ofEndpoint} and d.next_attempt_at <= now() and e.state = 'active'
              order by d.next_attempt_at
              limit 1
           ) as oldest_due_at
      from ${webhook_endpoints} e
     where e.team_id = ${p.team_id} and e.id = any (${p.webhook_ids}::uuid[]) and e.deleted_at is null
  )
  select e.*, f.*
    from endpoint e
    left join lateral (
           select hour, ${attemptCounts}, latency_counts, null::int[] as codes
             from ${webhook_attempt_hours}
            where ${isAsked(p)}
            union all
           select hour, ${noCounts}, null, codes::int[]
             from ${webhook_attempt_changes}
            where ${isAsked(p)}
         ) f on true`,
)

/** Reads the figures of endpoints for a range of hours, by their ids. Those that do not exist are left out. */
export async function readEndpointStats(
  tx: Tx,
  endpoints: { team_id: string; webhook_ids: string[] },
  { from, to }: Hours,
): Promise<Map<string, EndpointStats>> {
  const found = new Map<string, EndpointStats>()
  for (const row of await read(tx, { ...endpoints, from, to, max_pending: sizes.countedDeliveries })) {
    const { endpoint_id, pending, oldest_due_at } = row
    const stats = found.get(endpoint_id) ?? { hours: new Map(), pending, oldest_due_at: toTimestamp(oldest_due_at) }
    found.set(endpoint_id, stats)
    if (row.hour === null) continue
    const hour = toTimestamp(row.hour)
    const figures = stats.hours.get(hour) ?? noAttempts()
    addAttempts(figures, row.codes === null ? row : figuresOfCodes(row.codes))
    stats.hours.set(hour, figures)
  }
  return found
}
