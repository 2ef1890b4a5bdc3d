import { createHash, createHmac } from 'node:crypto'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttemptRow } from '../../db/src/webhooks/attempts.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'
import { withStatus } from '../support/raw-responses.ts'
import { makeSecret, openWebhookFixture, USER_AGENT, type WebhookFixture } from '../support/webhook-fixture.ts'
import { runAllAttempts } from './attempt-rounds.ts'

/** What JSON parsers, charsets and text tools like to change. */
const AWKWARD = {
  submission: {
    body: 'Grüße, 世界 \u{1f600} \u2028 "\\/" \r\n\t é e\u0301 </script> ',
    rating: 4.5,
    big: 9_007_199_254_740_991,
    none: null,
    ' ': [],
  },
}
const SIGNING = ['x-service-timestamp', 'x-service-signature', 'x-service-signature-previous', 'webhook-timestamp', 'webhook-signature']

interface Sent {
  head: [name: string, value: string][]
  headers: Record<string, string>
  body: Buffer
}

let fixture: WebhookFixture
let deliveryId: string
let attempts: AttemptRow[]
let event: { payload: string; payload_sha256: string } | undefined
let sent: Sent[]
const secrets: string[] = []
const rotated = makeSecret()

// Eight attempts, each in a second of its own; after the fourth the secret is rotated.
beforeAll(async () => {
  fixture = await openWebhookFixture()
  await using receiver = await startRawReceiver(withStatus(503))
  const endpoint = await fixture.addEndpoint(`${receiver.url}?a=1&b=%20`)
  const { client } = fixture.database
  const ids = await fixture.emit('submission.created', AWKWARD)
  deliveryId = ids[0] ?? ''
  const { dispatcher } = await fixture.dispatch({ backoffBaseMs: 30_000 })
  await runAllAttempts(fixture, {
    ...dispatcher,
    async afterRound(round) {
      secrets.push(round <= 4 ? endpoint.secret : rotated)
      if (round !== 4) return
      const sealed = createSecretBox(fixture.secretKey).seal('webhook-secret', rotated, endpoint.id).toString('base64')
      await client`update webhook_endpoints set previous_secret = secret, secret = ${sealed}, previous_secret_expires_at = now() + interval '1 day'`
    },
  })
  attempts = await fixture.attempts(deliveryId)
  const rows = await client<{ payload: string; payload_sha256: string }[]>`select payload, payload_sha256 from events`
  event = rows[0]
  sent = receiver.requests.map(readRequest)
}, 60_000)
afterAll(() => fixture.close())

describe('over eight attempts', () => {
  test('the body is always the bytes of the event', () => {
    expect(sent).toHaveLength(8)
    for (const { body } of sent) {
      expect(body.toString()).toBe(event?.payload)
      expect(createHash('sha256').update(body).digest('hex')).toBe(event?.payload_sha256)
      expect(Buffer.compare(body, sent[0]?.body ?? Buffer.alloc(0))).toBe(0)
    }
    expect(JSON.parse(event?.payload ?? '').data).toEqual(AWKWARD)
  })

  test('all headers but the signature’s and the span’s keep their name, order and value', () => {
    const [first, ...others] = sent.map(({ head }) => head.filter(([name]) => ![...SIGNING, 'traceparent'].includes(name.toLowerCase())))
    expect(Object.fromEntries(first ?? [])).toMatchObject({
      'Content-Type': 'application/json',
      'X-Service-Event': 'submission.created',
      'X-Service-Delivery': deliveryId,
      'webhook-id': deliveryId,
      'User-Agent': USER_AGENT,
      'content-length': String(sent[0]?.body.length),
    })
    for (const other of others) expect(other).toEqual(first)
  })

  test('traceparent has the event’s id as the trace and the attempt’s as the span', () => {
    const trace = String(JSON.parse(event?.payload ?? '').id).replaceAll('-', '')
    const expected = attempts.map(({ id }) => `00-${trace}-${id.replaceAll('-', '').slice(16)}-01`)
    expect(sent.map(({ headers }) => headers.traceparent)).toEqual(expected)
    expect(new Set(expected).size).toBe(8)
    // W3C Trace Context §3.2.2.
    for (const value of expected) expect(value).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/)
  })

  test('both timestamp headers carry the time of the attempt’s row, later each time', () => {
    const timestamps = sent.map(({ headers }) => Number(headers['x-service-timestamp']))
    expect(timestamps).toEqual(attempts.map(({ started_at }) => Math.floor(Date.parse(started_at) / 1000)))
    expect(sent.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(timestamps)
    expect(new Set(timestamps).size).toBe(8)
    expect(timestamps.toSorted((one, other) => one - other)).toEqual(timestamps)
  })

  test('each attempt is signed with the current secret, and after a rotation with the previous one too', () => {
    for (const [index, { headers, body }] of sent.entries()) {
      const secret = secrets[index] ?? ''
      const previous = index < 4 ? null : (secrets[0] ?? '')
      expect(headers['x-service-signature']).toBe(hexSignature(secret, headers, body))
      expect(headers['x-service-signature-previous']).toBe(previous === null ? undefined : hexSignature(previous, headers, body))
      const standard = [secret, ...(previous === null ? [] : [previous])].map((one) => standardSignature(one, headers, body))
      expect(headers['webhook-signature']).toBe(standard.join(' '))
    }
    for (const name of ['x-service-signature', 'webhook-signature']) expect(new Set(sent.map(({ headers }) => headers[name])).size).toBe(8)
  })
})

/** As the specification words it: "<timestamp>.<raw body>", keyed with the secret's text. */
function hexSignature(secret: string, headers: Sent['headers'], body: Buffer): string {
  return createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex')
}

/** As standardwebhooks.com words it: "<id>.<timestamp>.<raw body>", keyed with the bytes behind whsec_. */
function standardSignature(secret: string, headers: Sent['headers'], body: Buffer): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body).digest('base64')}`
}

/** From the bytes as they came. */
function readRequest(request: string): Sent {
  const end = request.indexOf('\r\n\r\n')
  const [, ...lines] = request.slice(0, end).split('\r\n')
  const head = lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  const headers = Object.fromEntries(head.map(([name, value]) => [name.toLowerCase(), value]))
  return { head, headers, body: Buffer.from(request.slice(end + 4), 'latin1') }
}
