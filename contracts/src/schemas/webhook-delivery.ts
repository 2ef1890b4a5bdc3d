import { z } from 'zod'
import { eventTypes } from './event-descriptions.ts'
import { DeliveredEvent, TEST_EVENT } from './event-payloads.ts'
import { CreatedAt, Id, strangersWords, timestamp, UpdatedAt } from './primitives.ts'

export const DeliveryState = z.enum(['pending', 'sending', 'succeeded', 'failed', 'skipped']).meta({
  id: 'DeliveryState',
  description:
    'State of the delivery. A delivery is skipped if the endpoint was paused or disabled, the plan does not include webhooks, or the payload of the event was removed before it was sent: with its person, by `events.expunge`, or after the `payload_retention_days` of the team.',
})

/** The types of the catalogue, and the type of `webhooks.test`. */
export const DeliveredEventType = z.enum([...eventTypes, TEST_EVENT]).meta({
  id: 'DeliveredEventType',
  description: 'Type of the event. `webhook.test` for a test of the endpoint.',
  example: 'submission.approved',
})

/** The reasons why an attempt has no status code. */
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
  'proxy_error',
] as const

export const Delivery = z
  .object({
    id: Id.meta({ description: 'Sent as X-Service-Delivery, the same for all attempts. Use it to deduplicate.' }),
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    event_id: Id.meta({ description: 'The event.' }),
    event_type: DeliveredEventType,
    state: DeliveryState,
    attempt_count: z.int().meta({ description: 'Number of attempts started.' }),
    next_attempt_at: timestamp('Time when the next attempt is due; null if there is none.').nullable(),
    payload: DeliveredEvent.nullable().meta({
      description:
        'The event, which is the body; null once it was removed: after the `payload_retention_days` of the team, by `events.expunge`, or with the person whom it is about. With another format than `earshot` the body is a message that is made of the event for each attempt, and not kept.',
    }),
    payload_sha256: z.string().meta({ description: 'SHA-256 of the event, in hex: of the body that is sent with the format `earshot`.' }),
    replay_of: Id.nullable().meta({ description: 'The delivery that this one repeats.' }),
    replay_id: Id.nullable().meta({ description: 'The replay that created it.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Delivery', description: 'The delivery of one event to one endpoint.' })

export const Attempt = z
  .object({
    id: Id,
    delivery_id: Id.meta({ description: 'The delivery.' }),
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    number: z.int().meta({ description: 'Number of the attempt, 1 to 8.' }),
    trigger: z.enum(['auto', 'manual', 'replay', 'test']).meta({ id: 'DeliveryTrigger', description: 'Cause of the delivery.' }),
    started_at: timestamp('Time when the attempt started.'),
    duration_ms: z.int().nullable().meta({ description: 'Time from the request to the end of the response; null while it runs.' }),
    remote_ip: z.string().nullable().meta({ description: 'IP address of the receiver.' }),
    status_code: z.int().nullable().meta({ description: 'Status code of the response; null if there was none.' }),
    response_headers: z
      .record(z.string(), z.string())
      .meta({ id: 'AttemptResponseHeaders', description: 'Headers by name.' })
      .nullable()
      .meta({ description: 'Headers of the response.' })
      .register(strangersWords),
    response_body: z
      .string()
      .nullable()
      .meta({
        description: 'The start of the response body: 4 KB of a successful response, 64 KB of any other, unless configured otherwise.',
      })
      .register(strangersWords),
    response_body_truncated: z.boolean().meta({ description: 'Whether the response body was longer than what is kept.' }),
    response_body_bytes: z.int().nullable().meta({
      description:
        'Size of the whole response body in bytes. Null if there was none, or if it was cut off and announced no `Content-Length`.',
    }),
    error: z
      .object({
        code: z.enum(attemptErrorCodes).meta({ id: 'AttemptErrorCode', description: 'Code of the error.' }),
        detail: z.string().meta({ description: 'Explanation for people.' }),
      })
      .meta({ id: 'AttemptError', description: 'Why an attempt got no response.' })
      .nullable()
      .meta({ description: 'Why there is no status code.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Attempt', description: 'One request to an endpoint, with its response.' })
