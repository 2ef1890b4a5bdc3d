import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries, webhook_workers } from '../tables/webhooks.ts'

/** The class of the advisory locks that show that a worker lives; the second number is the worker's id. */
const LOCK_CLASS = 0x45415253

const lockClass = sql.raw(String(LOCK_CLASS))

// A worker is dead when its lock is gone and its heartbeat is old. One alone proves nothing: a restart of PostgreSQL drops
// all locks, and a stalled process sends no heartbeats.
const isDead = (worker: SQL) => sql`(
  ${worker}.seen_at < now() - interval '3 seconds'
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
const heartbeat = statement<{ worker_id: number; backend_pid: number }, { backend_pid: number }>(
  (p) => sql`
  update ${webhook_workers}
     set seen_at = now()
   where id = ${p.worker_id}
  returning case
    when pg_backend_pid() = ${p.backend_pid}::int then pg_backend_pid()
    when pg_try_advisory_lock(${lockClass}, ${p.worker_id}::int) then pg_backend_pid()
    else 0
  end as backend_pid`,
)

/**
 * Records a heartbeat over the connection that holds the worker's lock. `backendPid` is what the last heartbeat returned, at
 * first 0. Returns the pid of the backend that holds the lock, 0 while none does, or null when another worker took this one for
 * dead: then it needs a new id.
 */
export async function recordHeartbeat(
  lockConnection: Tx,
  { workerId, backendPid }: { workerId: number; backendPid: number },
): Promise<number | null> {
  const [row] = await heartbeat(lockConnection, { worker_id: workerId, backend_pid: backendPid })
  return row?.backend_pid ?? null
}

interface Sweep {
  worker_id: number
  held: string
  max_attempts: number
}

// Finds deliveries of dead workers, those past their lease, and those claimed for this worker by a statement whose result
// never arrived. They are locked in order of id, and those that another sweep has locked are skipped. Attempts are found by
// their delivery, as where results are written.
const sweep = statement<Sweep, { state: string }>(
  (p) => sql`
  with living as materialized (
    select w.id
      from ${webhook_workers} w
     where not ${isDead(sql`w`)}
  ),
  lost as materialized (
    select d.team_id, d.id, d.attempt_count
      from ${webhook_deliveries} d
     where d.state = 'sending'
       and (
         d.worker_id <> all (array(select id from living))
         or d.lease_until < now()
         or d.worker_id = ${p.worker_id}
            and d.lease_until < now() + interval '75 seconds'
            and d.attempt_id <> all (array(select id::uuid from jsonb_array_elements_text(${p.held}::jsonb) as held (id)))
       )
     order by d.id
     limit 1000
       for update skip locked
  ),
  recorded as (
    update ${webhook_attempts} t
       set error_code = 'interrupted', error_detail = 'The worker stopped or lost its lease before the result was written.',
           finished_at = now()
      from lost l
     where t.team_id = l.team_id and t.delivery_id = l.id and t.number = l.attempt_count
       and t.id >= uuid_at(now() - interval '2 days')
       and t.finished_at is null
  )
  update ${webhook_deliveries} d
     set state = case when ${hasAttemptsLeft(p)} then 'pending' else 'failed' end,
         next_attempt_at = case when ${hasAttemptsLeft(p)} then now() end,
         finished_at = case when ${hasAttemptsLeft(p)} then null else now() end,
         worker_id = null,
         lease_until = null,
         updated_at = now()
   where d.id = any (array(select id from lost))
  returning d.state`,
)

/** Hands back the deliveries of dead workers; `held` are the attempts in flight in this one. Returns how many it found. */
export async function sweepDeliveries(
  tx: Tx,
  { workerId, held, maxAttempts }: { workerId: number; held: readonly string[]; maxAttempts: number },
): Promise<number> {
  return (await sweep(tx, { worker_id: workerId, held: JSON.stringify(held), max_attempts: maxAttempts })).length
}

// Dead, and all its deliveries are handed back.
const isForgettable = sql`${isDead(sql`w`)}
         and not exists (select from ${webhook_deliveries} d where d.state = 'sending' and d.worker_id = w.id)`

const findForgettable = statement<Record<never, never>, { exist: boolean }>(sql`
  select exists (
           select
             from ${webhook_workers} w
            where ${isForgettable}
         ) as exist`)

const removeForgettable = statement<Record<never, never>, { job_pool_id: string | null }>(sql`
  delete from ${webhook_workers} w
   where ${isForgettable}
  returning w.job_pool_id`)

const freeJobs = statement<{ job_pool_ids: string[] }, never>(
  (p) => sql`
  select free_jobs(${p.job_pool_ids}::text[])`,
)

/** Removes dead workers whose deliveries are all handed back, and frees their jobs. Returns how many it removed. */
export async function forgetDeadWorkers(tx: Tx): Promise<number> {
  // Nearly every sweep ends here, without a transaction.
  if (!onlyOne(await findForgettable(tx, {})).exist) return 0
  return transaction(tx, async (tx) => {
    const removed = await removeForgettable(tx, {})
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
