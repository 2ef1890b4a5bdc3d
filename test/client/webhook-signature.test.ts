import { createHmac, randomBytes } from 'node:crypto'
import { signWebhook, verifyWebhook, WebhookVerificationError } from '@earshot/contracts/webhooks'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const OLD_SECRET = `whsec_${randomBytes(32).toString('base64')}`
const DELIVERY_ID = '01920000-0000-7000-8000-000000000001'
const NOW = new Date('2026-11-20T09:30:00.000Z')
const TIMESTAMP = NOW.getTime() / 1000
const EVENT = {
  id: '01920000-0000-7000-8000-000000000002',
  type: 'submission.created',
  api_version: 'v1',
  created_at: NOW.toISOString(),
  team_id: '01920000-0000-7000-8000-000000000003',
  project_id: null,
  data: { submission: { body: 'Grüße 👋 – "quoted"' } },
}
const BODY = JSON.stringify(EVENT)

const sign = (changes: object = {}) =>
  signWebhook({ body: BODY, secret: SECRET, timestampSeconds: TIMESTAMP, deliveryId: DELIVERY_ID, ...changes })
const hexHmac = (key: string, message: string) => createHmac('sha256', key).update(message).digest('hex')
const codeOf = (verdict: Promise<unknown>) =>
  verdict.then(
    () => 'verified',
    (error) => (error instanceof WebhookVerificationError ? error.code : error),
  )

