import type { Database } from '@earshot/db'

/** Sets what a team has used of its submissions this month. */
export async function setUsed({ run }: Pick<Database, 'run'>, teamId: string, used: number): Promise<void> {
  await run("delete from quota_usage where team_id = $1 and quota = 'submissions'", [teamId])
  await run(
    `insert into quota_usage (team_id, quota, period, used)
     values ($1, 'submissions', date_trunc('month', now() at time zone 'UTC')::date, $2::int)`,
    [teamId, used],
  )
}
