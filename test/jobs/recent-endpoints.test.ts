import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const EVENTS = 30
/** Polls are this far apart while nothing is due for longer than a claim. */
const TICK_MS = 50

let fixture: WebhookFixture
beforeAll(async () => {
  fixture = await openWebhookFixture()
})
afterAll(() => fixture.close())

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
