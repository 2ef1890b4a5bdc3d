import type { DeliveredEvent } from './schemas/event-payloads.ts'

const SECRET_PREFIX = 'whsec_'
const PUBLIC_KEY_PREFIX = 'whpk_'
const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' }
const HEX_SHA256 = /^[0-9a-f]{64}$/i
const ED25519 = { name: 'Ed25519' }
const ED25519_KEY_BYTES = 32
/** The 64 bytes of a signature in base64. */
const BASE64_ED25519 = /^[A-Za-z0-9+/]{86}==$/
const UNIX_SECONDS = /^\d{1,12}$/
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const encoder = new TextEncoder()

/**
 * The event of a delivery. A `switch` over `type` narrows `data`; its `default` branch holds a `NewerWebhookEvent`, so that a
 * receiver keeps working when the service adds event types.
 */
export type WebhookEvent = DeliveredEvent | NewerWebhookEvent

/** An event of a type that this version of the package does not know. Respond with 2xx and ignore it. */
export interface NewerWebhookEvent extends Omit<DeliveredEvent, 'type' | 'api_version' | 'data'> {
  type: NewerWebhookEventType
  api_version: string
  data: Record<string, unknown>
}

/**
 * Any other text. With `string`, which includes the known types, `===` could not narrow; no known type matches this pattern.
 * Only the compiler uses it: the value is the type as it was sent.
 */
type NewerWebhookEventType = `newer than this package: ${string}`

export interface WebhookToSign {
  /** The exact bytes that are sent. */
  body: string | Uint8Array
  /** The endpoint's secret as shown: `whsec_` and base64. A caller that signs often passes a signer that keeps its keys. */
  secret: string | SecretSigner
  timestampSeconds: number
  deliveryId: string
  /** The previous secret, while it still signs after a rotation. */
  previousSecret?: string | SecretSigner | undefined
  /** Sign with Ed25519 (RFC 8032): the endpoint's private key, and the previous one while it still signs. */
  signers?: readonly Sign[]
}

/** Signs with a secret, by HMAC-SHA256 (RFC 2104). The message that is signed is `start`, which is ASCII, followed by `body`. */
export interface SecretSigner {
  /** Returns `X-Service-Signature`: in hex, with the key `own` of `webhookKeys`. */
  own: (start: string, body: Uint8Array) => string | Promise<string>
  /** Returns `v1` of Standard Webhooks: in base64, with the key `standard`. */
  standard: (start: string, body: Uint8Array) => string | Promise<string>
}

/** Signs the message of Standard Webhooks. */
export type Sign = (message: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>

/** `Headers` of a `Request`, or a record such as Node's `request.headers`. */
export type WebhookHeaders = { get: (name: string) => string | null } | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** The current time; defaults to the clock. */
  now?: Date
  /** Timestamps that differ from the current time by this much or more are refused. Defaults to 300. */
  toleranceSeconds?: number
}

export type WebhookVerificationCode = 'missing_header' | 'bad_timestamp' | 'timestamp_out_of_range' | 'bad_signature' | 'bad_body'

/** A delivery that must not be trusted; `code` is the reason. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode

  constructor(code: WebhookVerificationCode, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

/** Returns all signature headers of an attempt: Earshot's own and those of Standard Webhooks (standardwebhooks.com). */
export async function signWebhook(webhook: WebhookToSign): Promise<Record<string, string>> {
  const { deliveryId } = webhook
  const timestamp = String(webhook.timestampSeconds)
  const body = typeof webhook.body === 'string' ? toBytes(webhook.body) : webhook.body
  const standardStart = `${deliveryId}.${timestamp}.`
  const secrets = [signerOf(webhook.secret), ...(webhook.previousSecret === undefined ? [] : [signerOf(webhook.previousSecret)])]
  const [own = '', ownPrevious] = await Promise.all(secrets.map((secret) => secret.own(`${timestamp}.`, body)))
  const symmetric = await Promise.all(secrets.map((secret) => secret.standard(standardStart, body)))
  const asymmetric = await Promise.all((webhook.signers ?? []).map((sign) => sign(joinBytes(standardStart, body))))
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': own,
    ...(ownPrevious !== undefined && { 'X-Service-Signature-Previous': ownPrevious }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    // A space-separated list, so that a secret can be rotated without a gap (Standard Webhooks, "Signature scheme").
    'webhook-signature': [
      ...symmetric.map((signature) => `v1,${signature}`),
      ...asymmetric.map((signature) => `v1a,${toBase64(signature)}`),
    ].join(' '),
  }
}

/**
 * Returns the keys of a secret: the secret's text as shown, prefix included, for `X-Service-Signature`, and the decoded base64 after
 * `whsec_` for `webhook-signature`.
 */
export function webhookKeys(secret: string): { own: Uint8Array<ArrayBuffer>; standard: Uint8Array<ArrayBuffer> } {
  return { own: ownKey(secret), standard: fromBase64(secret.slice(SECRET_PREFIX.length)) }
}

