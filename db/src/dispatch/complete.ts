import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'
import { attemptCodeOf } from '../webhooks/attempt-codes.ts'
import { noteAttempts } from '../webhooks/attempt-figures.ts'
import { emitExhausted } from './exhausted.ts'
import { insertHistory } from './history.ts'

/** Identifies one attempt, so that a late result of another attempt changes nothing. */
export interface AttemptRef {
  team_id: string
  endpoint_id: string
  delivery_id: string
  attempt_id: string
  number: number
}

/** The first and last id of a batch of attempts. */
export interface AttemptBounds {
  first: string
  last: string
}

/** The result of one attempt. */
export interface AttemptResult extends AttemptRef {
  succeeded: boolean
  /** The time until the next attempt; null when there is none. */
  delay_ms: number | null
  duration_ms: number
  remote_ip: string | null
  status_code: number | null
  response_headers: Record<string, string> | null
  response_body: Uint8Array | null
  response_body_truncated: boolean
  response_body_bytes: number | null
  error_code: string | null
  error_detail: string | null
}

/**
 * The deliveries of a batch that are still at this attempt and claimed: the fence against results of another attempt. Locked
 * where they are found, in one order, and written by their places: a join would read the whole table by a plan that was made
 * while it was empty. (A claimed delivery alone names its worker; naming the state would offer the planner another index.)
 */
const ours = (refs: SQL) => sql`
  ours as materialized (
    select d.ctid as place, d.id, r.*
      from (select * from ${refs} order by delivery_id) r
     cross join lateral (
       select d.ctid, d.id
         from ${webhook_deliveries} d
        where d.team_id = r.team_id and d.endpoint_id = r.endpoint_id and d.id = r.delivery_id
          and d.attempt_id = r.attempt_id and d.attempt_count = r.number and d.worker_id is not null
        limit 1
          for update
     ) d
  )`
// Attempts are partitioned by their id: bounds given as values keep the statement off all other days. A subquery with writes
// finds attempts by their delivery, never by an id that comes from a join: PostgreSQL 18 then picks partitions row by row, and
// when any part of the statement waited for a row lock, its recheck (EvalPlanQual) wrongly finds no rows.
export const inTheirPartitions = (p: Parameters<AttemptBounds>) => sql`t.id between ${p.first}::uuid and ${p.last}::uuid`

// Keeps such an update on the index of attempts by delivery: a plan that was made while a day's partition was small joins them
// by reading all of the team's.
export const ofDeliveries = (refs: SQL) => sql`
           t.team_id = any (array(select team_id from ${refs})) and t.delivery_id = any (array(select delivery_id from ${refs}))`

// An endpoint's row is written when it changes, and for successes once a second. Rows are locked in order of id, because two
// workers complete deliveries of the same endpoints at the same time. Attempts that a worker interrupted do not count.
const completion = (emitted: SQL, applied: SQL) =>
  statement<AttemptBounds & { results: string }, { delivery_id: string }>(
    (p) => sql`
  with results as materialized (
    select r.*
      from jsonb_to_recordset(${p.results}::jsonb) as r (
        position int, team_id uuid, endpoint_id uuid, delivery_id uuid, attempt_id uuid, number int, succeeded boolean,
        delay_ms float8, duration_ms int, remote_ip text, status_code smallint, response_headers jsonb, response_body text,
        response_body_truncated boolean, response_body_bytes bigint, error_code text, error_detail text,
        code smallint)
  ),
  ${ours(sql`results`)},
  finished as (
    delete from ${webhook_deliveries}
     where ctid = any (array(select place from ours where delay_ms is null))
    returning *
  ),
  kept as (${insertHistory(sql`(
      select f.*, case when o.succeeded then 'succeeded' else 'failed' end as last_state
        from finished f
        join ours o on o.delivery_id = f.id
    )`)}
  ),
  waiting as (
    update ${webhook_deliveries} d
       set state = 'pending', next_attempt_at = now() + o.delay_ms * interval '1 millisecond',
           worker_id = null, lease_until = null, updated_at = now()
      from ours o
     where d.ctid = any (array(select place from ours where delay_ms is not null)) and d.id = o.delivery_id
    returning d.id, d.trigger
  ),
  applied as materialized (
    select o.*, w.trigger in ('auto', 'replay') and o.error_code is distinct from 'interrupted' as counts
      from (select id, trigger from finished union all select id, trigger from waiting) w
      join ours o on o.delivery_id = w.id
  ),
  recorded as (
    update ${webhook_attempts} t
       set finished_at = now(), duration_ms = a.duration_ms, remote_ip = a.remote_ip, status_code = a.status_code,
           response_headers = a.response_headers, response_body = decode(a.response_body, 'base64'),
           response_body_truncated = a.response_body_truncated, response_body_bytes = a.response_body_bytes, error_code = a.error_code, error_detail = a.error_detail
      from applied a
     where t.team_id = a.team_id and t.delivery_id = a.delivery_id and t.number = a.number and ${inTheirPartitions(p)}
       and ${ofDeliveries(sql`results`)}
    returning a.team_id, a.endpoint_id, a.attempt_id, a.code
  ),
  noted as (${noteAttempts(sql`recorded`)}
  ),
  since_success as (
    select a.*, a.counts and a.position > coalesce(max(a.position) filter (where a.succeeded) over (partition by a.endpoint_id), -1) as is_since
      from applied a
  ),
  verdicts as (
    select team_id, endpoint_id, bool_or(succeeded) as succeeded, bool_or(is_since) as failing,
           count(*) filter (where is_since and not succeeded and delay_ms is null) as failures
      from since_success
     group by team_id, endpoint_id
  ),
  changed as materialized (
    select e.team_id, e.id, v.succeeded, v.failing, v.failures
      from ${webhook_endpoints} e
      join verdicts v on v.team_id = e.team_id and v.endpoint_id = e.id
     where v.failures > 0
        or v.failing and e.failing_since is null
        or v.succeeded and (
             e.consecutive_failures > 0 or e.failing_since is not null
             or e.last_success_at is null or e.last_success_at < now() - interval '1 second')
     order by e.id
       for no key update of e
  ),
  counted as (
    update ${webhook_endpoints} e
       set consecutive_failures = c.failures + case when c.succeeded then 0 else e.consecutive_failures end,
           last_success_at = case when c.succeeded then now() else e.last_success_at end,
           failing_since = case when c.failing and c.succeeded then now()
                                when c.failing then coalesce(e.failing_since, now())
                                when not c.succeeded then e.failing_since end,
           first_failed_at = case when c.failures > 0 then coalesce(case when not c.succeeded then e.first_failed_at end, now())
                                  when not c.succeeded then e.first_failed_at end,
           last_failed_at = case when c.failures > 0 then now() when not c.succeeded then e.last_failed_at end
      from changed c
     where e.team_id = c.team_id and e.id = c.id
  )${emitted}
  select delivery_id
    from ${applied}`,
  )

