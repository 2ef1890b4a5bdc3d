import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { type Hmac, type Sign, signWebhook } from '@earshot/contracts/webhooks'
import type { ClaimedDelivery } from '@earshot/db/dispatch'
import type { SecretBox } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import { renderChatBody } from './chat/render.ts'
import type { DeliveryRequest } from './send-delivery.ts'

/** Opened secrets and keys are cached by endpoint and sealed text, which changes when they do. */
const MAX_CACHED = 5_000

/**
 * WebCrypto would compute it in another thread, which takes a quarter of a delivery's processor time. The key is given as text:
 * for bytes Node builds two errors with their stack traces, which costs more than the HMAC itself.
 */
const hmac: Hmac = (key, message) =>
  createHmac('sha256', Buffer.from(key).toString('latin1'), { encoding: 'latin1' }).update(message).digest()

export interface ComposerOptions {
  secretBox: SecretBox
  /** The start of links in messages for chats. */
  baseUrl: string
}

/** Creates the request of an attempt. Throws an `AttemptFailure` for a delivery that cannot be sent. */
export type ComposeRequest = (delivery: ClaimedDelivery) => Promise<Omit<DeliveryRequest, 'signal'>>

/** Creates requests whose body is the stored bytes of the event, or a message made of it. Each attempt has a new signature and is a span of its own. */
export function createRequestComposer({ secretBox, baseUrl }: ComposerOptions): ComposeRequest {
  const secretOf = cacheOpened((sealed, endpointId) => open(secretBox, 'webhook-secret', sealed, endpointId))
  const keyOf = cacheOpened((sealed, endpointId) => toPrivateKey(open(secretBox, 'webhook-signing-key', sealed, endpointId)))

  return async (delivery) => {
    const { id, endpoint_id, url, event_id, event_type, attempt_id, format, payload, previous_secret, claimed_at } = delivery
    if (payload === null) throw new AttemptFailure('interrupted', 'The payload of the event was removed.')
    const body = Buffer.from(format === 'earshot' ? payload : renderChatBody(format, payload, baseUrl))
    const signature = await signWebhook(
      {
        ...{ body, timestampSeconds: claimed_at, deliveryId: id },
        secret: secretOf(delivery.secret, endpoint_id),
        previousSecret: previous_secret === null ? undefined : secretOf(previous_secret, endpoint_id),
        signers: [delivery.signing_key, delivery.previous_signing_key].flatMap((sealed) =>
          sealed === null ? [] : [signerOf(keyOf(sealed, endpoint_id))],
        ),
      },
      hmac,
    )
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Event': event_type,
      'X-Service-Delivery': id,
      ...signature,
      traceparent: traceparentOf({ event_id, attempt_id }),
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

function signerOf(key: KeyObject): Sign {
  return (message) => sign(null, message, key)
}

/** Remembers what was opened. A key object takes longer to create than to sign with. */
function cacheOpened<Opened>(open: (sealed: string, endpointId: string) => Opened): (sealed: string, endpointId: string) => Opened {
  const cached = new Map<string, Opened>()
  return (sealed, endpointId) => {
    const name = `${endpointId} ${sealed}`
    const known = cached.get(name)
    if (known !== undefined) return known
    if (cached.size >= MAX_CACHED) cached.clear()
    const opened = open(sealed, endpointId)
    cached.set(name, opened)
    return opened
  }
}

function open(secretBox: SecretBox, purpose: string, sealed: string, endpointId: string): string {
  try {
    return secretBox.open(purpose, Buffer.from(sealed, 'base64'), endpointId)
  } catch (cause) {
    throw new AttemptFailure(
      'interrupted',
      'The signing secret cannot be opened: it was sealed with another secret key, or for another endpoint.',
      { cause },
    )
  }
}

function toPrivateKey(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' })
}
