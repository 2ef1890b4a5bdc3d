import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { AttemptRow, DeliveryRow } from '@earshot/db'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeLimits } from '../../jobs/src/sending/exchange.ts'
import { openWebhookFixture } from '../support/webhook-fixture.ts'
import { runAllAttempts } from './attempt-rounds.ts'
import { certificate, makeAuthority } from './certificates.ts'
import { type Fault, LIMIT_MS, NAME, plainFaults, resolve, tlsFaults } from './wire-faults.ts'

const MAX_DELAY_SECONDS = 48 * 3600

const trusted = await makeAuthority('Trusted Test CA')
const systemCertificates = getCACertificates()
const faults = [
  ...plainFaults,
  ...tlsFaults({
    trusted: await certificate(trusted),
    otherHost: await certificate(trusted, { host: 'other.example.com' }),
    expired: await certificate(trusted, { from: -2, to: -1 }),
    notYetValid: await certificate(trusted, { from: 1, to: 2 }),
    selfSigned: await certificate(null),
    unknownAuthority: await certificate(await makeAuthority('Unknown Test CA')),
  }),
]

/** The result of one fault. */
interface Course {
  delivery: DeliveryRow
  attempts: AttemptRow[]
  delays: number[]
  requests: string[]
}

const isTimeout = ({ error }: Fault) => error === 'read_timeout' || error === 'connect_timeout'
const courses = new Map<Fault, Course>()

// All receivers at once, so that the slow ones are waited for together. What is to end by itself has the limits of a real
// service: a busy machine changes nothing.
beforeAll(async () => {
  setDefaultCACertificates([...systemCertificates, trusted.cert])
  const limits = { connectTimeoutMs: LIMIT_MS, responseTimeoutMs: LIMIT_MS }
  await Promise.all([
    play(faults.filter((fault) => !isTimeout(fault))),
    play(
      faults.filter((fault) => isTimeout(fault)),
      limits,
    ),
  ])
}, 120_000)
afterAll(() => setDefaultCACertificates(systemCertificates))

describe.each(faults.map((fault) => [fault.what, fault] as const))('%s', (_what, fault) => {
  const count = fault.ends === 'failed after eight' ? 8 : 1

  test(`${fault.error ?? fault.status}: each attempt has a row with the response`, () => {
    const { attempts, requests } = courseOf(fault)
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        trigger: 'auto',
        status_code: fault.status,
        error_code: fault.error,
        error_detail: fault.error && expect.stringMatching(/^[A-Z].*\.$/),
        response_headers: fault.status === null ? null : expect.any(Object),
        response_body_truncated: fault.isTruncated ?? false,
        finished_at: expect.any(String),
        duration_ms: expect.any(Number),
      })
      expectBody(attempt.response_body, fault.body)
    }
    expect(requests).toHaveLength(fault.isReached === false ? 0 : count)
  })

  test(`the delivery ${fault.ends.replace('failed', 'fails')}, each wait within its bounds`, () => {
    const { delivery, delays } = courseOf(fault)
    const state = fault.ends === 'succeeded' ? 'succeeded' : 'failed'
    expect(delivery).toMatchObject({ state, attempt_count: count, next_attempt_at: null, worker_id: null, lease_until: null })
    expect(delays).toHaveLength(count - 1)
    for (const [index, seconds] of delays.entries()) {
      const meanSeconds = 30 * 4 ** index
      const atLeast = fault.retryAfterSeconds ?? 0
      expect(seconds).toBeGreaterThanOrEqual(Math.max(meanSeconds * 0.8, atLeast) - 0.001)
      expect(seconds).toBeLessThanOrEqual(Math.min(MAX_DELAY_SECONDS, Math.max(meanSeconds * 1.2, atLeast) + 0.001))
    }
  })
})

test('an attempt that hangs ends at its limit, and none takes much longer', () => {
  for (const fault of faults.filter(isTimeout)) {
    for (const { duration_ms } of courseOf(fault).attempts) {
      expect(duration_ms, fault.what).toBeGreaterThanOrEqual(LIMIT_MS - 10)
      expect(duration_ms, fault.what).toBeLessThan(LIMIT_MS * 3)
    }
  }
})

test('all attempts at a receiver carry the same delivery id', () => {
  for (const { delivery, requests } of courses.values()) {
    for (const request of requests) expect(request).toContain(`X-Service-Delivery: ${delivery.id}\r\n`)
  }
})

test('a receiver that a name stands for gets that name as its host', () => {
  const [named] = faults.filter(({ what }) => what === 'TLS with a trusted certificate')
  expect(named && courseOf(named).requests[0]).toMatch(new RegExp(`\r\nhost: ${NAME}:\\d+\r\n`))
})

/** Gives each fault an endpoint and a delivery to it, and lets that have all its attempts. */
async function play(these: Fault[], limits: Partial<ExchangeLimits> = {}): Promise<void> {
  const fixture = await openWebhookFixture()
  await using receivers = new AsyncDisposableStack()
  receivers.defer(fixture.close)
  const opened = await Promise.all(these.map(async (fault) => ({ fault, receiver: receivers.use(await fault.open()) })))
  const endpoints = new Map<string, (typeof opened)[number]>()
  for (const entry of opened) endpoints.set((await fixture.addEndpoint(entry.receiver.url)).id, entry)
  const ids = await fixture.emit()
  const { dispatcher } = await fixture.dispatch({ resolve, ...limits, backoffBaseMs: 30_000 })
  const delays = await runAllAttempts(fixture, dispatcher)
  for (const id of ids) {
    const delivery = await fixture.delivery(id)
    const entry = endpoints.get(delivery.endpoint_id)
    if (!entry) throw new Error('A delivery of no endpoint')
    const requests = entry.receiver.requests ?? []
    courses.set(entry.fault, { delivery, attempts: await fixture.attempts(id), delays: delays.get(id) ?? [], requests })
  }
}

function courseOf(fault: Fault): Course {
  const course = courses.get(fault)
  if (!course) throw new Error(`Nothing came of ${fault.what}`)
  return course
}

function expectBody(body: Uint8Array | null, expected: Fault['body']): void {
  if (expected === null) expect(body).toBeNull()
  else if (expected instanceof RegExp) expect(Buffer.from(body ?? '').toString()).toMatch(expected)
  else expect(Buffer.compare(Buffer.from(body ?? ''), Buffer.from(expected))).toBe(0)
}
