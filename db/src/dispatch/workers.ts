import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries, webhook_workers } from '../tables/webhooks.ts'
import { LOST, LOST_AND_RETRIED } from '../webhooks/attempt-codes.ts'
import { noteAttempts } from '../webhooks/attempt-figures.ts'
import { LEASE_SECONDS } from './claim.ts'
import { type AttemptBounds, inTheirPartitions, ofDeliveries } from './complete.ts'
import { emitExhausted } from './exhausted.ts'
import { insertHistory } from './history.ts'

/** The class of the advisory locks that show that a worker lives; the second number is the worker's id. */
const LOCK_CLASS = 0x45415253

const lockClass = sql.raw(String(LOCK_CLASS))

const isFresh = (worker: SQL) => sql`${worker}.seen_at >= now() - interval '3 seconds'`

// Whether heartbeats went on long enough over one connection. When the database is back, each living worker sends its next
// heartbeat within three seconds (`worker-liveness.ts`). A worker that has just started used the database for a while before.
const isLongEnough = (witness: SQL, end: SQL) => sql`${end} - ${witness}.steady_since > case
             when ${witness}.steady_since < ${witness}.started_at + interval '1 second' then interval '1 second'
             else interval '3 seconds'
           end`

// A worker is dead when its lock is gone, its heartbeat is old, and it could have sent the next one. The lock alone proves
// nothing: a restart of PostgreSQL drops all. Nor does the heartbeat: a stalled process sends none. Nor do both: the database
// may have been unreachable. A witness proves that it was reachable: either the worker that runs this statement, when its own
// heartbeats have come for long enough, or a third worker whose heartbeats went on for three seconds after the last of the
// dead one. The statement itself reads them, for it may have waited for the database too. No worker declares itself dead.
const isDead = (worker: SQL, p: Parameters<{ worker_id: number }>) => sql`(
  ${worker}.id <> ${p.worker_id}
  and not ${isFresh(worker)}
  and exists (
    select
      from ${webhook_workers} witness
     where witness.id <> ${worker}.id
       and (
         witness.id = ${p.worker_id} and ${isFresh(sql`witness`)} and ${isLongEnough(sql`witness`, sql`now()`)}
         or witness.seen_at >= ${worker}.seen_at + interval '3 seconds'
            and (witness.steady_since < ${worker}.seen_at or ${isLongEnough(sql`witness`, sql`witness.seen_at`)})
       ))
  and not exists (
    select
      from pg_locks l
     where l.locktype = 'advisory' and l.classid = ${lockClass} and l.objid::int = ${worker}.id and l.objsubid = 2 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())))`

// An interrupted attempt counts, so that no receiver gets more attempts than promised. A test delivery has one attempt only.
const hasAttemptsLeft = (p: Parameters<Sweep>) => sql`(d.attempt_count < ${p.max_attempts}::int and d.trigger <> 'test')`

const register = statement<{ job_pool_id: string | null }, { id: number }>(
  (p) => sql`
  insert into ${webhook_workers} (job_pool_id)
  values (${p.job_pool_id})
  returning id`,
)

export async function registerWorker(tx: Tx, { jobPoolId }: { jobPoolId: string | null }): Promise<number> {
  return onlyOne(await register(tx, { job_pool_id: jobPoolId })).id
}

// A new connection does not hold the lock yet. If the old backend still holds it, the next heartbeat tries again.
const heartbeat = statement<
  { worker_id: number; backend_pid: number; is_idle: boolean },
  { backend_pid: number; seen_at: string; needs_sweep: boolean }
>(
  (p) => sql`
  update ${webhook_workers} w
     set seen_at = now(),
         is_idle = ${p.is_idle},
         steady_since = case
           when pg_backend_pid() = ${p.backend_pid}::int and ${isFresh(sql`w`)} and w.steady_since > pg_postmaster_start_time() then w.steady_since
           else now()
         end
   where id = ${p.worker_id}
  returning case
    when pg_backend_pid() = ${p.backend_pid}::int then pg_backend_pid()
    when pg_try_advisory_lock(${lockClass}, ${p.worker_id}::int) then pg_backend_pid()
    else 0
  end as backend_pid, seen_at,
  exists (select from ${webhook_workers} o where o.id <> w.id) or exists (select from ${webhook_deliveries} d where d.state = 'sending')
    as needs_sweep`,
)

/** What a heartbeat found. */
export interface Heartbeat {
  /** The backend that holds the worker's lock; 0 while none does. */
  backendPid: number
  /** On the database's clock. */
  seenAt: string
  /** Whether there can be something to sweep: other workers, or claimed deliveries. */
  needsSweep: boolean
}

/**
 * Records a heartbeat over the connection that holds the worker's lock. `backendPid` is what the last heartbeat returned, at
 * first 0; an idle worker is notified of work. Returns null when another worker took this one for dead: then it needs a new id.
 */
export async function recordHeartbeat(
  lockConnection: Tx,
  { workerId, backendPid, isIdle }: { workerId: number; backendPid: number; isIdle: boolean },
): Promise<Heartbeat | null> {
  const [row] = await heartbeat(lockConnection, { worker_id: workerId, backend_pid: backendPid, is_idle: isIdle })
  return row ? { backendPid: row.backend_pid, seenAt: row.seen_at, needsSweep: row.needs_sweep } : null
}

interface Search {
  worker_id: number
  held: string
  held_at: string
}

type Sweep = Search & AttemptBounds & { max_attempts: number }

