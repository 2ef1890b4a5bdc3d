import { z } from 'zod'
import { EventType } from './event-types.ts'
import { CreatedAt, Id, timestamp } from './primitives.ts'
import { EndpointState } from './webhook-endpoint.ts'

/** An endpoint as events about it show it. The path of its address may be a secret of its receiver, and other receivers get the event. */
export const EventEndpoint = z
  .object({
    id: Id.meta({ description: 'The endpoint.' }),
    host: z.string().meta({ description: 'Host of its address, without the path.', example: 'example.com' }),
    description: z.string().nullable().meta({ description: 'Description of the endpoint.' }),
    project_id: Id.nullable().meta({ description: 'The project whose events it gets; null for all projects.' }),
    state: EndpointState,
    disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled the endpoint.' }),
    last_success_at: timestamp('Time of the last successful attempt.').nullable(),
  })
  .meta({ id: 'EventEndpoint', description: 'The endpoint that an event is about.' })

/** A failed delivery as `webhook.delivery.exhausted` shows it: without the payload and the responses. */
export const ExhaustedDelivery = z
  .object({
    id: Id.meta({ description: 'The delivery.' }),
    event_id: Id.meta({ description: 'The event that was not delivered.' }),
    event_type: EventType,
    payload_sha256: z.string().meta({ description: 'SHA-256 of the body, in hex.' }),
    replay_id: Id.nullable().meta({ description: 'The replay that created it.' }),
    attempt_count: z.int().meta({ description: 'Number of attempts.' }),
    last_attempt: z
      .object({
        id: Id.meta({ description: 'The attempt.' }),
        status_code: z.int().nullable().meta({ description: 'Status code of the response; null if there was none.' }),
        error_code: z.string().nullable().meta({ description: 'Code of the error; null if there was a response.' }),
      })
      .meta({ description: 'The attempt after which the delivery failed.' }),
    created_at: CreatedAt,
    failed_at: timestamp('Time when the delivery failed.'),
  })
  .meta({ id: 'ExhaustedDelivery', description: 'A delivery that failed for good.' })