describe('signing', () => {
  test('the signature is the hex HMAC-SHA256 of timestamp.body, keyed with the secret as shown', async () => {
    const headers = await sign()
    expect(headers['X-Service-Timestamp']).toBe(String(TIMESTAMP))
    expect(headers['X-Service-Signature']).toBe(hexHmac(SECRET, `${TIMESTAMP}.${BODY}`))
    expect(headers).not.toHaveProperty('X-Service-Signature-Previous')
  })

  test('bytes and text sign alike', async () => {
    expect(await sign({ body: Buffer.from(BODY) })).toEqual(await sign())
  })

  test('an empty body can be signed', async () => {
    expect((await sign({ body: '' }))['X-Service-Signature']).toBe(hexHmac(SECRET, `${TIMESTAMP}.`))
  })

  test('the previous secret signs beside the current one', async () => {
    const headers = await sign({ previousSecret: OLD_SECRET })
    expect(headers['X-Service-Signature']).toBe(hexHmac(SECRET, `${TIMESTAMP}.${BODY}`))
    expect(headers['X-Service-Signature-Previous']).toBe(hexHmac(OLD_SECRET, `${TIMESTAMP}.${BODY}`))
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  test('the standardwebhooks package verifies the headers with the new and, after a rotation, the old secret', async () => {
    const now = Math.floor(Date.now() / 1000)
    const headers = await sign({ previousSecret: OLD_SECRET, timestampSeconds: now })
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(EVENT)
    expect(new Webhook(OLD_SECRET).verify(BODY, headers)).toEqual(EVENT)
    expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow('No matching signature')
    expect(() => new Webhook(OLD_SECRET).verify(BODY, { ...headers, 'webhook-id': 'other' })).toThrow('No matching signature')
  })

  test('a secret without its prefix is refused', async () => {
    await expect(sign({ secret: 'c2VjcmV0' })).rejects.toThrow('whsec_')
  })
})

describe('verifying', () => {
  test.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['a view into a larger buffer', Buffer.from(`xx${BODY}yy`).subarray(2, -2)],
    ['an ArrayBuffer', Uint8Array.from(Buffer.from(BODY)).buffer],
  ])('returns the event from %s', async (_kind, rawBody) => {
    expect(await verifyWebhook(rawBody, await sign(), SECRET, { now: NOW })).toEqual(EVENT)
  })

  test('accepts headers as Headers, as Node’s objects, and with lists of one', async () => {
    const headers = await sign()
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const form of [new Headers(headers), lowerCase, lists])
      expect(await verifyWebhook(BODY, form, SECRET, { now: NOW })).toEqual(EVENT)
  })

  test('accepts the Headers of another library', async () => {
    const headers = new Headers(await sign())
    expect(await verifyWebhook(BODY, { get: (name: string) => headers.get(name) }, SECRET, { now: NOW })).toEqual(EVENT)
  })

  test('returns an event of a type that is newer than the package', async () => {
    const newer = { ...EVENT, type: 'widget.seen', data: { widget: { id: 'w' } } }
    const body = JSON.stringify(newer)
    expect(await verifyWebhook(body, await sign({ body }), SECRET, { now: NOW })).toEqual(newer)
  })

  test('a missing secret is an error of the program, not of the delivery', async () => {
    await expect(verifyWebhook(BODY, await sign(), '', { now: NOW })).rejects.toThrow(TypeError)
  })

  test('accepts the previous secret while it still signs, and not after', async () => {
    expect(await verifyWebhook(BODY, await sign({ previousSecret: OLD_SECRET }), OLD_SECRET, { now: NOW })).toEqual(EVENT)
    expect(await codeOf(verifyWebhook(BODY, await sign(), OLD_SECRET, { now: NOW }))).toBe('bad_signature')
  })

  test.each([
    [299, 'verified'],
    [299.999, 'verified'],
    [-299, 'verified'],
    [300, 'timestamp_out_of_range'],
    [-300, 'timestamp_out_of_range'],
    [86_400, 'timestamp_out_of_range'],
  ])('a clock %d seconds ahead of the timestamp: %s', async (aheadSeconds, verdict) => {
    const now = new Date(NOW.getTime() + aheadSeconds * 1000)
    expect(await codeOf(verifyWebhook(BODY, await sign(), SECRET, { now }))).toBe(verdict)
  })

  test('the tolerance can be narrowed', async () => {
    const now = new Date(NOW.getTime() + 10_000)
    expect(await codeOf(verifyWebhook(BODY, await sign(), SECRET, { now, toleranceSeconds: 10 }))).toBe('timestamp_out_of_range')
  })

  test.each<[string, Record<string, string | string[] | undefined>, string]>([
    ['no timestamp', { 'X-Service-Timestamp': undefined }, 'missing_header'],
    ['no signature', { 'X-Service-Signature': undefined }, 'missing_header'],
    ['two signatures', { 'X-Service-Signature': ['a', 'b'] }, 'missing_header'],
    ['a timestamp in words', { 'X-Service-Timestamp': 'yesterday' }, 'bad_timestamp'],
    ['a timestamp with a fraction', { 'X-Service-Timestamp': `${TIMESTAMP}.0` }, 'bad_timestamp'],
    ['an empty timestamp', { 'X-Service-Timestamp': '' }, 'bad_timestamp'],
    ['a timestamp that was not signed', { 'X-Service-Timestamp': String(TIMESTAMP + 1) }, 'bad_signature'],
    ['a signature of zeros', { 'X-Service-Signature': '0'.repeat(64) }, 'bad_signature'],
    ['a short signature', { 'X-Service-Signature': 'abcd' }, 'bad_signature'],
    ['an empty signature', { 'X-Service-Signature': '' }, 'bad_signature'],
    ['a signature that is not hex', { 'X-Service-Signature': 'z'.repeat(64) }, 'bad_signature'],
  ])('refuses %s', async (_what, changes, code) => {
    expect(await codeOf(verifyWebhook(BODY, { ...(await sign()), ...changes }, SECRET, { now: NOW }))).toBe(code)
  })

  test('refuses altered bytes, even if they parse to the same JSON', async () => {
    const headers = await sign()
    expect(await codeOf(verifyWebhook(`${BODY} `, headers, SECRET, { now: NOW }))).toBe('bad_signature')
    expect(await codeOf(verifyWebhook(JSON.stringify(EVENT, null, 1), headers, SECRET, { now: NOW }))).toBe('bad_signature')
  })

  test('verifies before it parses: invalid JSON fails by its signature', async () => {
    expect(await codeOf(verifyWebhook('{not json', await sign(), SECRET, { now: NOW }))).toBe('bad_signature')
    expect(await codeOf(verifyWebhook('{not json', await sign({ body: '{not json' }), SECRET, { now: NOW }))).toBe('bad_body')
    expect(await codeOf(verifyWebhook('[]', await sign({ body: '[]' }), SECRET, { now: NOW }))).toBe('bad_body')
  })
})
