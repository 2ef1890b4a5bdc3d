import { sizes } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, walkOf } from '../sql/bounded-list.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
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

type Values = Hours & { team_id: string; max_pending: number }

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
const figuresOf = (p: Parameters<Values>, isWanted: SQL) => sql`
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
     where e.team_id = ${p.team_id} and e.deleted_at is null and ${isWanted}
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
         ) f on true`

const read = statement<Values & { webhook_id: string }, StatsRow>((p) => figuresOf(p, sql`e.id = ${p.webhook_id}`))

// The page of `listWebhooks`.
const readPage = statement<Values & PageBounds, StatsRow>((p) => {
  const walk = walkOf(sql`from ${webhook_endpoints} s where s.team_id = ${p.team_id} and s.deleted_at is null`, sql`s.id`, undefined)
  return figuresOf(p, sql`e.id = any (array(${indexedList(walk, sql`s.id`)}))`)
})

/** Reads the figures of an endpoint for a range of hours; null if it does not exist. */
export async function readEndpointStats(
  tx: Tx,
  ref: { team_id: string; webhook_id: string },
  { from, to }: Hours,
): Promise<EndpointStats | null> {
  const found = gathered(await read(tx, { ...ref, from, to, max_pending: sizes.countedDeliveries }))
  return found.get(ref.webhook_id) ?? null
}

/** Lists the figures of the endpoints of a team for a range of hours, newest endpoint first. */
export async function listEndpointStats<Item>(
  tx: Tx,
  { team_id, from, to, ...query }: PageQuery & Hours & { team_id: string },
  present: (id: string, stats: EndpointStats) => Item,
): Promise<Page<Item>> {
  const rows = await readPage(tx, { team_id, from, to, max_pending: sizes.countedDeliveries, ...pageBounds(query) })
  const found = [...gathered(rows)].map(([id, stats]) => ({ id, stats })).sort((one, other) => (one.id < other.id ? 1 : -1))
  return pageOf(found, query.limit, ({ id, stats }) => present(id, stats))
}

function gathered(rows: readonly StatsRow[]): Map<string, EndpointStats> {
  const found = new Map<string, EndpointStats>()
  for (const row of rows) {
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
