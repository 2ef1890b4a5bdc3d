import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  type AttemptRef,
  type ClaimedDelivery,
  completeDeliveries,
  handBackDeliveries,
  registerWorker,
  sweepDeliveries,
} from '@earshot/db/dispatch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AttemptResult } from '../../db/src/dispatch/complete.ts'
import { claimOne } from '../support/claims.ts'
import { measureLateness } from '../support/lateness.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { showErrors } from '../support/show-errors.ts'
import { until } from '../support/until.ts'
import { asOperator, keepingLog, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
const children: ChildProcess[] = []

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGKILL')
  await fixture.close()
})

test('after kill -9 amid deliveries all of them arrive within 15 s of the next start, under the same ids', async () => {
  let isAnswering = false
  await using receiver = await startReceiver((response) => isAnswering && ok(response))
  for (let index = 0; index < 12; index += 1) await fixture.addEndpoint(`${receiver.url}/${index}`)
  const ids = [...(await fixture.emit()), ...(await fixture.emit())]
  const { child: first } = await startWorkerProcess()
  await until('twelve are being sent', () => receiver.requests.length === 12)
  await end(first, 'SIGKILL')
  const interrupted = receiver.deliveryIds()
  isAnswering = true

  using lateness = measureLateness()
  const { startedMs } = await startWorkerProcess()
  const countSucceeded = () =>
    fixture.database.client`select from webhook_delivery_history where state = 'succeeded'`.then(({ length }) => length)
  await until('all succeeded', async () => (await countSucceeded()) === ids.length)
  expect(Date.now() - startedMs).toBeLessThan(15_000 + lateness.msWithin({ fromMs: startedMs, toMs: Date.now() }))
  expect(new Set(receiver.deliveryIds())).toEqual(new Set(ids))
  for (const id of interrupted) {
    expect(await fixture.attempts(id)).toMatchObject([
      { number: 1, error_code: 'interrupted' },
      { number: 2, status_code: 200 },
    ])
  }
})

test('two dispatchers never send one attempt twice', async () => {
  await using receiver = await startReceiver((response) => void setTimeout(ok, 20, response))
  for (let index = 0; index < 3; index += 1) await fixture.addEndpoint(`${receiver.url}/${index}`)
  const ids = (await Promise.all(Array.from({ length: 100 }, () => fixture.emit()))).flat()
  await Promise.all([fixture.dispatch(), fixture.dispatch()])
  await until('all arrived', () => receiver.requests.length >= ids.length)
  expect(receiver.deliveryIds().sort()).toEqual(ids.sort())
  const workers = await fixture.database.client`select distinct worker_id from webhook_attempts`
  expect(workers).toHaveLength(2)
})

test('a result that arrives after another worker took over changes nothing', async () => {
  const { delivery: late, workerId } = await claimOne(fixture)
  await fixture.database.client`update webhook_deliveries set lease_until = now() - interval '1 second'`
  expect(await sweepDeliveries(fixture.database, { workerId, held: [late.attempt_id], heldAt: 'now', maxAttempts: 8 })).toBe(0)
  const other = await registerWorker(fixture.database, { jobPoolId: null })
  expect(await sweepDeliveries(fixture.database, { workerId: other, held: [], heldAt: 'now', maxAttempts: 8 })).toBe(1)
  expect((await completeDeliveries(fixture.database, [success(late)])).size).toBe(0)
  expect(await fixture.delivery(late.id)).toMatchObject({ state: 'pending', attempt_count: 1 })
  expect(await fixture.attempts(late.id)).toMatchObject([{ error_code: 'interrupted', status_code: null }])

  const { delivery: again } = await claimOne(fixture, { emits: false })
  expect((await completeDeliveries(fixture.database, [success(late)])).size).toBe(0)
  expect(await fixture.delivery(late.id)).toMatchObject({ state: 'sending', attempt_count: 2, attempt_id: again.attempt_id })
  const [endpoint] = await fixture.database.client`select last_success_at from webhook_endpoints`
  expect(endpoint?.last_success_at).toBeNull()
  expect((await completeDeliveries(fixture.database, [success(again)])).size).toBe(1)
  expect((await completeDeliveries(fixture.database, [success(again)])).size).toBe(0)
})

