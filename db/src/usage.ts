import type { Plan, Quota } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { plans } from './tables/plans.ts'
import { teams } from './tables/teams.ts'

export interface UsageRow {
  plan: Plan
  quotas: { quota: Quota; limit: number; used: number; resets_at: string | null }[]
}

const { placeholder } = sql

// The month's row of a quota that rolls, else a count of what is there, as require_room() counts it.
const find = statement<{ team_id: string; monthly: string[] }, UsageRow>(sql`
  select t.plan, (
           select jsonb_agg(jsonb_build_object(
                    'quota', q.name,
                    'limit', q.value::int,
                    'used', case when q.name = any (${placeholder('monthly')}::text[])
                      then coalesce((select u.used from quota_usage u where u.team_id = t.id and u.quota = q.name and u.period = month.first), 0)
                      else room_used(t.id, q.name)
                    end,
                    'resets_at', case when q.name = any (${placeholder('monthly')}::text[])
                      then iso_timestamp((month.first + interval '1 month') at time zone 'UTC')
                    end
                  ) order by q.name)
             from jsonb_each_text(p.quotas) q (name, value),
                  (select date_trunc('month', now() at time zone 'UTC')::date as first) month
         ) as quotas
    from ${teams} t
    join ${plans} p on p.name = t.plan
   where t.id = ${placeholder('team_id')} and t.deleted_at is null`)

/** What a team uses of each quota of its plan. */
export async function readUsage(tx: Tx, team_id: string, monthly: readonly Quota[]): Promise<UsageRow> {
  return (await find(tx, { team_id, monthly: [...monthly] }))[0] ?? notFound()
}
