import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { arrivalsAt, attemptsTo } from '../support/arrivals.ts'
import { measureLateness } from '../support/lateness.ts'
import { ok, type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

/** From its claim to its arrival a request takes up to this much longer than another one, where its process need not wait for a processor. */
const JITTER_SECONDS = 0.25
/** How much longer than the limit says a backlog may take. A busy machine sends no thousand a second. */
const SLACK = 1.1
const BUSY_SLACK = 6
/** Until a worker has seen that a limit changed: a poll, and at most the turn that the old limit gave out. */
const CHANGED_MS = 1_500
/** It takes 20 ms, and some 300 on a busy machine; two seconds if it waits for slots of the others. */
const PROMPT_MS = 1_000
const ENDPOINTS = 200

// These tests mostly wait, so they wait beside each other, the longest first. Those that send a thousand a second, or measure closely, run alone.
describe.concurrent('beside each other', () => {
  test('a limit that is raised, removed or set counts within about a second', async () => {
    await using fixture = await openWebhookFixture()
    await using receiver = await startReceiver()
    const endpointId = await addLimited(fixture, receiver.url, 1)
    await fixture.addBacklog(endpointId, 2_000)
    await fixture.dispatch()
    await arrived(receiver, 2)
    using late = measureLateness()
    const expectSoon = async (limit: number | null, count: number) => {
      const [startedAt, before] = [performance.now(), late.seconds()]
      await fixture.setLimit(endpointId, limit)
      await arrived(receiver, count)
      expect(performance.now() - startedAt).toBeLessThan(CHANGED_MS + 1_000 * (late.seconds() - before))
    }
    await expectSoon(50, 2 + 20)
    await expectSoon(null, receiver.requests.length + 150)

    await fixture.setLimit(endpointId, 5)
    await delay(CHANGED_MS)
    const before = receiver.requests.length
    const lateBefore = late.seconds()
    const startedAt = performance.now()
    await arrived(receiver, before + 10)
    const seconds = (performance.now() - startedAt) / 1_000
    expect(seconds).toBeGreaterThanOrEqual((10 - 2) / 5)
    expect(seconds).toBeLessThanOrEqual((10 + 2) / 5 + late.seconds() - lateBefore)
  })

  test('a backlog of an endpoint with a limit costs a claim a second, and no more polls than nothing', async () => {
    await using fixture = await openWebhookFixture()
    await using receiver = await startReceiver()
    await fixture.addBacklog(await addLimited(fixture, receiver.url, 1), 100)
    let [claims, polls] = [0, 0]
    await fixture.dispatch({
      onStatement: (text) => {
        if (isClaim(text)) claims += 1
        if (text.includes('is_sendable')) polls += 1
      },
    })
    await arrived(receiver, 1)
    ;[claims, polls] = [0, 0]
    const startedAt = performance.now()
    await arrived(receiver, 5)
    const seconds = (performance.now() - startedAt) / 1_000
    expect(claims).toBeLessThanOrEqual(6)
    expect(polls).toBeLessThanOrEqual(10 * seconds + 3)
  })

  test.for([
    { limit: 1, count: 4, workers: 1 },
    { limit: 5, count: 16, workers: 1 },
    { limit: 20, count: 61, workers: 1 },
    { limit: 5, count: 16, workers: 2 },
    { limit: 20, count: 61, workers: 2 },
  ])('with a limit of $limit, $workers worker(s) send a backlog of $count at that rate', (backlog) =>
    expectRate({ ...backlog, slack: SLACK }),
  )

  test('retries count against the limit', async () => {
    await using fixture = await openWebhookFixture()
    const tried = new Set<unknown>()
    await using receiver = await startReceiver((response, { headers }) => {
      const id = headers['x-service-delivery']
      if (!tried.has(id)) response.statusCode = 503
      tried.add(id)
      ok(response)
    })
    const endpointId = await addLimited(fixture, receiver.url, 20)
    await fixture.addBacklog(endpointId, 25)
    await fixture.dispatch({ backoffBaseMs: 1 })
    await arrived(receiver, 50)
    await expectLimit(fixture, receiver, endpointId, 20)
  })

  test('the time that deliveries wait for a limit is in no metric', async () => {
    await using fixture = await openWebhookFixture()
    await using receiver = await startReceiver()
    await fixture.addBacklog(await addLimited(fixture, receiver.url, 5), 3)
    await fixture.addEndpoint(`${receiver.url}/free`, { events: ['submission.created'] })
    await fixture.emit()
    const registry = new Registry()
    await fixture.dispatch({ registry })
    await arrived(receiver, 4)
    const waits = await registry.getSingleMetricAsString('earshot_webhook_wait_seconds')
    expect(waits).toContain('earshot_webhook_wait_seconds_count 1')
  })
})

test.for([
  { limit: 1_000, count: 3_000, workers: 1 },
  { limit: 1_000, count: 3_000, workers: 2 },
])('with a limit of $limit, $workers worker(s) send a backlog of $count at that rate', (backlog) =>
  expectRate({ ...backlog, slack: BUSY_SLACK }),
)

test('a worker claims for an endpoint with a limit no more than 25 times a second', async () => {
  await using fixture = await openWebhookFixture()
  await using receiver = await startReceiver()
  await fixture.addBacklog(await addLimited(fixture, receiver.url, 200), 400)
  let claims = 0
  await fixture.dispatch({
    onStatement: (text) => {
      if (isClaim(text)) claims += 1
    },
  })
  await arrived(receiver, 50)
  claims = 0
  const startedAt = performance.now()
  await arrived(receiver, 350)
  const seconds = (performance.now() - startedAt) / 1_000
  expect(claims).toBeLessThanOrEqual(25 * seconds + 2)
})

test('deliveries to other endpoints do not wait for any number of endpoints with a limit', async () => {
  await using fixture = await openWebhookFixture()
  await using receiver = await startReceiver()
  for (let index = 0; index < ENDPOINTS; index += 1) {
    await fixture.addBacklog(await addLimited(fixture, `${receiver.url}/${index}`, 1), 20)
  }
  await fixture.addBacklog(await addLimited(fixture, `${receiver.url}/flooded`, 5), 5_000)
  await fixture.addEndpoint(`${receiver.url}/free`)
  const { dispatcher } = await fixture.dispatch()
  await until('endpoints with a limit are served', () => receiver.requests.length > ENDPOINTS)
  using late = measureLateness()
  for (let sent = 1; sent <= 20; sent += 1) {
    const [startedAt, before] = [performance.now(), late.seconds()]
    await fixture.emit()
    dispatcher.nudge(fixture.teamId)
    await until('it arrived', () => arrivalsAt(receiver, '/free').count === sent)
    expect(performance.now() - startedAt).toBeLessThan(PROMPT_MS + 1_000 * (late.seconds() - before))
  }
  expect(arrivalsAt(receiver, '/flooded').mostPerSecond).toBeLessThanOrEqual(7)
})

/** Has workers send a backlog, and checks that they use the limit up and keep it. */
async function expectRate({ limit, count, workers, slack }: { limit: number; count: number; workers: number; slack: number }) {
  await using fixture = await openWebhookFixture()
  await using receiver = await startReceiver()
  const endpointId = await addLimited(fixture, receiver.url, limit)
  const ids = await fixture.addBacklog(endpointId, count)
  using late = measureLateness()
  for (let worker = 0; worker < workers; worker += 1) await fixture.dispatch()
  await arrived(receiver, count)
  expect(receiver.deliveryIds().sort()).toEqual(ids.sort())
  await expectLimit(fixture, receiver, endpointId, limit)
  expect(arrivalsAt(receiver).seconds).toBeLessThan((slack * (count - 1)) / limit + JITTER_SECONDS + late.seconds())
}

function isClaim(text: string): boolean {
  return text.includes('skip locked') && text.includes('webhook_limits')
}

async function addLimited(fixture: WebhookFixture, url: string, limit: number): Promise<string> {
  const { id } = await fixture.addEndpoint(url, { events: ['submission.approved'] })
  await fixture.setLimit(id, limit)
  return id
}

function arrived(receiver: Receiver, count: number): Promise<void> {
  return until(`${count} arrived`, () => receiver.requests.length >= count)
}

/**
 * No second has more than a tenth more than the limit, or one more: exact when they are claimed, and with the way to the receiver. All
 * together are no faster than the limit, but for that tenth of a second.
 */
async function expectLimit(fixture: WebhookFixture, receiver: Receiver, endpointId: string, limit: number): Promise<void> {
  const attempts = await attemptsTo(fixture, endpointId)
  expect(attempts.mostPerSecond).toBeLessThanOrEqual(1.1 * limit + 1)
  expect(attempts.seconds).toBeGreaterThanOrEqual((attempts.count - 1) / limit - 0.1)
  expect(arrivalsAt(receiver).mostPerSecond).toBeLessThanOrEqual((1.1 + JITTER_SECONDS) * limit + 1)
}