const complete = completion(sql``, sql`applied`)
/** For a batch with a final failure: others pay nothing for its events. */
const completeExhausted = completion(
  sql`,${emitExhausted(sql`(
        select f.*, o.status_code, o.error_code
          from finished f
          join ours o on o.delivery_id = f.id and not o.succeeded
      )`)}`,
  sql`applied cross join emitted`,
)

/**
 * Writes results, each to its delivery, its attempt and its endpoint. Returns the ids of the deliveries it changed; the other
 * results were stale and are not written.
 */
export async function completeDeliveries(tx: Tx, results: readonly AttemptResult[]): Promise<Set<string>> {
  const rows = results.map((result, position) => ({
    ...result,
    position,
    response_body: result.response_body && Buffer.from(result.response_body).toString('base64'),
    code: attemptCodeOf(result),
  }))
  const isExhausted = results.some(({ succeeded, delay_ms }) => !succeeded && delay_ms === null)
  const applied = await (isExhausted ? completeExhausted : complete)(tx, { results: JSON.stringify(rows), ...boundsOf(results) })
  return new Set(applied.map(({ delivery_id }) => delivery_id))
}

/** The deliveries of `refs` that are still at this attempt and claimed, as `ours`. */
export const ourRefs = (p: Parameters<{ refs: string }>) => sql`
  refs as materialized (
    select r.*
      from jsonb_to_recordset(${p.refs}::jsonb) as r (team_id uuid, endpoint_id uuid, delivery_id uuid, attempt_id uuid, number int)
  ),
  ${ours(sql`refs`)}`

const handBack = statement<AttemptBounds & { refs: string }, never>(
  (p) => sql`
  with ${ourRefs(p)},
  returned as (
    update ${webhook_deliveries}
       set state = 'pending', attempt_count = attempt_count - 1, attempt_id = null, next_attempt_at = now(),
           worker_id = null, lease_until = null, updated_at = now()
     where ctid = any (array(select place from ours))
    returning team_id, old.attempt_id
  )
  delete from ${webhook_attempts} t
   using returned r
   where t.team_id = r.team_id and t.id = r.attempt_id and ${inTheirPartitions(p)}`,
)

/** Hands back deliveries that were claimed and never sent, as if they had not been claimed. */
export async function handBackDeliveries(tx: Tx, refs: readonly AttemptRef[]): Promise<void> {
  if (refs.length > 0) await handBack(tx, { refs: JSON.stringify(refs), ...boundsOf(refs) })
}

/** Returns the first and last attempt id. The text of UUIDs sorts as the UUIDs do. */
export function boundsOf(refs: readonly AttemptRef[]): AttemptBounds {
  const ids = refs.map(({ attempt_id }) => attempt_id).sort()
  return { first: ids[0] ?? '', last: ids.at(-1) ?? '' }
}