// Deliveries of dead workers, those past their lease, and those claimed for this worker by a statement whose result never
// arrived; but none that this process holds.
const isLost = (p: Parameters<Search>) => sql`
       d.state = 'sending'
       and d.attempt_id <> all (array(select id::uuid from jsonb_array_elements_text(${p.held}::jsonb) as held (id)))
       and (
         d.worker_id <> all (array(select w.id from ${webhook_workers} w where not ${isDead(sql`w`, p)}))
         or d.lease_until < now()
         or d.worker_id = ${p.worker_id}
            and d.lease_until < ${p.held_at}::timestamptz + interval '75 seconds'
       )`

const findLost = statement<Search, { first: string | null; last: string | null }>(
  (p) => sql`
  select (array_agg(d.attempt_id order by d.attempt_id))[1] as first, (array_agg(d.attempt_id order by d.attempt_id desc))[1] as last
    from ${webhook_deliveries} d
   where ${isLost(p)}`,
)

// Locked in order of id; those that another sweep has locked are skipped. Attempts are found as where results are written, by
// their delivery and between bounds; what was lost since the bounds were read is left to the next sweep. What is sent again is
// due since it was claimed, so it goes before what came meanwhile.
const sweep = statement<Sweep, { delivery_id: string }>(
  (p) => sql`
  with lost as materialized (
    select d.ctid as place, d.team_id, d.id as delivery_id, d.attempt_count, ${hasAttemptsLeft(p)} as has_attempts_left
      from ${webhook_deliveries} d
     where ${isLost(p)}
       and d.attempt_id between ${p.first}::uuid and ${p.last}::uuid
     order by d.id
     limit 1000
       for update skip locked
  ),
  recorded as (
    update ${webhook_attempts} t
       set error_code = 'interrupted', error_detail = 'The worker stopped or lost its lease before the result was written.',
           finished_at = now()
      from lost l
     where t.team_id = l.team_id and t.delivery_id = l.delivery_id and t.number = l.attempt_count and ${inTheirPartitions(p)}
       and ${ofDeliveries(sql`lost`)}
       and t.finished_at is null
    returning t.team_id, t.endpoint_id, t.id as attempt_id,
              (case when l.has_attempts_left then ${sql.raw(String(LOST_AND_RETRIED))} else ${sql.raw(String(LOST))} end)::smallint as code
  ),
  noted as (${noteAttempts(sql`recorded`)}
  ),
  returned as (
    update ${webhook_deliveries}
       set state = 'pending', next_attempt_at = least(now(), lease_until - ${sql.raw(`interval '${LEASE_SECONDS} seconds'`)}),
           worker_id = null, lease_until = null, updated_at = now()
     where ctid = any (array(select place from lost where has_attempts_left))
  ),
  failed as (
    delete from ${webhook_deliveries}
     where ctid = any (array(select place from lost where not has_attempts_left))
    returning *, 'failed' as last_state
  ),
  kept as (${insertHistory(sql`failed`)}
  ),${emitExhausted(sql`(
      select *, null::int as status_code, 'interrupted' as error_code
        from failed
    )`)}
  select delivery_id
    from lost
   cross join emitted`,
)

/**
 * Hands back the deliveries of dead workers. `held` are the attempts in flight in this one, at `heldAt` or later on the
 * database's clock: what it claims while the statement waits for the database is not among them. Returns how many it found.
 */
export async function sweepDeliveries(
  tx: Tx,
  { workerId, held, heldAt, maxAttempts }: { workerId: number; held: readonly string[]; heldAt: string; maxAttempts: number },
): Promise<number> {
  const search = { worker_id: workerId, held: JSON.stringify(held), held_at: heldAt }
  // Nearly every sweep ends here.
  const { first, last } = onlyOne(await findLost(tx, search))
  if (first === null || last === null) return 0
  return (await sweep(tx, { ...search, first, last, max_attempts: maxAttempts })).length
}

// Dead, and all its deliveries are handed back.
const isForgettable = (p: Parameters<{ worker_id: number }>) => sql`${isDead(sql`w`, p)}
         and not exists (select from ${webhook_deliveries} d where d.state = 'sending' and d.worker_id = w.id)`

const findForgettable = statement<{ worker_id: number }, { exist: boolean }>(
  (p) => sql`
  select exists (
           select
             from ${webhook_workers} w
            where ${isForgettable(p)}
         ) as exist`,
)

const removeForgettable = statement<{ worker_id: number }, { job_pool_id: string | null }>(
  (p) => sql`
  delete from ${webhook_workers} w
   where ${isForgettable(p)}
  returning w.job_pool_id`,
)

const freeJobs = statement<{ job_pool_ids: string[] }, never>(
  (p) => sql`
  select free_jobs(${p.job_pool_ids}::text[])`,
)

/** Removes workers that this one finds dead, once their deliveries are all handed back, and frees their jobs. Returns how many it removed. */
export async function forgetDeadWorkers(tx: Tx, workerId: number): Promise<number> {
  // Nearly every sweep ends here, without a transaction.
  if (!onlyOne(await findForgettable(tx, { worker_id: workerId })).exist) return 0
  return transaction(tx, async (tx) => {
    const removed = await removeForgettable(tx, { worker_id: workerId })
    await freeJobs(tx, { job_pool_ids: removed.flatMap(({ job_pool_id }) => job_pool_id ?? []) })
    return removed.length
  })
}

const remove = statement<{ worker_id: number }, never>(
  (p) => sql`
  delete from ${webhook_workers}
   where id = ${p.worker_id}`,
)

/** Removes a worker that has nothing in flight. */
export async function removeWorker(tx: Tx, workerId: number): Promise<void> {
  await remove(tx, { worker_id: workerId })
}
