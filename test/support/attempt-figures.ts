import type { Database } from '@earshot/db'

const COUNTS = 'succeeded, retried, bad_responses, timeouts, connection_errors, interrupted'

/** The figures of an endpoint's hour, as they were kept or as its attempts say. */
export type HourOfAttempts = Record<string, number | string>

const READ_KEPT = `
  select endpoint_id, hour, ${COUNTS.split(', ')
    .map((name) => `sum(${name})::int as ${name}`)
    .join(', ')}, sum(durations)::int as durations
    from (
           select endpoint_id, hour, ${COUNTS}, (select coalesce(sum(n), 0) from unnest(latency_counts) n) as durations
             from webhook_attempt_hours
            union all
           select endpoint_id, hour, (outcome % 8 = 0)::int, (outcome >= 8)::int, (outcome % 8 = 1)::int, (outcome % 8 = 2)::int,
                  (outcome % 8 = 3)::int, (outcome % 8 = 4)::int, (code % 256 < 255)::int
             from webhook_attempt_changes
            cross join lateral (select code, code / 256 as outcome from unnest(codes) code) c
         ) f
   group by 1, 2
   order by 1, 2`

/** A failed attempt was the last one if its delivery ended with it. */
const READ_COUNTED = `
  select endpoint_id, date_trunc('hour', created_at, 'UTC') as hour,
         (count(*) filter (where is_success))::int as succeeded,
         (count(*) filter (where not is_success and not is_last))::int as retried,
         (count(*) filter (where not is_success and coalesce(error_code, 'redirect') = 'redirect'))::int as bad_responses,
         (count(*) filter (where error_code ~ 'timeout'))::int as timeouts,
         (count(*) filter (where error_code ~ 'dns|refused|tls|reset|protocol|blocked'))::int as connection_errors,
         (count(*) filter (where error_code = 'interrupted'))::int as interrupted,
         count(duration_ms)::int as durations
    from (
           select t.*, t.error_code is null and t.status_code between 200 and 299 as is_success,
                  exists (select from webhook_delivery_history h where h.id = t.delivery_id and h.attempt_count = t.number) as is_last
             from webhook_attempts t
            where t.finished_at is not null
         ) t
   group by 1, 2
   order by 1, 2`

/** Reads the figures that are kept, and counts the attempts that have ended, in one snapshot. */
export async function readAttemptFigures(database: Database): Promise<{ kept: HourOfAttempts[]; counted: HourOfAttempts[] }> {
  return database.transaction(async (tx) => {
    await tx.run('set transaction isolation level repeatable read', [])
    return { kept: await tx.run<HourOfAttempts>(READ_KEPT, []), counted: await tx.run<HourOfAttempts>(READ_COUNTED, []) }
  })
}
