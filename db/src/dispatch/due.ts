import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { plans } from '../tables/plans.ts'
import { projects } from '../tables/projects.ts'
import { teams } from '../tables/teams.ts'
import { isPendingByEndpoint, isPendingInOrder, webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'

/**
 * Due deliveries that a look reads at most, first and then. With more it goes from endpoint to endpoint, also through those that
 * only wait for a retry, so that no backlog hides another endpoint.
 */
const WALKED = [500, 10_000] as const

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
}

/** What one look found. */
export interface DueLook {
  due: DueEndpoint[]
  /** Endpoints with due deliveries to which nothing may be sent now. */
  unsendable: { team_id: string; endpoint_id: string }[]
  /** For how long the first due delivery has been due; 0 without any. */
  oldestMs: number
}

interface Found extends DueEndpoint {
  is_sendable: boolean
  /** In milliseconds. */
  due_for: number
  walked: number
}

interface Look {
  /** In milliseconds; null to look at all that is due. */
  since: number | null
  max: number
}

/**
 * Whether anything may be sent to the endpoint of a row: its record, its project, its team and the team's plan allow it.
 * `offset 0` keeps the planner from reading all endpoints into a hash table to check some.
 */
export const isSendable = (row: SQL) => sql`exists (
           select
             from ${webhook_endpoints} e
             join ${teams} t on t.id = e.team_id and t.deleted_at is null
             join ${plans} p on p.name = t.plan and 'webhooks' = any (p.features)
            where e.team_id = ${row}.team_id and e.id = ${row}.endpoint_id and e.state = 'active' and e.deleted_at is null
              and not exists (select from ${projects} j where j.team_id = e.team_id and j.id = e.project_id and j.deleted_at is not null)
           offset 0
         )`

// Beside a long reader the index keeps the entries of all that was claimed since: a lower bound passes over them.
const isDue = (p: Parameters<Look>) =>
  sql`d.next_attempt_at <= now() and d.next_attempt_at >= coalesce(now() - ${p.since}::float8 * interval '1 millisecond', '-infinity')`

const found = sql`
  select f.*, extract(epoch from now() - f.due_since)::float8 * 1000 as due_for, ${isSendable(sql`f`)} as is_sendable,
         coalesce((select e.failing_since is not null from ${webhook_endpoints} e where e.team_id = f.team_id and e.id = f.endpoint_id), false)
           as is_failing
    from found f`

const walk = statement<Look, Found>(
  (p) => sql`
  with due as materialized (
    select d.team_id, d.endpoint_id, d.next_attempt_at, d.trigger
      from ${webhook_deliveries} d
     where ${isPendingInOrder} and ${isDue(p)}
     order by d.next_attempt_at
     limit ${p.max}
  ),
  found as (
    select d.team_id, d.endpoint_id, min(d.next_attempt_at) as due_since, bool_or(d.trigger = 'test') as is_tested,
           (select count(*)::int from due) as walked
      from due d
     group by d.team_id, d.endpoint_id
  )${found}`,
)

// From one endpoint with unfinished deliveries to the next, and to the first due one of each. A test delivery is due before
// all others of its endpoint.
const walkEndpoints = statement<Look, Found>(
  (p) => sql`
  with recursive endpoint as (
    (
      select d.team_id, d.endpoint_id
        from ${webhook_deliveries} d
       where ${isPendingByEndpoint}
       order by d.team_id, d.endpoint_id
       limit 1
    )
    union all
    select next.team_id, next.endpoint_id
      from endpoint l
     cross join lateral (
       select d.team_id, d.endpoint_id
         from ${webhook_deliveries} d
        where ${isPendingByEndpoint} and (d.team_id, d.endpoint_id) > (l.team_id, l.endpoint_id)
        order by d.team_id, d.endpoint_id
        limit 1
     ) next
  ),
  found as (
    select e.team_id, e.endpoint_id, first.next_attempt_at as due_since, first.trigger = 'test' as is_tested, ${p.max}::int as walked
      from endpoint e
     cross join lateral (
       select d.next_attempt_at, d.trigger
         from ${webhook_deliveries} d
        where ${isPendingByEndpoint} and d.team_id = e.team_id and d.endpoint_id = e.endpoint_id and ${isDue(p)}
        order by d.next_attempt_at
        limit 1
     ) first
  )${found}`,
)

/**
 * Finds the endpoints with deliveries due by the database's clock. `sinceMs` leaves out what has been due for longer; all that
 * is due unless given.
 */
export async function findDueEndpoints(tx: Tx, { sinceMs: since = null }: { sinceMs?: number | null } = {}): Promise<DueLook> {
  const rows = await findRows(tx, since)
  return {
    due: rows.filter(({ is_sendable }) => is_sendable),
    unsendable: rows.filter(({ is_sendable }) => !is_sendable).map(({ team_id, endpoint_id }) => ({ team_id, endpoint_id })),
    oldestMs: Math.max(0, ...rows.map(({ due_for }) => due_for)),
  }
}

async function findRows(tx: Tx, since: number | null): Promise<Found[]> {
  for (const max of WALKED) {
    const rows = await walk(tx, { since, max })
    if ((rows[0]?.walked ?? 0) < max) return rows
  }
  return walkEndpoints(tx, { since, max: WALKED[1] })
}
