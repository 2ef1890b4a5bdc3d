import { afterEach, beforeEach, expect, test } from 'vitest'
import { hurryClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const EVENTS = 30
/** Polls are this far apart while nothing is due for longer than a claim. */
const TICK_MS = 50
/** A second in which it claims for the endpoint again, and five without work; after a heartbeat, two for what was begun before. */
const QUIET_AFTER_MS = 6_500
const IDLE_AFTER_MS = 2_500

// One each: what is retried for the endpoints of one test keeps the worker of the next one busy.
let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('a change of a team that was served lately is claimed for without a poll', async () => {
  await using receiver = await startReceiver()
  await fixture.addEndpoint(receiver.url)
  let polls = 0
  const { dispatcher, stop } = await fixture.dispatch({
    onStatement: (text) => {
      if (text.includes('is_sendable')) polls += 1
    },
  })
  await fixture.emit()
  await expect.poll(() => receiver.requests.length).toBe(1)

  polls = 0
  const startedAt = performance.now()
  for (let count = 0; count < EVENTS; count += 1) {
    await fixture.emit()
    dispatcher.nudge(fixture.teamId)
    await expect.poll(() => receiver.requests.length, { interval: 1 }).toBe(2 + count)
  }
  expect(polls).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / TICK_MS)
  expect(new Set(receiver.deliveryIds()).size).toBe(1 + EVENTS)
  await stop()
})

test('a worker that was idle polls again, also when the first change is claimed for without a poll', async () => {
  await using known = await startReceiver()
  await using added = await startReceiver()
  await fixture.addEndpoint(known.url, { events: ['submission.created'] })
  let polls = 0
  const { dispatcher, stop } = await fixture.dispatch({
    onStatement: (text) => {
      if (text.includes('is_sendable')) polls += 1
    },
  })
  await fixture.emit()
  await expect.poll(() => known.requests.length).toBe(1)
  using clock = hurryClock()
  clock.pass(QUIET_AFTER_MS)
  const isQuiet = async () => (await fixture.database.run('select from webhook_workers where is_idle', [])).length === 1
  await until('the others know that it is quiet', isQuiet)
  clock.pass(IDLE_AFTER_MS)
  let before = -1
  const isIdle = () => {
    const isSame = polls === before
    before = polls
    return isSame
  }
  await until('it does not poll', isIdle, 15_000, 10 * TICK_MS)

  await fixture.emit()
  dispatcher.nudge(fixture.teamId)
  await expect.poll(() => known.requests.length).toBe(2)
  // As another process would, which notifies nobody: this worker is not idle any more.
  await fixture.addEndpoint(added.url, { events: ['submission.approved'] })
  await fixture.emit('submission.approved')
  await expect.poll(() => added.requests.length, { timeout: 3_000 }).toBe(1)
  await stop()
})

test('an event of an endpoint that is new to the worker is found although its team is known', async () => {
  await using known = await startReceiver()
  await using added = await startReceiver()
  await fixture.addEndpoint(known.url)
  const { dispatcher } = await fixture.dispatch()
  await fixture.emit()
  await expect.poll(() => known.requests.length).toBe(1)
  await fixture.addEndpoint(added.url)
  await fixture.emit()
  dispatcher.nudge(fixture.teamId)
  await expect.poll(() => added.requests.length).toBe(1)
})