test('a result that waited for another worker’s write to the same endpoint is recorded with its attempt', async () => {
  const { delivery } = await claimOne(fixture)
  const isWaiting = 'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted'
  const { written } = await fixture.database.transaction(async (tx) => {
    await tx.run('update webhook_endpoints set last_success_at = null', [])
    const written = completeDeliveries(fixture.database, [success(delivery)])
    await until('it waits', async () => (await fixture.database.run(isWaiting, [])).length > 0)
    return { written }
  })
  expect((await written).size).toBe(1)
  expect(await fixture.attempts(delivery.id)).toMatchObject([{ status_code: 200, finished_at: expect.any(String) }])
})

test('after an eighth lost attempt there is no other', async () => {
  const { delivery, workerId } = await claimOne(fixture, { attemptsBefore: 7 })
  await fixture.database.client`update webhook_deliveries set lease_until = now() - interval '1 second'`
  await sweepDeliveries(fixture.database, { workerId, held: [], heldAt: 'now', maxAttempts: 8 })
  expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'failed', attempt_count: 8, next_attempt_at: null })
})

test('an attempt whose worker was lost days ago is closed by the sweep', async () => {
  const { delivery, workerId } = await claimOne(fixture)
  const startedAt = "now() - interval '3 days'"
  await asOperator(fixture.address, `set role earshot_owner; ${partitionOf('webhook_attempts', 3)}`)
  await fixture.database.run(
    `with old as (
       update webhook_deliveries set attempt_id = uuid_at(${startedAt}), lease_until = ${startedAt} returning attempt_id
     )
     update webhook_attempts set id = (select attempt_id from old), started_at = ${startedAt}`,
    [],
  )
  expect(await sweepDeliveries(fixture.database, { workerId, held: [], heldAt: 'now', maxAttempts: 8 })).toBe(1)
  expect(await fixture.attempts(delivery.id)).toMatchObject([{ error_code: 'interrupted', finished_at: expect.any(String) }])
})

test('a delivery handed back unsent is as if it had never been claimed', async () => {
  const { delivery } = await claimOne(fixture)
  await handBackDeliveries(fixture.database, [refOf(delivery)])
  expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'pending', attempt_count: 0, worker_id: null })
  expect(await fixture.attempts(delivery.id)).toEqual([])
})

test('a sweep that waited for the database takes nothing that its worker claimed meanwhile', async () => {
  const [{ heldAt } = { heldAt: '' }] = await fixture.database.run<{ heldAt: string }>(`select now()::text as "heldAt"`, [])
  const { workerId } = await claimOne(fixture)
  // As if the sweep had waited for twenty seconds.
  await fixture.database.client`update webhook_deliveries set lease_until = lease_until - interval '20 seconds'`
  const before = { workerId, held: [], heldAt, maxAttempts: 8 }
  const [{ earlier } = { earlier: '' }] = await fixture.database.run<{ earlier: string }>(
    `select ($1::timestamptz - interval '20 seconds')::text as earlier`,
    [heldAt],
  )
  expect(await sweepDeliveries(fixture.database, { ...before, heldAt: earlier })).toBe(0)
  expect(await sweepDeliveries(fixture.database, before)).toBe(1)
})

test('a claim whose result never arrived is given back by its own worker, and the deliveries that it holds stay claimed', async () => {
  const { delivery, workerId } = await claimOne(fixture)
  const sweep = (held: string[]) => sweepDeliveries(fixture.database, { workerId, held, heldAt: 'now', maxAttempts: 8 })
  expect(await sweep([])).toBe(0)
  await fixture.database.client`update webhook_deliveries set lease_until = lease_until - interval '16 seconds'`
  expect(await sweep([delivery.attempt_id])).toBe(0)
  expect(await sweep([])).toBe(1)
})

