import { z } from 'zod'
import { durations } from '../durations.ts'
import { sizes } from '../limits.ts'
import { eventTypes } from './event-descriptions.ts'
import { CreatedAt, Id, ReceiverUrl, text, timestamp, UpdatedAt } from './primitives.ts'
import { MaskedHeaders } from './webhook-headers.ts'

export const EndpointState = z.enum(['active', 'paused', 'disabled']).meta({
  id: 'EndpointState',
  description: `State of the endpoint. Only an active endpoint gets deliveries. The service disables an endpoint after ${durations.failingEndpointDays} days without success.`,
})

export const WebhookFormat = z.enum(['earshot', 'slack', 'discord', 'teams']).meta({
  id: 'WebhookFormat',
  description:
    'What is sent: `earshot` sends the event itself; `slack`, `discord` and `teams` send a message about it that people read in a channel. Everything is signed.',
  example: 'earshot',
})
export type WebhookFormat = z.infer<typeof WebhookFormat>

const MaxPerSecond = z.int().min(1).max(sizes.deliveriesPerSecond).meta({
  description:
    'The most deliveries that the endpoint gets in a second, over all workers; null for no limit. All that is sent to it counts: first attempts, retries, redeliveries, replays and tests. Deliveries beyond it wait their turn.',
  example: 20,
})

const EventSelector = z.enum([...eventTypes, '*']).meta({
  id: 'EventSelector',
  description: 'Type of the event, or `*`.',
  // Generators have a name for every other value.
  'x-enum-varnames': [...eventTypes.map((type) => type.replaceAll('.', '_')), 'all'],
  example: 'submission.approved',
})

const EventFilter = z.array(EventSelector).meta({
  description: 'Types of events to send. `["*"]` for all but those about webhook endpoints, which are sent to endpoints that name them.',
  example: ['submission.created', 'submission.approved'],
})

const endpointFields = {
  id: Id,
  team_id: Id.meta({ description: 'The team that owns the endpoint.' }),
  url: z.string().meta({ description: 'Address that receives deliveries.', example: 'https://example.com/hooks/earshot' }),
  description: z.string().nullable().meta({ description: 'Description of the endpoint.' }),
  events: EventFilter,
  project_id: Id.nullable().meta({ description: 'Send only events of this project; null for all projects.' }),
  format: WebhookFormat,
  max_per_second: MaxPerSecond.nullable(),
  state: EndpointState,
  disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled the endpoint.' }),
  headers: MaskedHeaders,
  secret_hint: z.string().meta({ description: 'The last four characters of the secret.', example: 'Zx0=' }),
  previous_secret_expires_at: timestamp('Time until which the previous secret signs too.').nullable(),
  public_key: z.string().nullable().meta({
    description:
      'Verifies the `v1a` signature of `webhook-signature`, without a secret: `whpk_` and the 32 bytes of an Ed25519 key in base64. It changes with the secret. Null for an endpoint from before there were such keys, until its secret is rotated.',
    example: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  }),
  previous_public_key: z.string().nullable().meta({ description: 'The public key before the last rotation, while it signs too.' }),
  consecutive_failures: z.int().meta({ description: 'Number of failed deliveries since the last success.' }),
  last_success_at: timestamp('Time of the last successful attempt.').nullable(),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const WebhookEndpoint = z
  .object(endpointFields)
  .meta({ id: 'WebhookEndpoint', description: 'An address that receives the events of a team.' })

export const CreatedWebhookEndpoint = z
  .object({
    ...endpointFields,
    secret: z.string().meta({ description: 'Signing secret: `whsec_` and base64. It is shown only once.' }),
  })
  .meta({ id: 'CreatedWebhookEndpoint', description: 'An endpoint with its new signing secret.' })

/** A signing secret of the caller's own: `whsec_` and 24 to 64 bytes in base64 (RFC 4648 §4), as Standard Webhooks has it. */
export const OwnSecret = z
  .string()
  .regex(
    /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/]{2}==)?)$/,
    'must be whsec_ and 24 to 64 bytes in base64',
  )
  .optional()
  .meta({
    description:
      'A signing secret of your own, such as the one that your receivers have already: `whsec_` and 24 to 64 random bytes in base64. Defaults to a new one of 32 bytes.',
  })

/** Input fields of an endpoint. */
export const endpointInput = {
  url: ReceiverUrl.meta({
    description: 'https address that receives deliveries, without user name and password. Redirects are not followed.',
    example: 'https://example.com/hooks/earshot',
  }),
  events: z.array(EventSelector).min(1).max(20).meta({
    description: 'Types of events to send. `["*"]` for all but those about webhook endpoints, which are sent to endpoints that name them.',
  }),
  description: text(500).nullable().optional().meta({ description: 'Description of the endpoint.', example: 'Chat channel of the team' }),
  project_id: Id.nullable().optional().meta({ description: 'Send only events of this project; null for all projects.' }),
  format: WebhookFormat.optional().meta({
    description:
      'What is sent: the event (`earshot`, the default), or a message for a channel of Slack, Discord or Microsoft Teams. Addresses of these services take only their own format.',
  }),
  max_per_second: MaxPerSecond.nullable().optional(),
}
