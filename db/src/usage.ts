import { monthlyQuotas, type Plan, plans, type Quota, quotaNames } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/tx.ts'
import { type ExistingQuota, existing, type QuotaStatus } from './quotas.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { toTimestamp } from './sql/timestamps.ts'
import { quota_usage } from './tables/quotas.ts'
import { teams } from './tables/teams.ts'

export interface Usage {
  plan: Plan
  quotas: (QuotaStatus & { quota: Quota })[]
}

type UsageRow = Record<ExistingQuota, number> & { plan: Plan; used_this_month: Partial<Record<Quota, number>>; next_month: string }

const find = statement<{ team_id: string }, UsageRow>(
  (p) => sql`
  select t.plan,
         ${existing.projects(p.team_id)} as projects,
         ${existing.webhook_endpoints(p.team_id)} as webhook_endpoints,
         ${existing.members(p.team_id)} as members,
         coalesce(
           (
             select jsonb_object_agg(q.quota, q.used)
               from (
                      select u.quota, sum(u.used)::int as used
                        from ${quota_usage} u
                       where u.team_id = t.id and u.period = month.first
                       group by u.quota
                    ) q
           ),
           '{}'
         ) as used_this_month,
         (month.first + interval '1 month') at time zone 'UTC' as next_month
    from ${teams} t
   cross join (select date_trunc('month', now() at time zone 'UTC')::date as first) month
   where t.id = ${p.team_id} and t.deleted_at is null`,
)

/** Returns what a team uses of each quota of its plan, in the order of their names. */
export async function readUsage(tx: Tx, team_id: string): Promise<Usage> {
  const row = (await find(tx, { team_id }))[0] ?? notFound()
  return { plan: row.plan, quotas: quotaNames.toSorted().map((quota) => statusOf(row, quota)) }
}

function statusOf(row: UsageRow, quota: Quota): Usage['quotas'][number] {
  const limit = plans[row.plan].quotas[quota]
  return monthlyQuotas.includes(quota)
    ? { quota, limit, used: row.used_this_month[quota] ?? 0, resets_at: toTimestamp(row.next_month) }
    : { quota, limit, used: row[quota as ExistingQuota], resets_at: null }
}
