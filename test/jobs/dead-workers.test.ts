import { forgetDeadWorkers, recordHeartbeat, registerWorker, sweepDeliveries } from '@earshot/db/dispatch'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimOne } from '../support/claims.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

/** Registers a worker whose heartbeats came from so many seconds ago to so many. */
async function makeWorker({ from, to }: { from: number; to: number }): Promise<number> {
  const id = await registerWorker(fixture.database, { jobPoolId: null })
  await fixture.database.run(
    `update webhook_workers
        set started_at = now() - interval '1 hour', steady_since = now() - $2 * interval '1 second', seen_at = now() - $3 * interval '1 second'
      where id = $1`,
    [id, from, to],
  )
  return id
}

async function workers(): Promise<number[]> {
  return (await fixture.database.run<{ id: number }>('select id from webhook_workers order by id', [])).map(({ id }) => id)
}

test.for([
  ['since before its last', { from: 60, to: 4 }, 1],
  ['for long after it', { from: 8, to: 4 }, 1],
  ['for too short a time after it', { from: 6, to: 4 }, 0],
  ['since before its last, and ended with it', { from: 60, to: 9 }, 0],
] as const)('a worker that starts takes another for dead when heartbeats of a third went on %s', async ([, heartbeats, dead]) => {
  const first = await makeWorker({ from: 60, to: 10 })
  const witness = await makeWorker(heartbeats)
  const started = await registerWorker(fixture.database, { jobPoolId: null })
  expect(await forgetDeadWorkers(fixture.database, started)).toBe(dead)
  expect(await workers()).toEqual(dead ? [witness, started] : [first, witness, started])
})

test('a worker is alive while it has its lock or its heartbeat, and dead without both', async () => {
  const { workerId } = await claimOne(fixture)
  const other = await registerWorker(fixture.database, { jobPoolId: null })
  const sweep = () => sweepDeliveries(fixture.database, { workerId: other, held: [], heldAt: 'now', maxAttempts: 8 })
  expect(await sweep()).toBe(0)
  await using lock = await holdLock(workerId)
  await fixture.database.client`update webhook_workers set seen_at = now() - interval '1 minute' where id = ${workerId}`
  expect(await sweep()).toBe(0)
  await lock.release()
  expect(await sweep()).toBe(0)
  // The other one has just started.
  await fixture.database.client`update webhook_workers set steady_since = now() - interval '2 seconds' where id = ${other}`
  expect(await sweep()).toBe(1)
  expect(await recordHeartbeat(fixture.database, { workerId: 999_999, backendPid: 0, isIdle: false })).toBeNull()
})

test('a worker whose heartbeats paused judges nobody, itself included, until they have come for three seconds again', async () => {
  const { workerId } = await claimOne(fixture)
  const judge = await registerWorker(fixture.database, { jobPoolId: 'judge' })
  const { client } = fixture.database
  await client`
    update webhook_workers
       set seen_at = now() - interval '8 seconds', steady_since = now() - interval '1 hour', started_at = now() - interval '1 hour'`
  const sweep = (id: number) => sweepDeliveries(fixture.database, { workerId: id, held: [], heldAt: 'now', maxAttempts: 8 })
  expect([await sweep(workerId), await sweep(judge), await forgetDeadWorkers(fixture.database, judge)]).toEqual([0, 0, 0])
  await fixture.database.transaction(async (tx) => {
    const [{ pid } = { pid: 0 }] = await tx.run<{ pid: number }>('select pg_backend_pid() as pid', [])
    await recordHeartbeat(tx, { workerId: judge, backendPid: pid, isIdle: false })
  })
  for (const seconds of [0, 2]) {
    await client`update webhook_workers set steady_since = now() - ${seconds} * interval '1 second' where id = ${judge}`
    expect([await sweep(judge), await forgetDeadWorkers(fixture.database, judge)]).toEqual([0, 0])
  }
  await client`update webhook_workers set steady_since = now() - interval '4 seconds' where id = ${judge}`
  expect([await sweep(judge), await forgetDeadWorkers(fixture.database, judge)]).toEqual([1, 1])
})

async function holdLock(workerId: number) {
  const holder = postgres({ ...fixture.address, max: 1, onnotice: () => {} })
  await holder`select pg_advisory_lock(${0x45415253}, ${workerId})`
  const release = () => holder.end()
  return { release, [Symbol.asyncDispose]: release }
}