test('when the lock’s connection is terminated nothing is reclaimed, and the worker takes the lock again', async () => {
  let answer = () => {}
  await using receiver = await startReceiver((response) => {
    answer = () => ok(response)
  })
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch()
  await fixture.dispatch()
  const [id = ''] = await fixture.emit()
  await until('it is being sent', () => receiver.requests.length === 1)
  const { client } = fixture.database
  const locks = () => client<{ pid: number }[]>`
    select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`
  const before = (await locks()).map(({ pid }) => pid)
  expect(before).toHaveLength(2)
  await asOperator(fixture.address, `select pg_terminate_backend(pid) from unnest('{${before}}'::int[]) as pid`)
  await until('both have their locks again', async () => (await locks()).filter(({ pid }) => !before.includes(pid)).length === 2)
  answer()
  await until('it succeeded', async () => (await fixture.delivery(id)).state === 'succeeded')
  expect(receiver.requests).toHaveLength(1)
})

test('when the database goes away, results are kept and written when it is back, and nothing is sent twice', async () => {
  const held: (() => void)[] = []
  await using receiver = await startReceiver((response) => void held.push(() => ok(response)))
  for (let index = 0; index < 10; index += 1) await fixture.addEndpoint(`${receiver.url}/${index}`)
  const { log, messages } = keepingLog()
  await fixture.dispatch({ log })
  const ids = await fixture.emit()
  await until('ten are being sent', () => receiver.requests.length === 10)

  const away = await takeDatabaseAway()
  for (const answer of held) answer()
  await until('results are kept', () => messages.some((message) => message.includes('keeping them')))
  await away.bringBack()
  await until('all succeeded', async () =>
    (await Promise.all(ids.map((id) => fixture.delivery(id)))).every(({ state }) => state === 'succeeded'),
  )
  expect(receiver.requests).toHaveLength(10)
  // Each attempt is logged; each problem is logged once.
  const troubles = messages.filter((message) => message !== 'attempt')
  expect(new Set(troubles).size).toBe(troubles.length)
})

/** The statement that makes the partition of a past day. */
function partitionOf(table: string, daysAgo: number): string {
  const from = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
  const end = new Date(Date.now() - (daysAgo - 1) * 86_400_000).toISOString().slice(0, 10)
  return `do $$ begin
    execute format('create table ${table}_${from.replaceAll('-', '')} partition of ${table} for values from (%L) to (%L)',
                   uuid_at('${from}Z'), uuid_at('${end}Z'));
  end $$`
}

/** Starts a worker. Loading its sources takes longer than a build would, so its start is counted from then on. */
async function startWorkerProcess(): Promise<{ child: ChildProcess; startedMs: number }> {
  const options = JSON.stringify({ address: fixture.address, secretKey: fixture.secretKey.toString('base64') })
  const child = spawn(process.execPath, [WORKER, options], { stdio: ['ignore', 'pipe', 'pipe'] })
  showErrors(child)
  children.push(child)
  const [startedMs] = await once(child.stdout, 'data')
  return { child, startedMs: Number(startedMs) }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

function refOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery): AttemptRef {
  return { team_id, endpoint_id, delivery_id: id, attempt_id, number }
}

function success(delivery: ClaimedDelivery): AttemptResult {
  return {
    ...{ ...refOf(delivery), succeeded: true, delay_ms: null, duration_ms: 5, status_code: 200, remote_ip: null },
    ...{ response_headers: {}, response_body: null, response_body_truncated: false, response_body_bytes: null },
    ...{ error_code: null, error_detail: null },
  }
}

/** Refuses connections to the database and terminates open ones. */
async function takeDatabaseAway() {
  const { database } = fixture.address
  const server = { ...fixture.address, database: 'postgres' }
  await asOperator(server, `alter database ${database} allow_connections false`)
  await asOperator(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
  return {
    bringBack: () => asOperator(server, `alter database ${database} allow_connections true`),
  }
}
