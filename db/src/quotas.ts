import { ApiError, type Plan, plans, type Quota } from '@earshot/contracts'
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Tx } from './driver/tx.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement, statementsByKey } from './sql/statement.ts'
import { toTimestamp } from './sql/timestamps.ts'
import { invitations } from './tables/invitations.ts'
import { memberships } from './tables/members.ts'
import { projects } from './tables/projects.ts'
import { quota_usage } from './tables/quotas.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'
import { webhook_endpoints } from './tables/webhooks.ts'

/** Where a team, or a user who creates teams, stands in a quota. */
export interface QuotaStatus {
  quota: Quota | 'teams' | 'replay_deliveries'
  limit: number
  used: number
  /** When a monthly quota begins anew; null for quotas that count what exists. */
  resets_at: string | null
}

/** The refusal of everything that a quota bounds. */
export function quotaExceeded(status: QuotaStatus): ApiError {
  return new ApiError('quota_exceeded', { ...status })
}

/** Quotas that count what exists, each with its count. */
export const existing = {
  projects: (team: Placeholder) => sql`(select count(*)::int from ${projects} where team_id = ${team} and deleted_at is null)`,
  webhook_endpoints: (team: Placeholder) =>
    sql`(select count(*)::int from ${webhook_endpoints} where team_id = ${team} and deleted_at is null)`,
  // A pending invitation takes a place, so that there is one when it is accepted.
  members: (team: Placeholder) => sql`(
           (select count(*)::int from ${memberships} where team_id = ${team})
           + (select count(*)::int from ${invitations} where team_id = ${team} and state = 'pending' and expires_at > now())
         )`,
} satisfies Partial<Record<Quota, (team: Placeholder) => SQL>>
export type ExistingQuota = keyof typeof existing

const lockTeam = statement<{ team_id: string }, { plan: Plan }>(
  (p) => sql`
  select plan
    from ${teams}
   where id = ${p.team_id} and deleted_at is null
     for no key update`,
)

/** Locks a team's row until the end of the transaction and returns its plan. Throws `not_found`. */
export async function lockPlan(tx: Tx, team_id: string): Promise<Plan> {
  return ((await lockTeam(tx, { team_id }))[0] ?? notFound()).plan
}

const count = statementsByKey<{ team_id: string }, { used: number }>(
  (quota, p) => sql`
  select ${existing[quota as ExistingQuota](p.team_id)} as used`,
)

/**
 * Throws `quota_exceeded` when the team's plan allows no more. The team's row is locked, so that of ten callers at once
 * exactly one gets the last place; the count is a statement of its own, so that it sees what committed during the wait.
 */
export async function requireQuota(tx: Tx, team_id: string, quota: ExistingQuota): Promise<void> {
  const limit = plans[await lockPlan(tx, team_id)].quotas[quota]
  const { used } = onlyOne(await count(quota)(tx, { team_id }))
  if (used >= limit) throw quotaExceeded({ quota, limit, used, resets_at: null })
}

const lockUser = statement<{ userId: string }, { id: string }>(
  (p) => sql`
  select id
    from ${users}
   where id = ${p.userId}
     for no key update`,
)

const countTeams = statement<{ userId: string }, { used: number }>(
  (p) => sql`
  select count(*)::int as used
    from ${teams}
   where created_by = ${p.userId} and deleted_at is null`,
)

/** Throws `quota_exceeded` for a user who created `max` teams. The user's row is locked, so that parallel callers are counted exactly. */
export async function requireTeamQuota(tx: Tx, userId: string, max: number): Promise<void> {
  await lockUser(tx, { userId })
  const { used } = onlyOne(await countTeams(tx, { userId }))
  if (used >= max) throw quotaExceeded({ quota: 'teams', limit: max, used, resets_at: null })
}

const consume = statement<
  { team_id: string; quota: Quota; units: number },
  { granted: number; used: number; max: number; resets_at: string }
>(
  (p) => sql`
  select *
    from consume_quota(${p.team_id}::uuid, ${p.quota}::text, ${p.units}::int)`,
)

/**
 * Uses up one unit of a monthly quota. Throws `quota_exceeded`. Call it last in a transaction: all writers of a team meet at
 * the quota's row, so it is locked for the shortest time.
 */
export async function consumeQuota(tx: Tx, team_id: string, quota: Quota): Promise<void> {
  const { granted, used, max, resets_at } = onlyOne(await consume(tx, { team_id, quota, units: 1 }))
  if (granted === 0) throw quotaExceeded({ quota, limit: max, used, resets_at: toTimestamp(resets_at) })
}

/** Uses up as many units of a monthly quota as are left, at most `units`, and returns how many. Call it last, too. */
export async function consumeUnits(tx: Tx, team_id: string, quota: Quota, units: number): Promise<number> {
  return onlyOne(await consume(tx, { team_id, quota, units })).granted
}

// Stripes are charged by the connection that owns them; units that come back stand in a row of their own, below zero.
const giveBack = statement<{ team_id: string; quota: Quota; units: number }, { used: number }>(
  (p) => sql`
  update ${quota_usage}
     set used = used - ${p.units}::int
   where team_id = ${p.team_id} and quota = ${p.quota} and period = date_trunc('month', now() at time zone 'UTC')::date and stripe = -1
  returning used`,
)

const giveBackFirst = statement<{ team_id: string; quota: Quota; units: number }, never>(
  (p) => sql`
  insert into ${quota_usage} (team_id, quota, period, stripe, used)
  values (${p.team_id}, ${p.quota}, date_trunc('month', now() at time zone 'UTC')::date, -1, -${p.units}::int)`,
)

/** Gives back units that were used up this month. The team's row is locked, so that parallel callers change one row. */
export async function returnUnits(tx: Tx, team_id: string, quota: Quota, units: number): Promise<void> {
  await lockPlan(tx, team_id)
  const [row] = await giveBack(tx, { team_id, quota, units })
  if (!row) await giveBackFirst(tx, { team_id, quota, units })
}
