import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { plans } from '../tables/plans.ts'
import { projects } from '../tables/projects.ts'
import { teams } from '../tables/teams.ts'
import { isPendingByEndpoint, isPendingInOrder, webhook_deliveries, webhook_endpoints, webhook_limits } from '../tables/webhooks.ts'

/** An endpoint with due deliveries. */
export interface DueEndpoint {
  team_id: string
  endpoint_id: string
  /** When its first due delivery was due; a claim need not look before. */
  due_since: string
  /** Its last attempt failed. */
  is_failing: boolean
  /** A test delivery is due, and somebody waits for it. */
  is_tested: boolean
  /** The most deliveries that it gets in a second; null for no limit. */
  max_per_second: number | null
  /** For how long its limit allows nothing, in milliseconds; 0 without one. */
  limited_for_ms: number
}

/** What one look found. */
export interface DueLook {
  due: DueEndpoint[]
  /** Endpoints with due deliveries to which nothing may be sent now. */
  unsendable: { team_id: string; endpoint_id: string }[]
  /** For how long the first due delivery has been due; 0 without any. */
  oldestMs: number
  /** The walk that came to its end: the next look may begin with it. */
  walk: number
}

interface Found extends DueEndpoint {
  is_sendable: boolean
  /** In milliseconds. */
  due_for: number
}

/** What a walk found: one row for each endpoint, or one alone with nulls. */
type Walked = (Found | { [Name in keyof Found]: null }) & {
  /** How many rows it passed. Fewer than its maximum: it came to the end. */
  walked: number
}

interface Look {
  /** In milliseconds; null to look at all that is due. */
  since: number | null
  max: number
}

/** Whether anything may be sent to an endpoint: its record, its project, its team and the team's plan allow it. */
export const isSendable = (endpoint: SQL) => sql`(
           ${endpoint}.state = 'active' and ${endpoint}.deleted_at is null
           and not exists (
             select
               from ${projects} j
              where j.team_id = ${endpoint}.team_id and j.id = ${endpoint}.project_id and j.deleted_at is not null
           )
           and exists (
             select
               from ${teams} t
               join ${plans} p on p.name = t.plan and 'webhooks' = any (p.features)
              where t.id = ${endpoint}.team_id and t.deleted_at is null
           )
         )`

// Beside a long reader the index keeps the entries of all that was claimed since: a lower bound passes over them.
const isDue = (p: Parameters<Look>) =>
  sql`d.next_attempt_at <= now() and d.next_attempt_at >= coalesce(now() - ${p.since}::float8 * interval '1 millisecond', '-infinity')`

const limitedForMs = sql`(
                    select greatest(0, extract(epoch from l.next_send_at - now()))::float8 * 1000
                      from ${webhook_limits} l
                     where l.team_id = e.team_id and l.endpoint_id = e.id
                  )`

/**
 * Looks closer at what was found only if the walk came to its end: otherwise another one follows. `limit 1` keeps the planner from
 * reading all endpoints into a hash table to check some.
 */
const walked = (rows: SQL, p: Parameters<Look>) => sql`
  select f.*, w.walked, extract(epoch from now() - f.due_since)::float8 * 1000 as due_for,
         coalesce(s.is_sendable, false) as is_sendable, coalesce(s.is_failing, false) as is_failing,
         s.max_per_second, coalesce(s.limited_for_ms, 0) as limited_for_ms
    from (select count(*)::int as walked from ${rows}) w
    left join lateral (select * from found where w.walked < ${p.max}::int) f on true
    left join lateral (
           select ${isSendable(sql`e`)} as is_sendable, e.failing_since is not null as is_failing, e.max_per_second,
                  case when e.max_per_second is not null then ${limitedForMs} end as limited_for_ms
             from ${webhook_endpoints} e
            where e.team_id = f.team_id and e.id = f.endpoint_id
            limit 1
         ) s on true`

/** From one due delivery to the next. */
const walkDeliveries = statement<Look, Walked>(
  (p) => sql`
  with due as materialized (
    select d.team_id, d.endpoint_id, d.next_attempt_at, d.trigger
      from ${webhook_deliveries} d
     where ${isPendingInOrder} and ${isDue(p)}
     order by d.next_attempt_at
     limit ${p.max}
  ),
  found as (
    select d.team_id, d.endpoint_id, min(d.next_attempt_at) as due_since, bool_or(d.trigger = 'test') as is_tested
      from due d
     group by d.team_id, d.endpoint_id
  )${walked(sql`due`, p)}`,
)

/**
 * From one endpoint with unfinished deliveries to the next, and to the first due one of each. A test delivery is due before all
 * others of its endpoint.
 */
const walkEndpoints = statement<Look, Walked>(
  (p) => sql`
  with recursive endpoint as (
    (
      select d.team_id, d.endpoint_id, 1 as number
        from ${webhook_deliveries} d
       where ${isPendingByEndpoint}
       order by d.team_id, d.endpoint_id
       limit 1
    )
    union all
    select next.team_id, next.endpoint_id, l.number + 1
      from endpoint l
     cross join lateral (
       select d.team_id, d.endpoint_id
         from ${webhook_deliveries} d
        where ${isPendingByEndpoint} and (d.team_id, d.endpoint_id) > (l.team_id, l.endpoint_id)
        order by d.team_id, d.endpoint_id
        limit 1
     ) next
     where l.number < ${p.max}::int
  ),
  found as (
    select e.team_id, e.endpoint_id, first.next_attempt_at as due_since, first.trigger = 'test' as is_tested
      from endpoint e
     cross join lateral (
       select d.next_attempt_at, d.trigger
         from ${webhook_deliveries} d
        where ${isPendingByEndpoint} and d.team_id = e.team_id and d.endpoint_id = e.endpoint_id and ${isDue(p)}
        order by d.next_attempt_at
        limit 1
     ) first
  )${walked(sql`endpoint`, p)}`,
)

/**
 * The walks of a look, until one comes to its end: through few deliveries; through few endpoints, which passes the backlog of one
 * in a step; through many deliveries, which passes endpoints that only wait for a retry; and through all endpoints, so that no
 * backlog hides another.
 */
const WALKS = [
  { walk: walkDeliveries, max: 500 },
  { walk: walkEndpoints, max: 200 },
  { walk: walkDeliveries, max: 10_000 },
  { walk: walkEndpoints, max: 2 ** 31 - 1 },
]

/**
 * Finds the endpoints with deliveries due by the database's clock. `sinceMs` leaves out what has been due for longer; all that
 * is due unless given. `walk` is that of an earlier look, to begin with.
 */
export async function findDueEndpoints(
  tx: Tx,
  { sinceMs: since = null, walk: first = 0 }: { sinceMs?: number | null; walk?: number } = {},
): Promise<DueLook> {
  let rows: Walked[] = []
  let ended = first
  for (const [index, { walk, max }] of WALKS.entries()) {
    if (index < first) continue
    rows = await walk(tx, { since, max })
    ended = index
    if ((rows[0]?.walked ?? 0) < max) break
  }
  const found = rows.filter((row) => row.endpoint_id !== null)
  return {
    due: found.filter(({ is_sendable }) => is_sendable),
    unsendable: found.filter(({ is_sendable }) => !is_sendable).map(({ team_id, endpoint_id }) => ({ team_id, endpoint_id })),
    oldestMs: Math.max(0, ...found.map(({ due_for }) => due_for)),
    walk: ended,
  }
}
