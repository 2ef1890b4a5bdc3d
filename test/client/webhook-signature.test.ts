import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign as signWith, verify } from 'node:crypto'
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

const [PAIR, OLD_PAIR] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
const [PUBLIC_KEY, OLD_PUBLIC_KEY] = [PAIR, OLD_PAIR].map(({ publicKey }) => shown(publicKey)) as [string, string]
const SIGNERS = [PAIR, OLD_PAIR].map(
  ({ privateKey }) =>
    (message: Uint8Array) =>
      signWith(null, message, privateKey),
)

/** As Standard Webhooks shows a public key. */
function shown(publicKey: KeyObject): string {
  return `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
}

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

  test('key pairs sign id.timestamp.body as v1a, after the secrets, and ready-made verifiers pass over that', async () => {
    const now = Math.floor(Date.now() / 1000)
    const headers = await sign({ previousSecret: OLD_SECRET, signers: SIGNERS, timestampSeconds: now })
    const entries = headers['webhook-signature']?.split(' ').map((entry) => entry.split(',')) ?? []
    expect(entries.map(([version]) => version)).toEqual(['v1', 'v1', 'v1a', 'v1a'])
    const message = Buffer.from(`${DELIVERY_ID}.${now}.${BODY}`)
    for (const [index, publicKey] of [PUBLIC_KEY, OLD_PUBLIC_KEY].entries()) {
      const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url')
      const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
      expect(verify(null, message, key, Buffer.from(entries[index + 2]?.[1] ?? '', 'base64'))).toBe(true)
    }
    for (const secret of [SECRET, OLD_SECRET]) expect(new Webhook(secret).verify(BODY, headers)).toEqual(EVENT)
    const first = {
      ...headers,
      'webhook-signature': entries
        .toReversed()
        .map((entry) => entry.join(','))
        .join(' '),
    }
    expect(new Webhook(SECRET).verify(BODY, first)).toEqual(EVENT)
    expect(await verifyWebhook(BODY, headers, SECRET)).toEqual(EVENT)
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

describe('verifying with a public key', () => {
  const verdict = async (changes: Record<string, string | undefined> = {}, { key = PUBLIC_KEY, body = BODY } = {}) =>
    codeOf(verifyWebhook(body, { ...(await sign({ signers: SIGNERS })), ...changes }, key, { now: NOW }))

  test('returns the event, by the current key and by the previous one while it signs', async () => {
    for (const key of [PUBLIC_KEY, OLD_PUBLIC_KEY]) {
      expect(await verifyWebhook(BODY, await sign({ signers: SIGNERS }), key, { now: NOW })).toEqual(EVENT)
    }
    expect(await codeOf(verifyWebhook(BODY, await sign({ signers: SIGNERS.slice(0, 1) }), OLD_PUBLIC_KEY, { now: NOW }))).toBe(
      'bad_signature',
    )
  })

  test('needs none of the headers of the secret', async () => {
    const { 'X-Service-Signature': _own, 'X-Service-Timestamp': _time, ...standard } = await sign({ signers: SIGNERS })
    expect(await verifyWebhook(BODY, standard, PUBLIC_KEY, { now: NOW })).toEqual(EVENT)
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ['no id', { 'webhook-id': undefined }, 'missing_header'],
    ['another id', { 'webhook-id': 'other' }, 'bad_signature'],
    ['no timestamp', { 'webhook-timestamp': undefined }, 'missing_header'],
    ['a timestamp that was not signed', { 'webhook-timestamp': String(TIMESTAMP + 1) }, 'bad_signature'],
    ['an old timestamp', { 'webhook-timestamp': String(TIMESTAMP - 300) }, 'timestamp_out_of_range'],
    ['a timestamp in words', { 'webhook-timestamp': 'yesterday' }, 'bad_timestamp'],
    ['no signature', { 'webhook-signature': undefined }, 'missing_header'],
    ['a signature of zeros', { 'webhook-signature': `v1a,${Buffer.alloc(64).toString('base64')}` }, 'bad_signature'],
    ['a signature that is not base64', { 'webhook-signature': 'v1a,*' }, 'bad_signature'],
    ['a version without a signature', { 'webhook-signature': 'v1a' }, 'bad_signature'],
  ])('refuses %s', async (_what, changes, code) => {
    expect(await verdict(changes)).toBe(code)
  })

  test('refuses a valid signature under the version of another scheme', async () => {
    const { 'webhook-signature': signatures = '' } = await sign({ signers: SIGNERS })
    expect(await verdict({ 'webhook-signature': signatures.replaceAll('v1a,', 'v1,') })).toBe('bad_signature')
  })

  test('refuses another key and altered bytes', async () => {
    expect(await verdict({}, { key: shown(generateKeyPairSync('ed25519').publicKey) })).toBe('bad_signature')
    expect(await verdict({}, { body: `${BODY} ` })).toBe('bad_signature')
  })

  test('a key of another length is an error of the program', async () => {
    expect(await verdict({}, { key: `whpk_${Buffer.alloc(31).toString('base64')}` })).toBeInstanceOf(TypeError)
  })
})
