import { type SQL, sql } from 'drizzle-orm'
import { foldOf } from '../sql/folding.ts'
import { webhook_attempt_changes, webhook_attempt_hours, webhook_endpoints } from '../tables/webhooks.ts'

/** The numbers of attempts that are kept, which add up. */
const COUNTS = ['succeeded', 'retried', 'bad_responses', 'timeouts', 'connection_errors', 'interrupted'] as const
/** Their columns. */
export const attemptCounts = sql.raw(COUNTS.join(', '))

/** Numbers of attempts: `retried` are among the failed ones, which the last four add up to. */
export type AttemptCounts = Record<(typeof COUNTS)[number], number>

/** Whether an attempt ended in a way, by its error code, which is null with a response; a redirect is a response. */
const causes = {
  bad_responses: sql`not a.succeeded and (a.error_code is null or a.error_code = 'redirect')`,
  timeouts: sql`a.error_code in ('connect_timeout', 'read_timeout')`,
  interrupted: sql`a.error_code = 'interrupted'`,
  connection_errors: sql`a.error_code not in ('redirect', 'connect_timeout', 'read_timeout', 'interrupted')`,
}

/**
 * Inserts what attempts add to the figures of their endpoints, in the statement that ends them: one row for each endpoint and hour,
 * which nobody waits for. Each row of `ended` has `team_id`, `endpoint_id`, `attempt_id`, `succeeded`, `is_retried`, `error_code`
 * and `latency_bucket`, which may be null.
 */
export const noteAttempts = (ended: SQL) => sql`
    insert into ${webhook_attempt_changes} (team_id, endpoint_id, hour, ${attemptCounts}, latencies)
    select a.team_id, a.endpoint_id, date_trunc('hour', uuid_extract_timestamp(a.attempt_id), 'UTC'),
           count(*) filter (where a.succeeded),
           count(*) filter (where a.is_retried),
           count(*) filter (where ${causes.bad_responses}),
           count(*) filter (where ${causes.timeouts}),
           count(*) filter (where ${causes.connection_errors}),
           count(*) filter (where ${causes.interrupted}),
           coalesce(array_agg(a.latency_bucket) filter (where a.latency_bucket is not null), '{}')
      from ${ended} a
     group by 1, 2, 3`

const sums = sql.raw(COUNTS.map((name) => `sum(c.${name})`).join(', '))
const added = sql.raw(COUNTS.map((name) => `${name} = h.${name} + excluded.${name}`).join(', '))

/** Folds changes into the figures of their hours. */
export const foldAttemptChanges = foldOf(webhook_attempt_changes, {
  hasParent: sql`exists (
             select
               from ${webhook_endpoints} e
              where e.team_id = c.team_id and e.id = c.endpoint_id
           )`,
  inserts: [
    sql`
    insert into ${webhook_attempt_hours} as h (team_id, endpoint_id, hour, ${attemptCounts}, latency_counts)
    select s.*, coalesce(l.latency_counts, '{}')
      from (
             select c.team_id, c.endpoint_id, c.hour, ${sums}
               from changes c
              group by c.team_id, c.endpoint_id, c.hour
           ) s
      left join (
             select m.team_id, m.endpoint_id, m.hour, array_agg(coalesce(n.count, 0) order by b.bucket) as latency_counts
               from (
                      select c.team_id, c.endpoint_id, c.hour, max(l.bucket) as bucket
                        from changes c
                       cross join lateral unnest(c.latencies) l (bucket)
                       group by c.team_id, c.endpoint_id, c.hour
                    ) m
              cross join lateral generate_series(0, m.bucket) b (bucket)
               left join (
                      select c.team_id, c.endpoint_id, c.hour, l.bucket, count(*)
                        from changes c
                       cross join lateral unnest(c.latencies) l (bucket)
                       group by c.team_id, c.endpoint_id, c.hour, l.bucket
                    ) n on n.team_id = m.team_id and n.endpoint_id = m.endpoint_id and n.hour = m.hour and n.bucket = b.bucket
              group by m.team_id, m.endpoint_id, m.hour
           ) l on l.team_id = s.team_id and l.endpoint_id = s.endpoint_id and l.hour = s.hour
        on conflict (team_id, endpoint_id, hour) do update
       set ${added},
           latency_counts = coalesce(
             (
               select array_agg(coalesce(u.before, 0) + coalesce(u.added, 0) order by u.bucket)
                 from unnest(h.latency_counts, excluded.latency_counts) with ordinality u (before, added, bucket)
             ),
             '{}'
           )`,
  ],
})