/**
 * Verifies a delivery and returns its event. Pass the raw bytes of the body: they are verified before they are parsed. `secret` is
 * the secret of the endpoint (`whsec_…`), or its public key (`whpk_…`) if this receiver is not to know the secret. After a rotation,
 * a signature by the previous one is valid too. Throws `WebhookVerificationError`.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = toBytes(rawBody)
  const isAuthentic = secret.startsWith(PUBLIC_KEY_PREFIX)
    ? await verifyAsymmetric(body, headers, publicKey(secret), options)
    : await verifySymmetric(body, headers, ownKey(secret), options)
  if (!isAuthentic) throw new WebhookVerificationError('bad_signature', 'No signature matches this secret and body.')
  return parseBody(body)
}

async function verifySymmetric(body: Bytes, headers: WebhookHeaders, key: Bytes, options: VerifyOptions): Promise<boolean> {
  const timestamp = requireHeader(headers, 'X-Service-Timestamp')
  const signatures = [requireHeader(headers, 'X-Service-Signature'), readHeader(headers, 'X-Service-Signature-Previous')]
  requireRecent('X-Service-Timestamp', timestamp, options)
  const imported = await importKey(key, 'verify')
  const message = joinBytes(`${timestamp}.`, body)
  // WebCrypto compares in constant time.
  return anyVerifies(signatures, (signature = '') =>
    HEX_SHA256.test(signature) ? crypto.subtle.verify('HMAC', imported, fromHex(signature), message) : false,
  )
}

/** Verifies the `v1a` signatures of Standard Webhooks, and passes over all others. */
async function verifyAsymmetric(body: Bytes, headers: WebhookHeaders, key: Bytes, options: VerifyOptions): Promise<boolean> {
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const deliveryId = requireHeader(headers, 'webhook-id')
  const signatures = requireHeader(headers, 'webhook-signature').split(' ')
  requireRecent('webhook-timestamp', timestamp, options)
  const imported = await crypto.subtle.importKey('raw', key, ED25519, false, ['verify'])
  const message = joinBytes(`${deliveryId}.${timestamp}.`, body)
  return anyVerifies(signatures, (entry) => {
    const [version, signature = ''] = entry.split(',')
    if (version !== 'v1a' || !BASE64_ED25519.test(signature)) return false
    return crypto.subtle.verify(ED25519, imported, fromBase64(signature), message)
  })
}

async function anyVerifies<Entry>(entries: readonly Entry[], verify: (entry: Entry) => boolean | Promise<boolean>): Promise<boolean> {
  return (await Promise.all(entries.map(verify))).includes(true)
}

function requireRecent(header: string, timestamp: string, { now = new Date(), toleranceSeconds = 300 }: VerifyOptions): void {
  if (!UNIX_SECONDS.test(timestamp)) throw new WebhookVerificationError('bad_timestamp', `${header} is not a number of seconds.`)
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) >= toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_out_of_range', `${header} differs from the clock by ${toleranceSeconds} seconds or more.`)
  }
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name)
  if (value === undefined) throw new WebhookVerificationError('missing_header', `The header ${name} is missing or repeated.`)
  return value
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  // Not instanceof: the Headers of a polyfill or another realm are of another class.
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name.toLowerCase() ? (value ?? []) : []))
  return values.length === 1 ? values[0] : undefined
}

function parseBody(body: Bytes): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new WebhookVerificationError('bad_body', 'The signed body is not JSON.')
  }
  if (typeof event !== 'object' || event === null || !('id' in event) || !('type' in event) || !('data' in event)) {
    throw new WebhookVerificationError('bad_body', 'The signed body is not an event.')
  }
  // Proven: the bytes are signed by the service, whose contract promises their shape.
  return event as WebhookEvent
}

type Bytes = Uint8Array<ArrayBuffer>

/** Returns the key of `X-Service-Signature`: the secret's text as shown, prefix included. */
function ownKey(secret: string): Bytes {
  requirePrefix(secret)
  return toBytes(secret)
}

/** Returns the key of `v1a` signatures: the decoded base64 after `whpk_`. */
function publicKey(shown: string): Bytes {
  const key = fromBase64(shown.slice(PUBLIC_KEY_PREFIX.length))
  if (key.length !== ED25519_KEY_BYTES) throw new TypeError(`A public key is ${PUBLIC_KEY_PREFIX} and 32 bytes in base64`)
  return key
}

/** Throws a TypeError for a secret that was never set: that is a bug in the program, not a bad delivery. */
function requirePrefix(secret: string): void {
  if (!secret.startsWith(SECRET_PREFIX)) throw new TypeError(`A webhook secret starts with ${SECRET_PREFIX}`)
}

/** WebCrypto works in browsers too. */
function signerOf(secret: string | SecretSigner): SecretSigner {
  if (typeof secret !== 'string') return secret
  const keys = webhookKeys(secret)
  return {
    own: async (start, body) => toHex(await hmac(keys.own, joinBytes(start, body))),
    standard: async (start, body) => toBase64(await hmac(keys.standard, joinBytes(start, body))),
  }
}

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(key, 'sign'), message))
}

function importKey(key: Bytes, usage: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', key, HMAC_SHA256, false, [usage])
}

function toBytes(value: string | Uint8Array | ArrayBuffer): Bytes {
  return typeof value === 'string' ? encoder.encode(value) : new Uint8Array(value)
}

function joinBytes(prefix: string, body: Uint8Array): Bytes {
  const start = toBytes(prefix)
  const joined = new Uint8Array(start.length + body.length)
  joined.set(start)
  joined.set(body, start.length)
  return joined
}

function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += HEX_BYTES[byte]
  return hex
}

function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(base64: string): Bytes {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index)
  return bytes
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
