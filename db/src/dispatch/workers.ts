import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries, webhook_workers } from '../tables/webhooks.ts'

/** Class of the advisory locks that say that a worker's process lives; the second number is the worker's id. */
const LOCK_CLASS = 0x45415253

const { placeholder } = sql
const lockClass = sql.raw(String(LOCK_CLASS))

// Dead: the lock is gone and the heartbeat is old. One alone proves nothing: a restart of PostgreSQL drops all locks,
// a stalled process sends no heartbeats.
const isDead = (worker: SQL) => sql`(
  ${worker}.seen_at < now() - interval '3 seconds'
  and not exists (
    select
      from pg_locks l
     where l.locktype = 'advisory' and l.classid = ${lockClass} and l.objid::int = ${worker}.id and l.objsubid = 2 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())))`

// An interrupted attempt was begun and counts, so that no receiver gets more of them than it was promised. Whoever tries an
// endpoint is told of the one attempt.
const hasAttempts = sql`(d.attempt_count < ${placeholder('max_attempts')}::int and d.trigger <> 'test')`

const register = statement<{ job_pool_id: string | null }, { id: number }>(sql`
  insert into ${webhook_workers} (job_pool_id)
  values (${placeholder('job_pool_id')})
  returning id`)

export async function registerWorker(tx: Tx, { jobPoolId }: { jobPoolId: string | null }): Promise<number> {
  return onlyOne(await register(tx, { job_pool_id: jobPoolId })).id
}

// After a reconnect the session is a new one without the lock; while the old one lingers, the next beat tries again.
const beat = statement<{ worker_id: number; backend: number }, { backend: number }>(sql`
  update ${webhook_workers}
     set seen_at = now()
   where id = ${placeholder('worker_id')}
  returning case
    when pg_backend_pid() = ${placeholder('backend')}::int then pg_backend_pid()
    when pg_try_advisory_lock(${lockClass}, ${placeholder('worker_id')}::int) then pg_backend_pid()
    else 0
  end as backend`)

/**
 * A sign of life, on the session that holds the worker's lock; `backend` is that session as the last beat named it, or 0.
 * Null when the worker was taken for dead: it needs a new id.
 */
export async function recordHeartbeat(session: Tx, { workerId, backend }: { workerId: number; backend: number }): Promise<number | null> {
  const [row] = await beat(session, { worker_id: workerId, backend })
  return row?.backend ?? null
}

// What dead workers sent, what is past its lease, and what was claimed for this worker by a statement whose answer
// never arrived. Its deliveries are locked in order of id; what another sweep works on is skipped. Attempts are found by their
// delivery, as where results are written.
const sweep = statement<{ worker_id: number; held: string; max_attempts: number }, { state: string }>(sql`
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
         or d.worker_id = ${placeholder('worker_id')}
            and d.lease_until < now() + interval '75 seconds'
            and d.attempt_id <> all (array(select id::uuid from jsonb_array_elements_text(${placeholder('held')}::jsonb) as held (id)))
       )
     order by d.id
     limit 1000
       for update skip locked
  ),
  recorded as (
    update ${webhook_attempts} t
       set error_code = 'interrupted', error_detail = 'The sender stopped, or lost its lease, before the result was written.',
           finished_at = now()
      from lost l
     where t.team_id = l.team_id and t.delivery_id = l.id and t.number = l.attempt_count
       and t.id >= uuid_at(now() - interval '2 days')
       and t.finished_at is null
  )
  update ${webhook_deliveries} d
     set state = case when ${hasAttempts} then 'pending' else 'failed' end,
         next_attempt_at = case when ${hasAttempts} then now() end,
         finished_at = case when ${hasAttempts} then null else now() end,
         worker_id = null,
         lease_until = null,
         updated_at = now()
   where d.id = any (array(select id from lost))
  returning d.state`)

/** Gives back what died with its sender; `held` are the attempts that this worker knows of. Returns how many there were. */
export async function sweepDeliveries(
  tx: Tx,
  { workerId, held, maxAttempts }: { workerId: number; held: readonly string[]; maxAttempts: number },
): Promise<number> {
  return (await sweep(tx, { worker_id: workerId, held: JSON.stringify(held), max_attempts: maxAttempts })).length
}

const forgetDead = statement<object, { count: number }>(sql`
  with gone as (
    delete from ${webhook_workers} w
     where ${isDead(sql`w`)}
       and not exists (select from ${webhook_deliveries} d where d.state = 'sending' and d.worker_id = w.id)
    returning w.job_pool_id
  )
  select count(*)::int as count, free_jobs(array_agg(job_pool_id) filter (where job_pool_id is not null)) as freed
    from gone
  having count(*) > 0`)

/** Removes dead workers whose deliveries are all given back, and frees their jobs. Returns how many there were. */
export async function forgetDeadWorkers(tx: Tx): Promise<number> {
  return (await forgetDead(tx, {}))[0]?.count ?? 0
}

const remove = statement<{ worker_id: number }, never>(sql`
  delete from ${webhook_workers}
   where id = ${placeholder('worker_id')}`)

/** The end of a worker that has nothing left to send. */
export async function removeWorker(tx: Tx, workerId: number): Promise<void> {
  await remove(tx, { worker_id: workerId })
}
