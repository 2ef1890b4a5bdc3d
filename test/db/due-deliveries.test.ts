import { setTeamPlan, updateWebhook } from '@earshot/db'
import {
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  findDueEndpoints,
  holdDeliveries,
  registerWorker,
  releaseDeliveries,
} from '@earshot/db/dispatch'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { asOperator, openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { explain, sentBy } from './statement-plan.ts'

const ENDPOINTS = 30_000
const ACTOR = { userId: null, credentialId: null, credentialKind: 'system', ip: null } as const
/** An index probe, with what is beside it on its page. */
const PROBED_BLOCKS = 10
/** More than a request and a pass of the worker release. */
const HELD = 5_000
/** Deliveries that ended while a long reader was open. */
const ENDED = 20_000

let fixture: WebhookFixture
beforeEach(async () => {
  await fixture?.close()
  fixture = await openWebhookFixture()
})
afterAll(() => fixture.close())

test('an idle look is an index probe, however many endpoints there are, paused or with retries to come', async () => {
  await addMany({ endpoints: ENDPOINTS, state: 'active', due: "now() + interval '1 hour'" })
  await addMany({ endpoints: ENDPOINTS / 10, state: 'paused', due: 'now()' })
  await analyze()
  await holdAll()
  await analyze()
  const sent = await sentBy(fixture.database, (tx) => findDueEndpoints(tx))
  expect(sent).toHaveLength(1)
  for (const statement of sent) {
    for (const mode of ['custom', 'generic'] as const) {
      const { scannedRows, blocks } = await explain(fixture.database.client, mode, statement)
      expect({ mode, scannedRows }).toEqual({ mode, scannedRows: 0 })
      expect(blocks).toBeLessThan(PROBED_BLOCKS)
    }
  }
})

test('a look at many due endpoints reads none that only wait for a retry', async () => {
  await addMany({ endpoints: ENDPOINTS, state: 'active', due: "now() + interval '1 hour'" })
  await addMany({ endpoints: 1_000, state: 'active', due: 'now()' })
  await analyze()
  expect((await findDueEndpoints(fixture.database)).due).toHaveLength(1_000)
  for (const statement of await sentBy(fixture.database, (tx) => findDueEndpoints(tx))) {
    for (const mode of ['custom', 'generic'] as const) {
      expect((await explain(fixture.database.client, mode, statement)).scannedRows, mode).toBeLessThanOrEqual(2 * 1_000)
    }
  }
})

test('a claim and a look beside a long reader cost at most twice as much as without it', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  const workerId = await registerWorker(fixture.database, { jobPoolId: null })
  const slotsOf = async () => (await findDueEndpoints(fixture.database, { sinceMs: 5_000 })).due.map((due) => ({ ...due, free: 20 }))
  const costs = async () => {
    for (let count = 0; count < 20; count += 1) await fixture.emit()
    const slots = await slotsOf()
    const [look] = await sentBy(fixture.database, (tx) => findDueEndpoints(tx, { sinceMs: 5_000 }))
    const [claim] = await sentBy(fixture.database, (tx) => claimDeliveries(tx, { workerId, slots }))
    if (!look || !claim) throw new Error('Nothing was sent')
    const blocks = async (statement: typeof look) => (await explain(fixture.database.client, 'generic', statement)).blocks
    return { look: await blocks(look), claim: await blocks(claim) }
  }
  const alone = await costs()
  await fixture.database.client.begin('isolation level repeatable read', async (reader) => {
    await reader`select count(*) from webhook_deliveries`
    await fixture.database.client`
      insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
      select ${fixture.teamId}, ${id}, uuidv7(), 'submission.created', '', now() - interval '1 minute' from generate_series(1, ${ENDED}::int)`
    await fixture.database.client`delete from webhook_deliveries`
    const beside = await costs()
    expect(beside.claim).toBeLessThanOrEqual(2 * alone.claim)
    expect(beside.look).toBeLessThanOrEqual(2 * alone.look + PROBED_BLOCKS)
  })
})

