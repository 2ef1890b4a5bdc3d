import { createHmac, createPrivateKey, createSecretKey, type KeyObject, sign } from 'node:crypto'
import { isReservedHeader } from '@earshot/contracts'
import { type SecretSigner, type Sign, signWebhook, webhookKeys } from '@earshot/contracts/webhooks'
import type { ClaimedDelivery } from '@earshot/db/dispatch'
import type { SecretBox } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import { renderChatBody } from './chat/render.ts'
import type { DeliveryRequest } from './send-delivery.ts'

/** What is sealed for an endpoint, by its purpose. */
const SEALED = { 'webhook-secret': 'The signing secret', 'webhook-signing-key': 'The signing key', 'webhook-headers': 'The headers' }
/** What is opened is cached by endpoint and sealed text, which changes when it does: that many characters of sealed texts in all. */
const MAX_CACHED_CHARACTERS = 4_000_000

export interface ComposerOptions {
  secretBox: SecretBox
  /** The start of links in messages for chats. */
  baseUrl: string
}

/** Creates the request of an attempt. Throws an `AttemptFailure` for a delivery that cannot be sent. */
export type ComposeRequest = (delivery: ClaimedDelivery) => Promise<Omit<DeliveryRequest, 'signal'>>

/** Creates requests whose body is the stored bytes of the event, or a message made of it. Each attempt has a new signature and is a span of its own. */
export function createRequestComposer({ secretBox, baseUrl }: ComposerOptions): ComposeRequest {
  const secretOf = createOpener(secretBox, 'webhook-secret', toSecretSigner)
  const keyOf = createOpener(secretBox, 'webhook-signing-key', toPrivateKey)
  const headersOf = createOpener(secretBox, 'webhook-headers', readHeaders)

  return async (delivery) => {
    const { id, endpoint_id, url, event_id, event_type, attempt_id, format, payload, previous_secret, header_values, claimed_at } = delivery
    if (payload === null) throw new AttemptFailure('interrupted', 'The payload of the event was removed.')
    const body = Buffer.from(format === 'earshot' ? payload : renderChatBody(format, payload, baseUrl))
    const signature = await signWebhook({
      ...{ body, timestampSeconds: claimed_at, deliveryId: id },
      secret: secretOf(delivery.secret, endpoint_id),
      previousSecret: previous_secret === null ? undefined : secretOf(previous_secret, endpoint_id),
      signers: [delivery.signing_key, delivery.previous_signing_key].flatMap((sealed) =>
        sealed === null ? [] : [signerOf(keyOf(sealed, endpoint_id))],
      ),
    })
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Event': event_type,
      'X-Service-Delivery': id,
      ...signature,
      traceparent: traceparentOf({ event_id, attempt_id }),
      ...(header_values !== null && headersOf(header_values, endpoint_id)),
    }
    return { url, headers, body }
  }
}

/**
 * Returns the `traceparent` of an attempt (W3C Trace Context): all deliveries of an event are one trace, whose id is the event's
 * in hex. A UUID is never all zeros, nor is its second half, which begins with the variant.
 */
function traceparentOf({ event_id, attempt_id }: Pick<ClaimedDelivery, 'event_id' | 'attempt_id'>): string {
  return `00-${event_id.replaceAll('-', '')}-${attempt_id.replaceAll('-', '').slice(-16)}-01`
}

/**
 * WebCrypto would compute it in another thread, which takes a quarter of a delivery's processor time. With bytes for a key, Node
 * would build two errors with their stack traces each time, which costs more than the HMAC itself.
 */
function toSecretSigner(secret: string): SecretSigner {
  const keys = webhookKeys(secret)
  return { own: signBy(keys.own, 'hex'), standard: signBy(keys.standard, 'base64') }
}

function signBy(bytes: Uint8Array, encoding: 'hex' | 'base64') {
  const key = createSecretKey(bytes)
  return (start: string, body: Uint8Array) => createHmac('sha256', key).update(start).update(body).digest(encoding)
}

function signerOf(key: KeyObject): Sign {
  return (message) => sign(null, message, key)
}

/** Reads the headers of an endpoint's own. None replaces one of the service, whatever the row says. */
function readHeaders(opened: string): Record<string, string> {
  // Proven: only the service writes what opens, as a record of texts.
  const headers = JSON.parse(opened) as Record<string, string>
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReservedHeader(name)))
}

/**
 * Returns what opens the sealed texts of endpoints for one purpose, and remembers what it read from them: a key object takes longer
 * to create than to sign with. It throws an `AttemptFailure` for a text that does not open.
 */
function createOpener<Opened>(secretBox: SecretBox, purpose: keyof typeof SEALED, read: (text: string) => Opened) {
  const cached = new Map<string, Opened>()
  let characters = 0

  return (sealed: string, endpointId: string): Opened => {
    const name = `${endpointId} ${sealed}`
    const known = cached.get(name)
    if (known !== undefined) return known
    try {
      const opened = read(secretBox.open(purpose, Buffer.from(sealed, 'base64'), endpointId))
      characters += name.length
      if (characters > MAX_CACHED_CHARACTERS) {
        cached.clear()
        characters = name.length
      }
      cached.set(name, opened)
      return opened
    } catch (cause) {
      const detail = `${SEALED[purpose]} cannot be opened: sealed with another secret key, or for another endpoint.`
      throw new AttemptFailure('interrupted', detail, { cause })
    }
  }
}

function toPrivateKey(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' })
}
