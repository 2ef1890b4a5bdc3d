import { createHmac } from 'node:crypto'
import { type Hmac, signWebhook } from '@earshot/contracts/webhooks'
import type { ClaimedDelivery } from '@earshot/db/dispatch'
import type { SecretBox } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import type { DeliveryRequest } from './send-delivery.ts'

const PURPOSE = 'webhook-secret'
/** Opened secrets are cached by endpoint and sealed text, which changes when they do. */
const MAX_SECRETS = 5_000

/**
 * WebCrypto would compute it in another thread, which takes a quarter of a delivery's processor time. The key is given as text:
 * for bytes Node builds two errors with their stack traces, which costs more than the HMAC itself.
 */
const hmac: Hmac = (key, message) =>
  createHmac('sha256', Buffer.from(key).toString('latin1'), { encoding: 'latin1' }).update(message).digest()

/** Creates the request of an attempt. Throws an `AttemptFailure` for a delivery that cannot be sent. */
export type ComposeRequest = (delivery: ClaimedDelivery) => Promise<Omit<DeliveryRequest, 'signal'>>

/** Creates requests whose body is the stored bytes of the event. Each attempt has a new signature. */
export function createRequestComposer(secretBox: SecretBox): ComposeRequest {
  const opened = new Map<string, string>()

  function open(sealed: string, endpointId: string): string {
    const name = `${endpointId} ${sealed}`
    const known = opened.get(name)
    if (known !== undefined) return known
    if (opened.size >= MAX_SECRETS) opened.clear()
    const secret = openSecret(secretBox, sealed, endpointId)
    opened.set(name, secret)
    return secret
  }

  return async ({ id, endpoint_id, url, event_type, payload, secret, previous_secret, claimed_at }) => {
    if (payload === null) throw new AttemptFailure('interrupted', 'The event is older than 30 days or was erased, so its body is deleted.')
    const body = Buffer.from(payload)
    const previousSecret = previous_secret === null ? undefined : open(previous_secret, endpoint_id)
    const signature = await signWebhook(
      { body, secret: open(secret, endpoint_id), previousSecret, timestampSeconds: claimed_at, deliveryId: id },
      hmac,
    )
    const headers = { 'Content-Type': 'application/json', 'X-Service-Event': event_type, 'X-Service-Delivery': id, ...signature }
    return { url, headers, body }
  }
}

function openSecret(secretBox: SecretBox, sealed: string, endpointId: string): string {
  try {
    return secretBox.open(PURPOSE, Buffer.from(sealed, 'base64'), endpointId)
  } catch (cause) {
    throw new AttemptFailure(
      'interrupted',
      'The signing secret cannot be opened: it was sealed with another secret key, or for another endpoint.',
      { cause },
    )
  }
}