test('a backlog of one endpoint hides no other', async () => {
  const flooded = await fixture.addEndpoint('http://127.0.0.1:9/')
  const other = await fixture.addEndpoint('http://127.0.0.1:9/')
  await addDue(flooded.id, 15_000)
  await fixture.emit()
  const { due } = await findDueEndpoints(fixture.database)
  expect(due.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([flooded.id, other.id].sort())
})

test('many due deliveries hide no endpoint behind many that wait for a retry, or are due as well', async () => {
  await addMany({ endpoints: 300, state: 'active', due: "now() + interval '1 hour'" })
  const flooded = await fixture.addEndpoint('http://127.0.0.1:9/')
  await addDue(flooded.id, 15_000)
  const other = await fixture.addEndpoint('http://127.0.0.1:9/')
  await fixture.emit()
  const sent = await sentBy(fixture.database, (tx) => findDueEndpoints(tx))
  expect(sent).toHaveLength(4)
  const { due, unsendable } = await findDueEndpoints(fixture.database)
  expect(due.map(({ endpoint_id }) => endpoint_id)).toEqual(expect.arrayContaining([flooded.id, other.id]))
  expect(unsendable).toEqual([])
})

test('the backlog of one endpoint costs a look two statements', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  await addDue(id, 15_000)
  await analyze()
  const sent = await sentBy(fixture.database, (tx) => findDueEndpoints(tx))
  expect(sent).toHaveLength(2)
  for (const statement of sent) {
    expect((await explain(fixture.database.client, 'generic', statement)).scannedRows).toBeLessThanOrEqual(500)
  }
})

test('deliveries of a paused endpoint are out of sight and due again when it is resumed, as due as before', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  const [deliveryId = ''] = await fixture.emit()
  const { next_attempt_at } = await fixture.delivery(deliveryId)
  const ref = { team_id: fixture.teamId, webhook_id: id }
  await updateWebhook(fixture.database, ACTOR, ref, { state: 'paused' })
  expect(await findDueEndpoints(fixture.database)).toMatchObject({ due: [], unsendable: [{ endpoint_id: id }] })
  await holdAll()
  expect(await findDueEndpoints(fixture.database)).toMatchObject({ due: [], unsendable: [] })
  expect(await releaseDeliveries(fixture.database, null)).toBeNull()
  expect(await findDueEndpoints(fixture.database)).toMatchObject({ due: [], unsendable: [] })

  await updateWebhook(fixture.database, ACTOR, ref, { state: 'active' })
  expect((await findDueEndpoints(fixture.database)).due).toMatchObject([{ endpoint_id: id }])
  expect(await fixture.delivery(deliveryId)).toMatchObject({ state: 'pending', next_attempt_at })
})

test('an endpoint that is resumed with many held deliveries gets all of them, some at a time', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  await addDue(id, HELD)
  const ref = { team_id: fixture.teamId, webhook_id: id }
  await updateWebhook(fixture.database, ACTOR, ref, { state: 'paused' })
  await holdAll()
  expect(await countHeld()).toBe(HELD)

  await updateWebhook(fixture.database, ACTOR, ref, { state: 'active' })
  const afterRequest = await countHeld()
  expect(afterRequest).toBeGreaterThan(0)
  expect(afterRequest).toBeLessThan(HELD)
  await releaseDeliveries(fixture.database, null)
  expect(await countHeld()).toBeLessThan(afterRequest)
  while ((await countHeld()) > 0) await releaseDeliveries(fixture.database, null)
  expect((await findDueEndpoints(fixture.database)).due).toMatchObject([{ endpoint_id: id }])
})

