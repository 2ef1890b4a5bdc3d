import { Event } from '@earshot/contracts'
import { createProject, readEvents } from '@earshot/db'
import { disableFailingEndpoints } from '@earshot/db/maintenance'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loseWorker } from '../support/lost-worker.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const EXHAUSTED = 'webhook.delivery.exhausted'
const NOBODY = { userId: null, credentialId: null, credentialKind: null, ip: null }
const DISABLED = 'webhook.endpoint.disabled'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('a delivery that fails for good makes an event for the other endpoints, with neither secret nor payload', async () => {
  await using failing = await startReceiver((response) => response.writeHead(410, { 'x-answer': 'hush' }).end('hush'))
  await using receiver = await startReceiver()
  const about = await fixture.addEndpoint(`${failing.url}/hush?token=hush`, { events: ['submission.created', EXHAUSTED] })
  await fixture.addEndpoint(receiver.url, { events: [EXHAUSTED] })
  await fixture.addEndpoint(receiver.url, { events: ['team.member.added'] })
  await fixture.dispatch()
  const [id = ''] = await fixture.emit('submission.created', { submission: { id: 'x', body: 'hush' } })
  await until('the event is received', () => receiver.requests.length > 0)
  const { event_id, payload_sha256, attempt_id, created_at } = await fixture.delivery(id)
  const event = Event.parse(JSON.parse(String(receiver.requests[0]?.body)))
  expect(event).toMatchObject({
    type: EXHAUSTED,
    team_id: fixture.teamId,
    project_id: null,
    data: {
      endpoint: { id: about.id, host: new URL(failing.url).host, state: 'active', description: null, disabled_reason: null },
      delivery: {
        ...{ id, event_id, payload_sha256, event_type: 'submission.created', replay_id: null, attempt_count: 1 },
        last_attempt: { id: attempt_id, status_code: 410, error_code: null },
        created_at: new Date(created_at).toISOString(),
      },
    },
  })
  expect(String(receiver.requests[0]?.body)).not.toContain('hush')
  expect(receiver.requests[0]?.headers).toMatchObject({ 'x-service-event': EXHAUSTED })
  await allSent()
  expect(failing.requests).toHaveLength(1)
  expect(receiver.requests).toHaveLength(1)
  await until('it is in the feed', async () => (await feed()).length === 2)
  expect((await feed()).at(-1)).toBe(event.id)
})

test('the eighth attempt exhausts a delivery, the seventh does not, whether it is answered or its worker is lost', async () => {
  await using silent = await startReceiver(() => {})
  await using failing = await startReceiver((response) => response.writeHead(503).end())
  const lost = await fixture.addEndpoint(silent.url, { events: ['submission.created'] })
  await fixture.addEndpoint(failing.url, { events: ['submission.created'] })
  const ids = await fixture.emit()
  await fixture.database.client`update webhook_deliveries set attempt_count = case endpoint_id when ${lost.id} then 7 else 6 end`
  await fixture.dispatch({ backoffBaseMs: 0 })
  await until('the last attempt of one is in flight', () => silent.requests.length === 1)
  await until('the other has failed', async () => (await stored(EXHAUSTED)).length === 1)
  expect(failing.requests).toHaveLength(2)
  await loseWorker(fixture.database, lost.id)
  await until('both have failed', async () => (await stored(EXHAUSTED)).length === 2)
  const [answered, interrupted] = await stored(EXHAUSTED)
  expect(answered?.delivery).toMatchObject({ attempt_count: 8, last_attempt: { status_code: 503, error_code: null } })
  expect(interrupted?.endpoint.id).toBe(lost.id)
  expect(interrupted?.delivery).toMatchObject({ attempt_count: 8, last_attempt: { status_code: null, error_code: 'interrupted' } })
  expect([answered?.delivery?.id, interrupted?.delivery?.id].sort()).toEqual(ids.sort())
})

test.each([
  ['auto', 1],
  ['replay', 1],
  ['manual', 0],
  ['test', 0],
])('a failed delivery of trigger %s makes %i events', async (trigger, count) => {
  await using receiver = await startReceiver((response) => response.writeHead(410).end())
  await fixture.addEndpoint(receiver.url)
  await fixture.emit()
  await fixture.database.client`update webhook_deliveries set trigger = ${trigger}`
  await fixture.dispatch()
  await allSent()
  expect(await stored(EXHAUSTED)).toHaveLength(count)
})

