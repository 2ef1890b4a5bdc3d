import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { DeliveredEvent, eventTypes, TEST_EVENT } from '@earshot/contracts'
import { verifyWebhook } from '@earshot/contracts/webhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { hurryClock } from '../support/clock.ts'
import { isSignedBy } from '../support/key-pairs.ts'
import { measureLateness } from '../support/lateness.ts'
import { loseWorker } from '../support/lost-worker.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** How long a worker may take to take a test up. */
const TAKE_MS = 10_000

let service: TestService
let worker: TestDispatcher
let team: Team
beforeAll(async () => {
  service = await startTestService(
    { onCommit: (teamId) => worker?.dispatcher.nudge(teamId) },
    { store: await openTestDatabase({ poolSize: 2 }) },
  )
  worker = await startTestDispatcher(service)
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await service.database.close()
})

test('a test is sent at once like any delivery, and the response is its attempt', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(202).end('thanks'))
  const { id, secret } = await addEndpoint(receiver.url)
  using late = measureLateness()
  const startedAt = performance.now()
  const answer = await tryOut(id)
  expect(performance.now() - startedAt).toBeLessThan(2_000 + 1_000 * late.seconds())
  const [request] = receiver.requests
  expect(answer).toMatchObject({
    status: 200,
    body: { number: 1, trigger: 'test', status_code: 202, response_body: 'thanks', error: null, duration_ms: expect.any(Number) },
  })
  expect(request?.headers).toMatchObject({ 'x-service-event': TEST_EVENT, 'x-service-delivery': answer.body.delivery_id })
  await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)
  const event = DeliveredEvent.parse(JSON.parse(String(request?.body)))
  expect(event).toMatchObject({ type: TEST_EVENT, team_id: team.id, project_id: null, data: { endpoint: { id, url: `${receiver.url}/` } } })

  const { results } = (await ask('GET', `${id}/deliveries/?event_type=${TEST_EVENT}`)).body
  expect(results).toMatchObject([{ id: answer.body.delivery_id, event_id: event.id, state: 'succeeded', payload: event }])
  expect((await ask('GET', `${id}/attempts/`)).body.results).toEqual([answer.body])
})

test('a test of a type sends its example, which has the schema that the list of types shows', async () => {
  await using receiver = await startReceiver()
  const { id, secret } = await addEndpoint(receiver.url)
  const client = service.client(team.token)
  const types = await Array.fromAsync(client.events.types.list({ team_id: team.id }))
  expect(types.map(({ type }) => type)).toEqual(eventTypes)
  for (const { type, description, schema, example } of types) {
    const { delivery_id } = await client.webhooks.test({ team_id: team.id, webhook_id: id, type })
    const { headers = {}, body = '' } = receiver.requests.at(-1) ?? {}
    expect(headers).toMatchObject({ 'x-service-event': type, 'x-service-delivery': delivery_id })
    const sent = await verifyWebhook(body, headers, secret)
    expect(sent).toEqual({ ...example, id: sent.id, created_at: sent.created_at })
    expect(sent).toMatchObject({ type, team_id: team.id })
    expect(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(sent).error).toBeUndefined()
    expect(description).toMatch(/\.$/)
  }
  const feed = await service.send('GET', `/api/v1/teams/${team.id}/events/?limit=100`, { token: team.token })
  expect(feed.body.results).toEqual([])
  expect(await ask('POST', `${id}/test/`, { type: 'submission.unknown' })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'type' }] },
  })
})

test('a test is never in the change feed, and its type cannot be subscribed to', async () => {
  await using receiver = await startReceiver()
  const { id } = await addEndpoint(receiver.url)
  await tryOut(id)
  await team.submit()
  const feed = () => service.send('GET', `/api/v1/teams/${team.id}/events/?limit=100`, { token: team.token })
  await expect.poll(async () => (await feed()).body.results.length).toBeGreaterThan(0)
  const unnumbered = () => service.database.run('select event_id from unnumbered_events', [])
  await expect.poll(unnumbered).toEqual([])
  expect((await feed()).body.results.map(({ type }: { type: string }) => type)).not.toContain(TEST_EVENT)
  expect(await ask('POST', '', { url: receiver.url, events: [TEST_EVENT] })).toMatchObject({ status: 400 })
})