test('what a plan or a deleted team held is due again when that is undone', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  await fixture.emit()
  const undone: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['plan', () => setPlan('free'), () => setPlan('business')],
    ['team', () => run('update teams set deleted_at = now()'), () => run('update teams set deleted_at = null')],
    ['endpoint', () => run('update webhook_endpoints set deleted_at = now()'), () => run('update webhook_endpoints set deleted_at = null')],
  ]
  for (const [name, prevent, allow] of undone) {
    await prevent()
    await holdAll()
    await releaseDeliveries(fixture.database, null)
    expect([name, (await findDueEndpoints(fixture.database)).due]).toEqual([name, []])
    await allow()
    await releaseDeliveries(fixture.database, null)
    expect([name, (await findDueEndpoints(fixture.database)).due]).toMatchObject([name, [{ endpoint_id: id }]])
  }
})

test('a finished delivery leaves the small table for the partition of its day', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/')
  await fixture.emit()
  const workerId = await registerWorker(fixture.database, { jobPoolId: null })
  const claimed = await claimDeliveries(fixture.database, { workerId, slots: [{ team_id: fixture.teamId, endpoint_id: id, free: 1 }] })
  await fixture.database.run("update webhook_endpoints set state = 'paused'", [])
  const [skipped] = await fixture.emit()
  await succeed(claimed)
  const [counts] = await fixture.database.run(
    `select (select count(*)::int from webhook_deliveries) as unfinished,
            (select array_agg(state || ' ' || (tableoid::regclass::text ~ to_char(now() at time zone 'UTC', 'YYYYMMDD'))) from
              (select state, tableoid from webhook_delivery_history order by id) h) as history`,
    [],
  )
  expect(counts).toEqual({ unfinished: 0, history: ['succeeded true', 'skipped true'] })
  expect(await fixture.delivery(skipped ?? '')).toMatchObject({ state: 'skipped', finished_at: null, next_attempt_at: null })
})

async function addMany({ endpoints, state, due }: { endpoints: number; state: string; due: string }): Promise<void> {
  await run(
    `with endpoint as (
       insert into webhook_endpoints (team_id, url, events, state, secret, secret_hint)
       select '${fixture.teamId}', 'http://127.0.0.1:9/', '{*}', '${state}', '', '' from generate_series(1, ${endpoints}) returning team_id, id
     )
     insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
     select team_id, id, uuidv7(), 'submission.created', '', ${due} from endpoint`,
  )
}

async function addDue(endpointId: string, count: number): Promise<void> {
  await fixture.database.client`
    insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256, next_attempt_at)
    select ${fixture.teamId}, ${endpointId}, uuidv7(), 'submission.created', '', now() - interval '1 hour' from generate_series(1, ${count})`
}

async function countHeld(): Promise<number> {
  const [row] = await fixture.database.run<{ held: number }>('select count(*)::int as held from webhook_deliveries where is_held', [])
  return row?.held ?? Number.NaN
}

function analyze(): Promise<unknown> {
  return asOperator(fixture.address, 'vacuum analyze webhook_deliveries, webhook_endpoints')
}

/** As a worker does with what it finds and may not send. */
async function holdAll(): Promise<void> {
  for (;;) {
    const { unsendable } = await findDueEndpoints(fixture.database)
    if (unsendable.length === 0) return
    await holdDeliveries(fixture.database, unsendable)
  }
}

async function succeed(claimed: ClaimedDelivery[]): Promise<void> {
  await completeDeliveries(
    fixture.database,
    claimed.map(({ team_id, endpoint_id, id, attempt_id, number }) => ({
      ...{ team_id, endpoint_id, delivery_id: id, attempt_id, number, succeeded: true, delay_ms: null, duration_ms: 5, status_code: 200 },
      ...{
        remote_ip: null,
        response_headers: {},
        response_body: null,
        response_body_truncated: false,
        response_body_bytes: null,
        error_code: null,
        error_detail: null,
      },
    })),
  )
}

function run(text: string): Promise<unknown> {
  return fixture.database.run(text, [])
}

function setPlan(plan: 'free' | 'business'): Promise<void> {
  return setTeamPlan(fixture.database, { team_id: fixture.teamId, plan })
}
