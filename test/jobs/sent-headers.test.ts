import { continueReplay } from '@earshot/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { type RawReceiver, startRawReceiver } from '../support/raw-receiver.ts'
import { says } from '../support/raw-responses.ts'
import { startTestDispatcher, type TestDispatcher, USER_AGENT } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const OWN = { Authorization: 'Basic ZWFyc2hvdDpzYW1wbGU=', 'X-Tenant': '!"# acme ~', cookie: 'a=b; c=dddddd' }
const SPAN = /^00-(?<trace>(?!0{32})[0-9a-f]{32})-(?<span>(?!0{16})[0-9a-f]{16})-01$/

let service: TestService
let worker: TestDispatcher
let team: Team
let receiver: RawReceiver
beforeAll(async () => {
  service = await startTestService({ onCommit: () => worker?.dispatcher.nudge() })
  worker = await startTestDispatcher(service)
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  receiver = await startRawReceiver(says(OK))
  return () => receiver[Symbol.asyncDispose]()
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

test('every attempt carries an endpoint’s own headers: of an event, a test, a redelivery and a replay', async () => {
  const { id } = await addEndpoint(OWN)
  await ask('POST', `${id}/test/`)
  await team.submit()
  await expect.poll(() => receiver.requests.length).toBe(2)
  const [delivery] = (await ask('GET', `${id}/deliveries/?event_type=submission.created`)).body.results
  await expect.poll(async () => (await ask('GET', `${id}/deliveries/${delivery.id}/`)).body.state).toBe('succeeded')
  await ask('POST', `${id}/deliveries/${delivery.id}/redeliver/`)
  await expect.poll(() => receiver.requests.length).toBe(3)
  await replayAll(id)
  for (const request of receiver.requests) {
    const head = headOf(request)
    for (const line of Object.entries(OWN)) expect(head).toContainEqual(line)
    const names = head.map(([name]) => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
  }
})

test('all deliveries and attempts of an event are one trace, which its id names, each a span that its attempt’s id names', async () => {
  const { id } = await addEndpoint()
  await team.submit()
  await expect.poll(async () => (await ask('GET', `${id}/deliveries/`)).body.results[0]?.state).toBe('succeeded')
  const [delivery] = (await ask('GET', `${id}/deliveries/`)).body.results
  await ask('POST', `${id}/deliveries/${delivery.id}/redeliver/`)
  await expect.poll(() => receiver.requests.length).toBe(2)
  await replayAll(id)
  await expect.poll(async () => attemptIds(await ask('GET', `${id}/attempts/`))).toHaveLength(3)
  const spans = receiver.requests.map((request) => SPAN.exec(Object.fromEntries(headOf(request)).traceparent ?? '')?.groups)
  expect(spans.map((span) => span?.trace)).toEqual(Array(3).fill(delivery.event_id.replaceAll('-', '')))
  const attempts = attemptIds(await ask('GET', `${id}/attempts/`))
  expect(spans.map((span) => span?.span).toSorted()).toEqual(attempts.map((one) => one.replaceAll('-', '').slice(16)).toSorted())
})

test('what is refused reaches no receiver, and changes no byte of a request', async () => {
  const { id } = await addEndpoint({ 'X-Key': 'before' })
  const injections: Record<string, unknown>[] = [
    { 'X-Key': 'one\r\nX-Injected: yes' },
    { 'X-Key': 'one\r\n\r\nGET /admin HTTP/1.1' },
    { 'X-Key': 'one\u0000two' },
    { 'X-Key': 'v'.repeat(65_536) },
    { 'X-Key: one\r\nX-Injected': 'yes' },
    { 'x-key': 'one', 'X-Key': 'two' },
    { Host: 'inside.example.com' },
    { 'Content-Length': '0' },
    { 'Transfer-Encoding': 'chunked' },
    { Connection: 'close' },
  ]
  for (const headers of injections) {
    expect((await ask('POST', '', { url: receiver.url, events: ['*'], headers })).status, JSON.stringify(headers)).toBe(400)
    expect((await ask('PATCH', `${id}/`, { headers })).status, JSON.stringify(headers)).toBe(400)
  }
  await ask('POST', `${id}/test/`)
  const [request = ''] = receiver.requests
  expect(headOf(request).map(([name, value]) => (SHOWN.has(name) ? `${name}: ${value}` : name))).toEqual([
    `host: 127.0.0.1:${receiver.port}`,
    'connection: keep-alive',
    'Content-Type: application/json',
    'X-Service-Event: webhook.test',
    'X-Service-Delivery',
    'X-Service-Timestamp',
    'X-Service-Signature',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'traceparent',
    'X-Key: before',
    `User-Agent: ${USER_AGENT}`,
    'content-length',
  ])
})

test('none replaces a header of the service, whatever its row says', async () => {
  const { id } = await addEndpoint()
  const planted = {
    ...{
      'content-type': 'text/plain',
      HOST: 'inside.example.com',
      'content-length': '1',
      'transfer-encoding': 'chunked',
      connection: 'close',
    },
    ...{
      'x-service-event': 'forged',
      'X-SERVICE-SIGNATURE': 'forged',
      'Webhook-Signature': 'forged',
      TRACEPARENT: 'forged',
      'user-agent': 'forged',
    },
    'X-Kept': 'yes',
  }
  const sealed = service.secretBox.seal('webhook-headers', JSON.stringify(planted), id).toString('base64')
  await service.database.run("update webhook_endpoints set header_names = '{X-Kept}', header_values = $2 where id = $1", [id, sealed])
  expect((await ask('POST', `${id}/test/`)).body).toMatchObject({ status_code: 200 })
  const [request = ''] = receiver.requests
  expect(request).not.toMatch(/forged|inside\.example|text\/plain|chunked/)
  expect(Object.fromEntries(headOf(request))).toMatchObject({
    'X-Kept': 'yes',
    'User-Agent': USER_AGENT,
    'Content-Type': 'application/json',
  })
})

test('headers that do not open are not left out: nothing is sent, and the attempt says why', async () => {
  const { id } = await addEndpoint()
  const sealed = service.secretBox.seal('webhook-headers', '{"Authorization":"of another"}', '01a1fe05-a24c-7ba8-87d3-aff0a0245ce1')
  await service.database.run("update webhook_endpoints set header_names = '{Authorization}', header_values = $2 where id = $1", [
    id,
    sealed.toString('base64'),
  ])
  const detail = 'The headers cannot be opened: sealed with another secret key, or for another endpoint.'
  expect((await ask('POST', `${id}/test/`)).body).toMatchObject({ status_code: null, error: { code: 'interrupted', detail } })
  expect(receiver.connections).toBe(0)
})

const SHOWN = new Set(['host', 'connection', 'Content-Type', 'X-Service-Event', 'X-Key', 'User-Agent'])

/** Sends all events once more and waits for the only one. */
async function replayAll(id: string): Promise<void> {
  const before = receiver.requests.length
  const [from, to] = [-3_600_000, 1_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const { status, body } = await ask('POST', `${id}/replay/`, { from, to })
  expect([status, body.matched]).toEqual([202, 1])
  await continueReplay(service.database, { team_id: team.id, replay_id: body.replay_id })
  worker.dispatcher.nudge()
  await expect.poll(() => receiver.requests.length).toBe(before + 1)
}

function headOf(request: string): [name: string, value: string][] {
  const [, ...lines] = request.slice(0, request.indexOf('\r\n\r\n')).split('\r\n')
  return lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
}

function attemptIds({ body }: { body: { results: { id: string; duration_ms: number | null }[] } }): string[] {
  return body.results.flatMap(({ id, duration_ms }) => (duration_ms === null ? [] : [id]))
}

async function addEndpoint(headers?: Record<string, string>): Promise<{ id: string }> {
  return (await ask('POST', '', { url: receiver.url, events: ['submission.created'], ...(headers && { headers }) })).body
}

function ask(method: string, path: string, body?: unknown) {
  return service.send(method, `/api/v1/teams/${team.id}/webhooks/${path}`, { token: team.token, ...(body !== undefined && { body }) })
}
