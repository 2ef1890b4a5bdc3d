import { z } from 'zod'
import { EventType, eventTypes } from './event-payloads.ts'
import { CreatedAt, Id, ReceiverUrl, text, timestamp, UpdatedAt } from './primitives.ts'

const EndpointState = z.enum(['active', 'paused', 'disabled']).meta({
  id: 'EndpointState',
  description: 'Only an active endpoint is sent to; disabled is what the service does after 5 days without success.',
})

const EventFilter = z
  .array(z.enum([...eventTypes, '*']))
  .meta({ description: 'Events to send; `["*"]` for all.', example: ['submission.created', 'submission.approved'] })

const endpointFields = {
  id: Id,
  team_id: Id.meta({ description: 'The team that owns it.' }),
  url: z.string().meta({ description: 'Where deliveries go.', example: 'https://example.com/hooks/earshot' }),
  description: z.string().nullable().meta({ description: 'What it is for.' }),
  events: EventFilter,
  project_id: Id.nullable().meta({ description: 'Only events of this project; null for all of the team.' }),
  state: EndpointState,
  disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled it.' }),
  secret_hint: z.string().meta({ description: 'The last four characters of the secret.', example: 'Zx0=' }),
  previous_secret_expires_at: timestamp('Until when the previous secret signs too.').nullable(),
  consecutive_failures: z.int().meta({ description: 'Failed deliveries since the last success.' }),
  last_success_at: timestamp('When an attempt last succeeded.').nullable(),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const WebhookEndpoint = z
  .object(endpointFields)
  .meta({ id: 'WebhookEndpoint', description: 'Where a team wants to hear of events.' })

export const CreatedWebhookEndpoint = z
  .object({
    ...endpointFields,
    secret: z.string().meta({ description: 'Signing secret, whsec_ and 44 characters. This is the only time it is shown.' }),
  })
  .meta({ id: 'CreatedWebhookEndpoint', description: 'An endpoint with the signing secret that it was just given.' })

/** What a caller may say of an endpoint. */
export const endpointInput = {
  url: ReceiverUrl.meta({
    description: 'https address that receives deliveries; no credentials in it, no redirects.',
    example: 'https://example.com/hooks/earshot',
  }),
  events: z
    .array(z.union([EventType, z.literal('*')]))
    .min(1)
    .max(20)
    .meta({ description: 'Events to send; `["*"]` for all.' }),
  description: text(500).nullable().optional().meta({ description: 'What it is for.', example: 'Chat channel of the team' }),
  project_id: Id.nullable().optional().meta({ description: 'Only events of this project; all of the team if null.' }),
}
