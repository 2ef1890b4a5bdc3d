import { createHash } from 'node:crypto'
import { verifyWebhook } from '@earshot/contracts/webhooks'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { measureLateness } from '../support/lateness.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { makeSecret, openWebhookFixture, USER_AGENT, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

const hasState = (id: string, state: string) => async () => (await fixture.delivery(id)).state === state

test('a signing secret that was copied from another endpoint signs nothing', async () => {
  await using receiver = await startReceiver()
  const [first, second] = [await fixture.addEndpoint(`${receiver.url}/first`), await fixture.addEndpoint(`${receiver.url}/second`)]
  await fixture.database.client`
    update webhook_endpoints set secret = (select secret from webhook_endpoints where id = ${first.id}) where id = ${second.id}`
  await fixture.dispatch()
  const deliveries = await Promise.all((await fixture.emit()).map(fixture.delivery))
  const copied = deliveries.find(({ endpoint_id }) => endpoint_id === second.id)?.id ?? ''
  await until('both were tried', async () => receiver.requests.length > 0 && (await fixture.attempts(copied))[0]?.finished_at != null)
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/first'])
  // It is retried, so a second attempt may have begun.
  const [attempt] = await fixture.attempts(copied)
  expect(attempt).toMatchObject({ error_code: 'interrupted', error_detail: expect.stringContaining('for another endpoint') })
})

test('an event arrives with its stored bytes, its headers, and signatures that both verifiers accept', async () => {
  await using receiver = await startReceiver()
  const endpoint = await fixture.addEndpoint(`${receiver.url}/hooks?a=1`)
  await fixture.dispatch()
  const [id = ''] = await fixture.emit()
  await until('it succeeded', hasState(id, 'succeeded'))

  const [event] = await fixture.database.client`select payload, payload_sha256 from events`
  const [request] = receiver.requests
  expect(receiver.requests).toHaveLength(1)
  expect(request?.path).toBe('/hooks?a=1')
  expect(request?.body.toString()).toBe(event?.payload)
  expect(
    createHash('sha256')
      .update(request?.body ?? '')
      .digest('hex'),
  ).toBe(event?.payload_sha256)
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-event': 'submission.created',
    'x-service-delivery': id,
    'webhook-id': id,
  })
  expect(request?.headers).not.toHaveProperty('x-service-signature-previous')
  const body = request?.body ?? Buffer.alloc(0)
  await expect(verifyWebhook(body, request?.headers ?? {}, endpoint.secret)).resolves.toMatchObject({ type: 'submission.created' })
  expect(new Webhook(endpoint.secret).verify(body.toString(), request?.headers as Record<string, string>)).toMatchObject({
    api_version: 'v1',
  })
})

test('the response is stored with its attempt, and the success with the endpoint', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(202, { 'x-trace': 'abc' }).end('taken\0'))
  const endpoint = await fixture.addEndpoint(receiver.url)
  await fixture.dispatch()
  const [id = ''] = await fixture.emit()
  await until('it succeeded', hasState(id, 'succeeded'))
  const [attempt] = await fixture.attempts(id)
  expect(attempt).toMatchObject({
    endpoint_id: endpoint.id,
    number: 1,
    trigger: 'auto',
    status_code: 202,
    remote_ip: '127.0.0.1',
    response_headers: { 'x-trace': 'abc' },
    response_body: Buffer.from('taken\0'),
    response_body_truncated: false,
    response_body_bytes: '6',
    error_code: null,
  })
  expect(attempt?.finished_at).not.toBeNull()
  expect(await fixture.delivery(id)).toMatchObject({ attempt_count: 1, attempt_id: attempt?.id, next_attempt_at: null, worker_id: null })
  const [row] = await fixture.database.client`select last_success_at, consecutive_failures, failing_since from webhook_endpoints`
  expect(row).toMatchObject({ last_success_at: expect.any(String), consecutive_failures: 0, failing_since: null })
})

test('after a rotation the previous secret signs too until it expires', async () => {
  await using receiver = await startReceiver()
  const previousSecret = makeSecret()
  await fixture.addEndpoint(`${receiver.url}/in-time`, { previousSecret })
  await fixture.addEndpoint(`${receiver.url}/expired`, { previousSecret, previousSecretFor: '-1 second' })
  await fixture.dispatch()
  await fixture.emit()
  await until('both arrived', () => receiver.requests.length === 2)
  const [inTime, expired] = ['/in-time', '/expired'].map((path) => receiver.requests.find((request) => request.path === path))
  await expect(verifyWebhook(inTime?.body ?? '', inTime?.headers ?? {}, previousSecret)).resolves.toBeDefined()
  await expect(verifyWebhook(expired?.body ?? '', expired?.headers ?? {}, previousSecret)).rejects.toThrow()
})

test('a failure is tried again with backoff, under the same delivery id, until it succeeds', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(receiver.requests.length < 4 ? 503 : 200).end())
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch({ backoffBaseMs: 20 })
  const [id = ''] = await fixture.emit()
  await until('it succeeded', hasState(id, 'succeeded'))
  expect(receiver.deliveryIds()).toEqual([id, id, id, id])
  expect((await fixture.attempts(id)).map(({ number, status_code }) => [number, status_code])).toEqual([
    [1, 503],
    [2, 503],
    [3, 503],
    [4, 200],
  ])
  const [row] = await fixture.database.client`select consecutive_failures, failing_since from webhook_endpoints`
  expect(row).toEqual({ consecutive_failures: 0, failing_since: null })
})