test('two endpoints that fail and want everything get one event about each other, and no more', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(410).end())
  const events = ['*', EXHAUSTED]
  const endpoints = [
    await fixture.addEndpoint(`${receiver.url}/one`, { events }),
    await fixture.addEndpoint(`${receiver.url}/two`, { events }),
  ]
  await fixture.dispatch()
  await fixture.emit()
  await allSent()
  expect((await stored(EXHAUSTED)).map(({ endpoint }) => endpoint.id).sort()).toEqual(endpoints.map(({ id }) => id).sort())
  const got = receiver.requests.map(({ path, headers }) => `${path} ${headers['x-service-event']}`)
  expect(got.sort()).toEqual(['one', 'two'].flatMap((path) => [`/${path} submission.created`, `/${path} ${EXHAUSTED}`]).sort())
  for (const { path, body } of receiver.requests.filter(({ headers }) => headers['x-service-event'] === EXHAUSTED)) {
    expect(JSON.parse(String(body)).data.endpoint.id).toBe(endpoints[path === '/one' ? 1 : 0]?.id)
  }
  expect(await fixture.database.client`select from events`).toHaveLength(3)
  expect(await fixture.database.client`select consecutive_failures from webhook_endpoints`).toEqual(
    Array(2).fill({ consecutive_failures: 2 }),
  )
})

test('a disabled endpoint makes an event in its project for the others, never for itself, in the transaction that disables it', async () => {
  const { client } = fixture.database
  const project = await createProject(fixture.database, NOBODY, fixture.teamId, { name: 'Website' })
  const { id } = await fixture.addEndpoint('https://hooks.example.com:8443/hush?token=hush')
  const other = await fixture.addEndpoint('http://127.0.0.1:9/', { events: [DISABLED] })
  await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['*'] })
  await client`
    update webhook_endpoints
       set project_id = ${project.id}, consecutive_failures = 10, last_success_at = now() - interval '6 days',
           first_failed_at = now() - interval '1 day', last_failed_at = now(), description = 'Chat'
     where id = ${id}`
  const undone = fixture.database.transaction(async (tx) => {
    await disableFailingEndpoints(tx)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await stored(DISABLED)).toEqual([])

  expect(await disableFailingEndpoints(fixture.database)).toEqual([id])
  expect(await disableFailingEndpoints(fixture.database)).toEqual([])
  const [event, ...more] = await client<
    { payload: string; project_id: string }[]
  >`select payload, project_id from events where type = ${DISABLED}`
  expect(more).toEqual([])
  expect(Event.parse(JSON.parse(event?.payload ?? ''))).toMatchObject({
    project_id: project.id,
    data: {
      endpoint: {
        id,
        host: 'hooks.example.com:8443',
        description: 'Chat',
        project_id: project.id,
        state: 'disabled',
        disabled_reason: expect.stringContaining('5 days'),
      },
    },
  })
  expect(event?.payload).not.toContain('hush')
  expect(await client`select endpoint_id from all_webhook_deliveries where event_type = ${DISABLED}`).toEqual([{ endpoint_id: other.id }])
})

/** Waits until no delivery is unfinished, and none has come meanwhile. */
async function allSent(): Promise<void> {
  await until('all deliveries are finished', async () => {
    const rows = await fixture.database.client<{ unfinished: number; finished: number }[]>`
      select (select count(*) from webhook_deliveries)::int as unfinished, (select count(*) from webhook_delivery_history)::int as finished`
    return rows[0]?.unfinished === 0 && rows[0].finished > 0
  })
}

/** Returns the data of the events of a type, oldest first. */
async function stored(type: string) {
  const rows = await fixture.database.client<{ payload: string }[]>`select payload from events where type = ${type} order by id`
  return rows.map(({ payload }) => JSON.parse(payload).data as { endpoint: { id: string }; delivery?: { id: string } })
}

async function feed(): Promise<string[]> {
  return (await readEvents(fixture.database, { team_id: fixture.teamId, limit: 100 }, ({ id }) => id)).results
}