test('a failed test is not retried and not counted against the endpoint', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(503).end())
  const { id } = await addEndpoint(receiver.url)
  expect(await tryOut(id)).toMatchObject({ status: 200, body: { number: 1, status_code: 503 } })
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', attempt_count: 1, next_attempt_at: null }])
  const [row] = await service.database.run('select consecutive_failures, failing_since from webhook_endpoints where id = $1', [id])
  expect(row).toEqual({ consecutive_failures: 0, failing_since: null })
})

test('a test whose worker was lost returns the interrupted attempt and is not sent again', async () => {
  await using receiver = await startReceiver(() => {})
  const { id } = await addEndpoint(receiver.url)
  const answer = tryOut(id)
  await expect.poll(() => receiver.requests.length).toBe(1)
  await loseWorker(service.database, id)
  expect(await answer).toMatchObject({ status: 200, body: { number: 1, error: { code: 'interrupted' } } })
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', attempt_count: 1 }])
})

test('for a day after a rotation deliveries carry signatures of both secrets, in separate headers, and of both key pairs', async () => {
  await using receiver = await startReceiver()
  const { id, secret: first } = await addEndpoint(receiver.url)
  const { secret: second, public_key: secondKey } = (await ask('POST', `${id}/rotate-secret/`)).body
  const { secret: third, public_key: thirdKey, previous_public_key } = (await ask('POST', `${id}/rotate-secret/`)).body
  expect(previous_public_key).toBe(secondKey)
  await tryOut(id)
  await service.database.run("update webhook_endpoints set previous_secret_expires_at = now() - interval '1 second' where id = $1", [id])
  await tryOut(id)
  const [during, after] = receiver.requests
  expect(during?.headers).toMatchObject({
    'x-service-signature': hex(during, third),
    'x-service-signature-previous': hex(during, second),
  })
  const [duringSignatures, afterSignatures] = [during, after].map((request) => String(request?.headers['webhook-signature']).split(' '))
  expect(duringSignatures?.slice(0, 2)).toEqual([standard(during, third), standard(during, second)])
  expect(duringSignatures?.slice(2).map((signature) => isSignedBy(signature, during, thirdKey))).toEqual([true, false])
  expect(duringSignatures?.slice(2).map((signature) => isSignedBy(signature, during, secondKey))).toEqual([false, true])
  expect(after?.headers['x-service-signature']).toBe(hex(after, third))
  expect(afterSignatures?.[0]).toBe(standard(after, third))
  expect(afterSignatures?.slice(1).map((signature) => isSignedBy(signature, after, thirdKey))).toEqual([true])
  expect((await ask('GET', `${id}/`)).body).toMatchObject({ public_key: thirdKey, previous_public_key: null })
  expect(after?.headers).not.toHaveProperty('x-service-signature-previous')
  expect(new Set([first, second, third]).size).toBe(3)
})

test('an inactive or unknown endpoint is not tested', async () => {
  const { id } = await addEndpoint('http://127.0.0.1:9/')
  await ask('PATCH', `${id}/`, { state: 'paused' })
  expect(await tryOut(id)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'paused' } })
  await service.database.run("update webhook_endpoints set state = 'disabled' where id = $1", [id])
  expect(await tryOut(id)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'disabled' } })
  await ask('DELETE', `${id}/`)
  expect(await tryOut(id)).toMatchObject({ status: 404 })
  expect(await deliveriesOf(id)).toEqual([])
})

