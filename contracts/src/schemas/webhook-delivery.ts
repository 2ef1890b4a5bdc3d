import { z } from 'zod'
import { DeliveredEvent, eventTypes, TEST_EVENT } from './event-payloads.ts'
import { CreatedAt, Id, timestamp, UpdatedAt } from './primitives.ts'

export const DeliveryState = z
  .enum(['pending', 'sending', 'succeeded', 'failed', 'skipped'])
  .meta({ id: 'DeliveryState', description: 'skipped: the endpoint was paused or disabled, or the plan lacks webhooks.' })

/** The catalogue's types and that of `webhooks.test`. */
export const DeliveredEventType = z.enum([...eventTypes, TEST_EVENT]).meta({
  id: 'DeliveredEventType',
  description: 'The event; `webhook.test` when the endpoint was only tried.',
  example: 'submission.approved',
})

/** Why an attempt got no answer. A non-2xx answer has its status code instead. */
export const attemptErrorCodes = [
  'dns_failure',
  'connect_timeout',
  'connection_refused',
  'read_timeout',
  'tls_error',
  'connection_reset',
  'protocol_error',
  'blocked_address',
  'redirect',
  'interrupted',
] as const

export const Delivery = z
  .object({
    id: Id.meta({ description: 'Sent as X-Service-Delivery; the same over all attempts. Deduplicate on it.' }),
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    event_id: Id.meta({ description: 'The event.' }),
    event_type: DeliveredEventType,
    state: DeliveryState,
    attempt_count: z.int().meta({ description: 'Attempts begun.' }),
    next_attempt_at: timestamp('When the next attempt is due; null when there is none.').nullable(),
    payload: DeliveredEvent.nullable().meta({ description: 'The body; null once the event is past its 30 days.' }),
    payload_sha256: z.string().meta({ description: 'SHA-256 of the bytes that are sent, hex.' }),
    replay_of: Id.nullable().meta({ description: 'The delivery that a redelivery repeats.' }),
    replay_id: Id.nullable().meta({ description: 'The replay that made it.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one endpoint.' })

export const Attempt = z
  .object({
    id: Id,
    delivery_id: Id.meta({ description: 'The delivery.' }),
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    number: z.int().meta({ description: '1 to 8.' }),
    trigger: z.enum(['auto', 'manual', 'replay', 'test']).meta({ description: 'What caused the delivery.' }),
    started_at: timestamp('When it was taken up.'),
    duration_ms: z.int().nullable().meta({ description: 'From request to the end of the answer; null while it runs.' }),
    remote_ip: z.string().nullable().meta({ description: 'Address that was connected to.' }),
    status_code: z.int().nullable().meta({ description: 'Status of the answer; null if there was none.' }),
    response_headers: z.record(z.string(), z.string()).nullable().meta({ description: 'Headers of the answer.' }),
    response_body: z.string().nullable().meta({ description: 'At most 64 KB of the answer.' }),
    response_body_truncated: z.boolean().meta({ description: 'Whether there was more.' }),
    error: z
      .object({
        code: z.enum(attemptErrorCodes).meta({ description: 'What went wrong.' }),
        detail: z.string().meta({ description: 'For people.' }),
      })
      .nullable()
      .meta({ id: 'AttemptError', description: 'Why there was no usable answer.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Attempt', description: 'One request to an endpoint, with what came back.' })
