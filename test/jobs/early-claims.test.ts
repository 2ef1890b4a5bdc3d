import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createProject, createPublicKey, type Database, openDatabase, receiveSubmission, type Tx } from '@earshot/db'
import { type ClaimedDelivery, claimDeliveries, registerWorker } from '@earshot/db/dispatch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ok, type Receiver, startReceiver } from '../support/receiver.ts'
import type { TestDispatcher } from '../support/test-dispatcher.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const NOBODY = { userId: null, credentialId: null, credentialKind: 'system', ip: null } as const
/** Of an endpoint that has responded once. */
const SLOTS = 9
const PUBLIC_KEY = `pk_${'a'.repeat(24)}`

let fixture: WebhookFixture
let receiver: Receiver
let respond: (response: ServerResponse) => void
let endpointId: string
let worker: TestDispatcher
let pool: Database

beforeEach(async () => {
  fixture = await openWebhookFixture()
  respond = ok
  receiver = await startReceiver((response) => respond(response))
  endpointId = (await fixture.addEndpoint(receiver.url)).id
  const { id: project_id } = await createProject(fixture.database, NOBODY, fixture.teamId, { name: 'Website' })
  await createPublicKey(fixture.database, NOBODY, { team_id: fixture.teamId, project_id }, { key: PUBLIC_KEY, label: null })
  worker = await fixture.dispatch()
  const { claims } = worker.dispatcher
  pool = openDatabase({ address: fixture.address, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot test', claims })
  // Nothing is claimed early before something was claimed.
  await leave()
  await until('the endpoint was served', async () => receiver.requests.length > 0 && (await areDone()))
  receiver.requests.length = 0
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
  await pool.close()
  await fixture.close()
})

const leave = (tx: Tx = pool, fields: object = {}) =>
  receiveSubmission(tx, {
    publicAccess: { publicKey: PUBLIC_KEY, subject: 'visitor', address: 'visitor', limit: { max: 1_000_000, windowSeconds: 3600 } },
    fields: { kind: 'text', channel: 'public', body: 'Lovely', author_name: 'Ada', consent_granted: true, ...fields },
    revokeTokenHash: randomBytes(32),
    fingerprint: randomBytes(32),
  })

async function openDeliveries(): Promise<number> {
  const [row] = await fixture.database.run<{ count: number }>('select count(*)::int as count from webhook_deliveries', [])
  return row?.count ?? 0
}

const areDone = async () => (await openDeliveries()) === 0

/** Leaves submissions until one is claimed as it is written: while a poll sees the endpoint, claims go first. Returns how many. */
async function leaveUntilClaimed(): Promise<number> {
  let count = 0
  await until('a submission is claimed as it is written', async () => {
    count += 1
    return !(await leave()).is_due
  })
  await until('all are sent', areDone)
  return count
}

test('a submission for an endpoint that was served is claimed as it is written, and sent once', async () => {
  const count = await leaveUntilClaimed()
  expect(receiver.requests).toHaveLength(count)
  const id = receiver.deliveryIds().at(-1) ?? ''
  expect(await fixture.delivery(id)).toMatchObject({ state: 'succeeded', attempt_count: 1, trigger: 'auto' })
  expect(await fixture.attempts(id)).toMatchObject([{ number: 1, status_code: 200, error_code: null }])
})

test('in a transaction nothing is claimed: what is rolled back is never sent', async () => {
  const undone = pool.transaction(async (tx) => {
    expect(await leave(tx)).toMatchObject({ is_due: true })
    expect(await tx.run('select state, worker_id from webhook_deliveries', [])).toEqual([{ state: 'pending', worker_id: null }])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await openDeliveries()).toBe(0)
  const count = await leaveUntilClaimed()
  expect(receiver.requests).toHaveLength(count)
})

test('statements that fail give their slots back', async () => {
  for (let turn = 0; turn < 50; turn += 1) await expect(leave(pool, { kind: 'unknown' })).rejects.toThrow('violates check constraint')
  await leaveUntilClaimed()
})

test('no more are sent at once than the endpoint has slots; the others wait, and all are sent once', async () => {
  const held: ServerResponse[] = []
  respond = (response) => void held.push(response)
  const received: { is_due: boolean }[] = []
  for (let turn = 0; turn < 40; turn += 1) received.push(await leave())
  expect(received.some(({ is_due }) => is_due)).toBe(true)
  await until('all slots are in use', () => held.length === SLOTS)
  await delay(300)
  expect(held).toHaveLength(SLOTS)
  respond = ok
  for (const response of held) ok(response)
  await until('all are sent', areDone)
  expect(new Set(receiver.deliveryIds()).size).toBe(40)
  expect(receiver.requests).toHaveLength(40)
})

test('an endpoint with a limit gets its deliveries by claims alone', async () => {
  await fixture.setLimit(endpointId, 1_000)
  for (let turn = 0; turn < 10; turn += 1) expect(await leave()).toMatchObject({ is_due: true })
  await until('all are sent', areDone)
  expect(new Set(receiver.deliveryIds()).size).toBe(10)
  expect(receiver.requests).toHaveLength(10)
})

test('an endpoint that was disabled meanwhile gets nothing', async () => {
  await fixture.database.run(`update webhook_endpoints set state = 'disabled' where id = $1`, [endpointId])
  await leave()
  expect(await openDeliveries()).toBe(0)
  const [skipped] = await fixture.database.run('select state from webhook_delivery_history order by id desc limit 1', [])
  expect(skipped).toEqual({ state: 'skipped' })
  expect(receiver.requests).toHaveLength(0)
})

test('a worker that was taken for dead gets nothing by its old id', async () => {
  let count = 0
  // A heartbeat may come in between and give it a new id.
  await until('a submission is left for claims', async () => {
    count += 1
    await fixture.database.run('delete from webhook_workers', [])
    return (await leave()).is_due
  })
  await until('all are sent', areDone)
  expect(new Set(receiver.deliveryIds()).size).toBe(count)
})

test('a worker that stops reserves nothing more, and leaves nothing claimed', async () => {
  const burst = Array.from({ length: 4 }, () => leave())
  const stopped = worker.stop()
  await Promise.all(burst)
  expect(await leave()).toMatchObject({ is_due: true })
  await stopped
  expect(await fixture.database.run(`select from webhook_deliveries where state = 'sending'`, [])).toEqual([])
  expect(new Set(receiver.deliveryIds()).size).toBe(receiver.requests.length)
})

test('of several events at once, each leaves its own delivery for each endpoint, and a skipped one for a paused endpoint', async () => {
  const { id: paused } = await fixture.addEndpoint(receiver.url)
  await fixture.database.run(`update webhook_endpoints set state = 'paused' where id = $1`, [paused])
  const [{ ids } = { ids: [] }] = await fixture.database.run<{ ids: string[] }>(
    `select emit_events('submission.created', array[$1, $1, $1]::uuid[], array[null, null, null]::uuid[], array['1', '2', '3']::json[]) as ids`,
    [fixture.teamId],
  )
  await until('all are sent', areDone)
  const rows = await fixture.database.run(
    `select h.event_id, h.endpoint_id, h.state, h.payload_sha256 = e.payload_sha256 as is_hash_right, e.payload::json ->> 'data' as data
       from webhook_delivery_history h join events e on e.team_id = h.team_id and e.id = h.event_id
      where h.event_id = any ($1)
      order by h.event_id, h.state`,
    [ids],
  )
  const delivered = (event_id: string, data: string) => [
    { event_id, endpoint_id: paused, state: 'skipped', is_hash_right: true, data },
    { event_id, endpoint_id: endpointId, state: 'succeeded', is_hash_right: true, data },
  ]
  expect(rows).toEqual(ids.flatMap((id, index) => delivered(id, String(index + 1))))
})

test('what is claimed early has what a claim returns', async () => {
  await worker.stop()
  const workerId = await registerWorker(fixture.database, { jobPoolId: null })
  const emit = (claims: object | null) =>
    fixture.database.run<{ claimed: ClaimedDelivery[] | null; is_due: boolean }>(
      `select claimed, is_due
         from emit_and_claim('submission.created', array[$1::uuid], array[null::uuid], array['{"a": "\\"ü"}'::json], null, 0, $2::jsonb)`,
      [fixture.teamId, claims && JSON.stringify(claims)],
    )
  const [early] = await emit({ worker_id: workerId, lease_seconds: 90, slots: { [endpointId]: 1 } })
  const [late] = await emit(null)
  expect([early?.is_due, late]).toEqual([false, { claimed: null, is_due: true }])
  const [claimed] = await claimDeliveries(fixture.database, {
    workerId,
    slots: [{ team_id: fixture.teamId, endpoint_id: endpointId, free: 9 }],
  })
  const [delivery] = early?.claimed ?? []
  const own = ['id', 'attempt_id', 'event_id', 'payload', 'due_at', 'waited', 'claimed_at']
  const shapeOf = (of: object | undefined) =>
    Object.fromEntries(Object.entries(of ?? {}).map(([name, value]) => [name, own.includes(name) ? typeof value : value]))
  expect(shapeOf(delivery)).toEqual(shapeOf(claimed))
  expect(JSON.parse(delivery?.payload ?? '')).toMatchObject({ id: delivery?.event_id, data: { a: '"ü' } })
  const [row] = await fixture.database.run(
    `select d.state, d.attempt_count, d.worker_id = $2 as is_ours, a.number, a.trigger, a.worker_id = $2 as began,
            d.lease_until - a.started_at = interval '90 seconds' as lasts
       from webhook_deliveries d join webhook_attempts a on a.id = d.attempt_id
      where d.id = $1`,
    [delivery?.id, workerId],
  )
  expect(row).toEqual({ state: 'sending', attempt_count: 1, is_ours: true, number: 1, trigger: 'auto', began: true, lasts: true })
})