test('an idempotency key is ignored: each call is a new test', async () => {
  await using receiver = await startReceiver()
  const { id } = await addEndpoint(receiver.url)
  const answers = [await tryOut(id, { 'idempotency-key': 'same' }), await tryOut(id, { 'idempotency-key': 'same' })]
  expect(answers.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual([
    [200, null],
    [200, null],
  ])
  expect(new Set(receiver.deliveryIds()).size).toBe(2)
})

test('a test is sent before other deliveries that wait for its endpoint', async () => {
  const held: ServerResponse[] = []
  let isOver = false
  await using receiver = await startReceiver((response) => void (isOver ? response.end() : held.push(response)))
  const { id } = await addEndpoint(receiver.url)
  for (let count = 0; count < 40; count += 1) await team.submit()
  await expect.poll(() => held.length).toBe(1)
  const answer = tryOut(id)
  await expect.poll(async () => (await deliveriesOf(id)).length).toBe(41)
  // The test has a slot of its own. No other delivery is sent as long as both responses are open.
  await expect.poll(() => held.length).toBe(2)
  const [, sent] = receiver.deliveryIds()
  isOver = true
  for (const response of held) response.end()
  expect((await answer).body.delivery_id).toBe(sent)
})

test('a hanging endpoint is tested at once, although its only slot is in use', async () => {
  await using receiver = await startReceiver((response, { headers }) => {
    if (headers['x-service-event'] === TEST_EVENT) response.end('back again')
  })
  const { id } = await addEndpoint(receiver.url)
  await team.submit()
  await expect.poll(() => receiver.requests.length).toBe(1)
  expect(await tryOut(id)).toMatchObject({ status: 200, body: { response_body: 'back again' } })
})

test('twenty tests that wait for slow receivers hold no connection of a pool of two', async () => {
  const held: ServerResponse[] = []
  await using receiver = await startReceiver((response) => void held.push(response))
  const endpoints = await Promise.all(Array.from({ length: 20 }, () => addEndpoint(receiver.url)))
  let ended = 0
  const answers = endpoints.map(({ id }) => tryOut(id).finally(() => (ended += 1)))
  await expect.poll(() => held.length).toBe(20)
  await service.database.transaction((tx) => tx.run('select 1', []))
  for (let count = 0; count < 5; count += 1) expect((await ask('GET', '')).status).toBe(200)
  // They were all still waiting.
  expect(ended).toBe(0)
  for (const response of held) response.end()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

test('a test that no worker takes up within ten seconds is refused and never sent', async () => {
  await using receiver = await startReceiver()
  const { id } = await addEndpoint(receiver.url)
  await worker.stop()
  using clock = hurryClock()
  let isAnswered = false
  const answer = tryOut(id).finally(() => {
    isAnswered = true
  })
  await expect.poll(() => deliveriesOf(id)).toHaveLength(1)
  clock.pass(TAKE_MS - 1_000)
  const looks = countLooks()
  await expect.poll(() => countLooks() - looks).toBeGreaterThan(1)
  expect(isAnswered).toBe(false)
  clock.pass(1_000)
  const refused = await answer
  expect(refused).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await deliveriesOf(id)).toEqual([])
  worker = await startTestDispatcher(service)
  expect((await tryOut(id)).status).toBe(200)
  expect(receiver.requests).toHaveLength(1)
})

/** How often the service has looked for the attempt of a test. */
function countLooks(): number {
  return service.statements.filter((text) => text.includes('webhook_deliveries')).length
}

/** X-Service-Signature as a receiver computes it. */
function hex(request: Received | undefined, secret: string): string {
  const { headers = {}, body = '' } = request ?? {}
  return createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex')
}

/** A signature of Standard Webhooks as a receiver computes it. */
function standard(request: Received | undefined, secret: string): string {
  const { headers = {}, body = '' } = request ?? {}
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body)
  return `v1,${mac.digest('base64')}`
}

async function addEndpoint(url: string): Promise<{ id: string; secret: string }> {
  return (await ask('POST', '', { url: `${url.replace(/\/?$/, '/')}`, events: ['*'] })).body
}

function tryOut(id: string, headers?: Record<string, string>) {
  return service.send('POST', `/api/v1/teams/${team.id}/webhooks/${id}/test/`, { token: team.token, ...(headers && { headers }) })
}

function ask(method: string, path: string, body?: unknown) {
  return service.send(method, `/api/v1/teams/${team.id}/webhooks/${path}`, { token: team.token, ...(body !== undefined && { body }) })
}

function deliveriesOf(id: string) {
  return service.database.run<Record<string, unknown>>('select * from all_webhook_deliveries where endpoint_id = $1', [id])
}
