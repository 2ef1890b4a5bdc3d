import { z } from 'zod'
import { sizes } from './limits.ts'
import { NoContent, operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { EventType } from './schemas/event-payloads.ts'
import { Id, instant, listOf, Page, TimedPage } from './schemas/primitives.ts'
import { Attempt, DeliveredEventType, Delivery, DeliveryState } from './schemas/webhook-delivery.ts'
import { CreatedWebhookEndpoint, endpointInput, WebhookEndpoint } from './schemas/webhook-endpoint.ts'

const WEBHOOK = `${TEAM}/webhooks/{webhook_id}` as const
const WebhookRef = TeamRef.extend({ webhook_id: Id.meta({ description: 'The endpoint.' }) })
const DeliveryRef = WebhookRef.extend({ delivery_id: Id.meta({ description: 'The delivery.' }) })
const read = { scope: 'read:webhooks', role: 'admin', feature: 'webhooks' } as const
const write = { scope: 'write:webhooks', role: 'admin', feature: 'webhooks' } as const

const deliveries = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/deliveries/`,
    summary: 'List the deliveries to an endpoint',
    input: WebhookRef.extend({
      ...TimedPage.shape,
      state: DeliveryState.optional(),
      event_type: DeliveredEventType.optional(),
      event_id: Id.optional().meta({ description: 'Only those of this event.' }),
      replay_id: Id.optional().meta({ description: 'Only those of this replay.' }),
    }),
    output: listOf('Delivery', Delivery),
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/deliveries/{delivery_id}/`,
    summary: 'Show a delivery',
    input: DeliveryRef,
    output: Delivery,
  }),
  redeliver: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/deliveries/{delivery_id}/redeliver/`,
    status: 201,
    summary: 'Send a delivery once more',
    description:
      'Makes a new delivery of the same event, with `replay_of`, due at once. It never retries and never counts towards disabling the endpoint.',
    errors: ['state_conflict'],
    input: DeliveryRef,
    output: Delivery,
  }),
}

const attempts = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/attempts/`,
    summary: 'List the attempts to reach an endpoint',
    description: 'Each with status code and response body, kept 30 days.',
    input: WebhookRef.extend({
      ...TimedPage.shape,
      delivery_id: Id.optional().meta({ description: 'Only those of this delivery.' }),
      status_code: z.int().min(100).max(599).optional().meta({ description: 'Only those that were answered with this status.' }),
      outcome: z.enum(['succeeded', 'failed']).optional().meta({ description: 'Only those that ended so.' }),
    }),
    output: listOf('Attempt', Attempt),
  }),
}

export const webhooks = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${TEAM}/webhooks/`,
    summary: 'List the webhook endpoints of a team',
    input: TeamRef.extend(Page.shape),
    output: listOf('WebhookEndpoint', WebhookEndpoint),
  }),
  create: operation({
    ...write,
    method: 'POST',
    path: `${TEAM}/webhooks/`,
    status: 201,
    summary: 'Register a webhook endpoint',
    description: 'The signing secret is in this answer and nowhere else. Addresses inside the network are refused.',
    quota: 'webhook_endpoints',
    input: TeamRef.extend(endpointInput),
    output: CreatedWebhookEndpoint,
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/`,
    summary: 'Show a webhook endpoint',
    input: WebhookRef,
    output: WebhookEndpoint,
  }),
  update: operation({
    ...write,
    method: 'PATCH',
    path: `${WEBHOOK}/`,
    summary: 'Change, pause or resume a webhook endpoint',
    description: 'Events while it is paused become deliveries in state `skipped`.',
    input: WebhookRef.extend({
      ...endpointInput,
      url: endpointInput.url.optional(),
      events: endpointInput.events.optional(),
      state: z.enum(['active', 'paused']).optional().meta({ description: 'Pause, or resume (a disabled one too).' }),
    }),
    output: WebhookEndpoint,
  }),
  delete: operation({
    ...write,
    method: 'DELETE',
    path: `${WEBHOOK}/`,
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it; what was due is dropped.',
    input: WebhookRef,
    output: NoContent,
  }),
  rotateSecret: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/rotate-secret/`,
    summary: 'Give an endpoint a new signing secret',
    description:
      'The new secret is in this answer and nowhere else. For 24 hours deliveries are signed with the previous secret too, so that receivers can change theirs meanwhile; a rotation within that time ends the one before it.',
    input: WebhookRef,
    output: CreatedWebhookEndpoint,
  }),
  test: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/test/`,
    waitsSeconds: 60,
    summary: 'Try a webhook endpoint',
    description:
      'Sends an event of type `webhook.test` now, as any other is sent, and answers with the attempt when it has ended. It never retries, never counts towards disabling the endpoint, and is not in the change feed. 503 when no worker takes it within 10 seconds: then nothing was sent. It takes no `Idempotency-Key`.',
    errors: ['state_conflict'],
    input: WebhookRef,
    output: Attempt,
  }),
  replay: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/replay/`,
    status: 202,
    summary: 'Send the events of a time once more',
    description: `For what a receiver lost or missed: every event from \`from\` to \`to\` that the endpoint's filters want becomes a new delivery, whatever became of earlier ones, skipped ones included. \`matched\` is how many there are; the deliveries are made in the background and listed by \`replay_id\`. The time lies within the last 30 days and holds ${sizes.replayEvents.toLocaleString('en')} events of the team at most.`,
    errors: ['state_conflict'],
    input: WebhookRef.extend({
      from: instant('Events at or after this instant; within the last 30 days.'),
      to: instant('Events before this instant; what is to come is not waited for.'),
      events: z
        .array(EventType)
        .min(1)
        .max(20)
        .optional()
        .meta({ description: 'Only these events; all that the endpoint wants if left out.' }),
    }),
    output: z
      .object({
        replay_id: Id.meta({ description: 'Lists its deliveries.' }),
        matched: z.int().meta({ description: 'How many events are sent once more.' }),
      })
      .meta({ id: 'Replay', description: 'What is sent once more.' }),
  }),
  deliveries,
  attempts,
}
