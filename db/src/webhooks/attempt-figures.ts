import { type SQL, sql } from 'drizzle-orm'
import { foldOf } from '../sql/folding.ts'
import { webhook_attempt_changes, webhook_attempt_hours, webhook_endpoints } from '../tables/webhooks.ts'
import { BUCKETS, NO_BUCKET, OUTCOMES, RETRIED } from './attempt-codes.ts'

const COUNTS = ['retried', ...OUTCOMES]

/** The columns of numbers of attempts, which add up. */
export const attemptCounts = sql.raw(COUNTS.join(', '))
/** As many nulls. */
export const noCounts = sql.raw(COUNTS.map(() => 'null').join(', '))

/**
 * Inserts what attempts add to the figures of their endpoints, in the statement that ends them: one row for each endpoint and hour,
 * which nobody waits for. Each row of `ended` has `team_id`, `endpoint_id`, `attempt_id` and its `code` (attempt-codes.ts).
 */
export const noteAttempts = (ended: SQL) => sql`
    insert into ${webhook_attempt_changes} (team_id, endpoint_id, hour, codes)
    select a.team_id, a.endpoint_id, date_bin('1 hour', uuid_extract_timestamp(a.attempt_id), 'epoch'), array_agg(a.code)
      from ${ended} a
     group by 1, 2, 3`

const outcomeCounts = sql.raw(
  [
    `count(*) filter (where o.outcome >= ${RETRIED})`,
    ...OUTCOMES.map((_name, index) => `count(*) filter (where o.outcome % ${RETRIED} = ${index})`),
  ].join(', '),
)
const added = sql.raw(COUNTS.map((name) => `${name} = h.${name} + excluded.${name}`).join(', '))
const buckets = sql.raw(String(BUCKETS))
const noBucket = sql.raw(String(NO_BUCKET))

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
    select a.team_id, a.endpoint_id, a.hour, o.*, coalesce(l.counts, '{}')
      from (
             select c.team_id, c.endpoint_id, c.hour, array_agg(u.code) as codes
               from changes c
              cross join lateral unnest(c.codes) u (code)
              group by c.team_id, c.endpoint_id, c.hour
           ) a
     cross join lateral (
             select ${outcomeCounts}
               from (select code / ${buckets} as outcome from unnest(a.codes) u (code)) o
           ) o
     cross join lateral (
             select array_agg(coalesce(n.count, 0) order by b.bucket) as counts
               from generate_series(0, (select max(code % ${buckets}) from unnest(a.codes) u (code) where code % ${buckets} <> ${noBucket})) b (bucket)
               left join (
                      select code % ${buckets} as bucket, count(*)
                        from unnest(a.codes) u (code)
                       group by 1
                    ) n on n.bucket = b.bucket
           ) l
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