test('the eighth failure is the last', async () => {
  const port = await freePort()
  await fixture.addEndpoint(`http://127.0.0.1:${port}/`)
  await fixture.dispatch({ backoffBaseMs: 0.01 })
  const [id = ''] = await fixture.emit()
  await until('it failed', hasState(id, 'failed'))
  const attempts = await fixture.attempts(id)
  expect(attempts.map(({ number, error_code }) => [number, error_code])).toEqual(
    Array.from({ length: 8 }, (_, index) => [index + 1, 'connection_refused']),
  )
  const [row] = await fixture.database.client`select consecutive_failures, failing_since from webhook_endpoints`
  expect(row).toEqual({ consecutive_failures: 1, failing_since: expect.any(String) })
})

test.each([404, 410, 302])('a %i is final', async (status) => {
  await using receiver = await startReceiver((response) => response.writeHead(status, { location: 'https://example.com/' }).end())
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch({ backoffBaseMs: 1 })
  const [id = ''] = await fixture.emit()
  await until('it failed', hasState(id, 'failed'))
  expect(await fixture.attempts(id)).toMatchObject([{ number: 1, status_code: status, error_code: status === 302 ? 'redirect' : null }])
})

test('a longer Retry-After is honored', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(429, { 'retry-after': '3600' }).end())
  await fixture.addEndpoint(receiver.url)
  await fixture.dispatch({ backoffBaseMs: 1 })
  const [id = ''] = await fixture.emit()
  await until(
    'it was tried',
    async () => (await fixture.delivery(id)).attempt_count === 1 && (await fixture.delivery(id)).state === 'pending',
  )
  const [row] = await fixture.database.client`
    select extract(epoch from next_attempt_at - updated_at)::float8 as seconds from webhook_deliveries`
  expect(row?.seconds).toBeCloseTo(3600, 0)
})

test('a manual redelivery is not retried and does not affect the endpoint’s record', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(500).end())
  await fixture.addEndpoint(receiver.url)
  const [id = ''] = await fixture.emit()
  await fixture.database.client`update webhook_deliveries set trigger = 'manual'`
  await fixture.dispatch({ backoffBaseMs: 1 })
  await until('it failed', hasState(id, 'failed'))
  expect(receiver.requests).toHaveLength(1)
  const [row] = await fixture.database.client`select consecutive_failures, failing_since from webhook_endpoints`
  expect(row).toEqual({ consecutive_failures: 0, failing_since: null })
})

test('paused, deleted and unpaid endpoints get nothing until they are active again', async () => {
  await using receiver = await startReceiver()
  const { client } = fixture.database
  const paused = await fixture.addEndpoint(`${receiver.url}/paused`)
  const deleted = await fixture.addEndpoint(`${receiver.url}/deleted`)
  await fixture.emit()
  await client`update webhook_endpoints set state = 'paused' where id = ${paused.id}`
  await client`update webhook_endpoints set deleted_at = now() where id = ${deleted.id}`
  const { dispatcher } = await fixture.dispatch()
  await fixture.addEndpoint(`${receiver.url}/there`)
  await client`update teams set plan = 'free'`
  await fixture.emit()
  await client`
    insert into webhook_deliveries (team_id, id, endpoint_id, event_id, event_type, payload_sha256)
    select team_id, id, endpoint_id, event_id, event_type, payload_sha256 from webhook_delivery_history where state = 'skipped'`
  await client`delete from webhook_delivery_history`
  await client`update teams set plan = 'pro'`
  dispatcher.nudge()
  await until('one arrived', () => receiver.requests.length > 0)
  await client`update webhook_endpoints set state = 'active' where id = ${paused.id}`
  await until('the paused ones arrived', () => receiver.requests.length === 3)
  expect(receiver.requests.map(({ path }) => path).sort()).toEqual(['/paused', '/paused', '/there'])
})

test('endpoints that never respond do not delay others', async () => {
  await using hole = await startReceiver(() => {})
  await using receiver = await startReceiver()
  for (let index = 0; index < 5; index += 1) await fixture.addEndpoint(`${hole.url}/${index}`)
  await fixture.addEndpoint(receiver.url)
  for (let index = 0; index < 40; index += 1) await fixture.emit()
  using late = measureLateness()
  const startedAt = performance.now()
  await fixture.dispatch()
  await until('all arrived', () => receiver.requests.length === 40)
  expect(performance.now() - startedAt).toBeLessThan(4_000 + 1_000 * late.seconds())
  expect(hole.requests.length).toBeLessThanOrEqual(5)
})

test('a stop waits for responses, interrupts attempts that take too long, and hands them back for the next worker', async () => {
  await using slow = await startReceiver((response) => void setTimeout(ok, 300, response))
  await using hole = await startReceiver(() => {})
  await fixture.addEndpoint(slow.url)
  await fixture.addEndpoint(hole.url)
  const { stop } = await fixture.dispatch()
  const ids = await fixture.emit()
  await until('both were sent', () => slow.requests.length + hole.requests.length === 2)
  await stop(800)

  const deliveries = await Promise.all(ids.map((id) => fixture.delivery(id)))
  expect(deliveries.map(({ state }) => state).sort()).toEqual(['pending', 'succeeded'])
  const broken = deliveries.find(({ state }) => state === 'pending')
  expect(await fixture.attempts(broken?.id ?? '')).toMatchObject([{ number: 1, error_code: 'interrupted' }])
  expect(await fixture.database.client`select from webhook_workers`).toHaveLength(0)

  const before = hole.requests.length
  await fixture.dispatch()
  await until('the next worker sends it at once', () => hole.requests.length > before)
})
