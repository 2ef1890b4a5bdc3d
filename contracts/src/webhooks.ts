import { z } from 'zod'
import { durations } from './durations.ts'
import { grouped, sizes } from './limits.ts'
import { NoContent, operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { EventType } from './schemas/event-types.ts'
import { Id, instant, listOf, Page, TimedPage } from './schemas/primitives.ts'
import { Attempt, DeliveredEventType, Delivery, DeliveryState } from './schemas/webhook-delivery.ts'
import { CreatedWebhookEndpoint, endpointInput, OwnSecret, WebhookEndpoint } from './schemas/webhook-endpoint.ts'
import { ChangedHeaders, NewHeaders } from './schemas/webhook-headers.ts'
import { EndpointStats, EndpointSummary } from './schemas/webhook-stats.ts'

const WEBHOOK = `${TEAM}/webhooks/{webhook_id}` as const
const WebhookRef = TeamRef.extend({ webhook_id: Id.meta({ description: 'The endpoint.' }) })
const AttemptOutcome = z.enum(['succeeded', 'failed']).meta({ id: 'AttemptOutcome', description: 'Outcome of an attempt.' })
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
      event_id: Id.optional().meta({ description: 'Only deliveries of this event.' }),
      replay_id: Id.optional().meta({ description: 'Only deliveries of this replay.' }),
    }),
    output: listOf('Delivery', Delivery),
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/deliveries/{delivery_id}/`,
    summary: 'Retrieve a delivery',
    input: DeliveryRef,
    output: Delivery,
  }),
  redeliver: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/deliveries/{delivery_id}/redeliver/`,
    status: 201,
    hints: { idempotent: false, sendsOut: true },
    summary: 'Redeliver an event',
    description:
      'Creates a new delivery of the same event, with `replay_of` set, and sends it at once. It is not retried and does not count toward disabling the endpoint. Once the payload was removed, `state_conflict` with the state `expunged`.',
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
    summary: 'List the delivery attempts of an endpoint',
    description: `Each attempt has its status code and response body. Attempts are kept for ${durations.attemptDays} days; their responses as long as the payload of the event.`,
    input: WebhookRef.extend({
      ...TimedPage.shape,
      delivery_id: Id.optional().meta({ description: 'Only attempts of this delivery.' }),
      status_code: z.int().min(100).max(599).optional().meta({ description: 'Only attempts with this status code.' }),
      outcome: AttemptOutcome.optional().meta({ description: 'Only attempts with this outcome.' }),
    }),
    output: listOf('Attempt', Attempt),
  }),
}

const summaries = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${TEAM}/webhooks/summaries/`,
    summary: 'List the figures of all webhook endpoints',
    description: `The totals of \`webhooks.stats\` for the last ${durations.endpointStatsHours} hours, one record for each endpoint. Endpoints come in the order of \`webhooks.list\`, and the cursors of both lists are the same.`,
    input: TeamRef.extend(Page.shape),
    output: listOf('EndpointSummary', EndpointSummary),
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
    hints: { sendsOut: true, showsSecret: true },
    summary: 'Create a webhook endpoint',
    description: 'The signing secret is shown only in this response. Private and local addresses are refused.',
    quota: 'webhook_endpoints',
    checksReceiver: true,
    input: TeamRef.extend({ ...endpointInput, headers: NewHeaders.optional(), secret: OwnSecret }),
    output: CreatedWebhookEndpoint,
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/`,
    summary: 'Retrieve a webhook endpoint',
    input: WebhookRef,
    output: WebhookEndpoint,
  }),
  update: operation({
    ...write,
    method: 'PATCH',
    path: `${WEBHOOK}/`,
    summary: 'Update, pause or resume a webhook endpoint',
    description: 'While the endpoint is paused, events become deliveries in state `skipped`.',
    checksReceiver: true,
    input: WebhookRef.extend({
      ...endpointInput,
      url: endpointInput.url.optional(),
      events: endpointInput.events.optional(),
      headers: ChangedHeaders.optional(),
      state: z
        .enum(['active', 'paused'])
        .optional()
        .meta({ description: '`paused` pauses the endpoint; `active` resumes it, also after it was disabled.' }),
    }),
    output: WebhookEndpoint,
  }),
  delete: operation({
    ...write,
    method: 'DELETE',
    path: `${WEBHOOK}/`,
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to the endpoint. Deliveries that are due are dropped.',
    input: WebhookRef,
    output: NoContent,
  }),
  rotateSecret: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/rotate-secret/`,
    hints: { showsSecret: true },
    summary: 'Rotate the signing secret of an endpoint',
    description: `The new secret is shown only in this response. For ${durations.previousSecretHours} hours, deliveries are also signed with the previous secret, so that you can update your receivers without downtime. Another rotation within that time ends the overlap of the earlier one. The key pair of the endpoint changes and overlaps with its secret. Sending the current secret changes nothing, so that you can safely repeat a request.`,
    input: WebhookRef.extend({ secret: OwnSecret }),
    output: CreatedWebhookEndpoint,
  }),
  test: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/test/`,
    waitsSeconds: 60,
    hints: { idempotent: false, sendsOut: true },
    summary: 'Test a webhook endpoint',
    description:
      'Sends an event of type `webhook.test` at once, signed like any other event, and returns the finished attempt. With `type`, sends the example of that type instead, as `events.types.list` shows it. The body has the format of the endpoint. The test is not retried, does not count toward disabling the endpoint, and is neither in the change feed nor replayed. Returns 503 if no worker sends it within 10 seconds; nothing is sent then. Does not accept an `Idempotency-Key`.',
    errors: ['state_conflict'],
    input: WebhookRef.extend({
      type: EventType.optional().meta({
        description: 'Sends the example of this type, whether or not the endpoint subscribes to it. Defaults to `webhook.test`.',
      }),
    }),
    output: Attempt,
  }),
  replay: operation({
    ...write,
    method: 'POST',
    path: `${WEBHOOK}/replay/`,
    status: 202,
    hints: { sendsOut: true },
    summary: 'Replay the events of a period',
    description: `Sends events again that a receiver lost or missed. Every event between \`from\` and \`to\` that matches the filters of the endpoint becomes a new delivery, regardless of earlier deliveries, also of skipped ones. Events without a payload are left out. \`matched\` is the number of events; the deliveries are created in the background and listed by \`replay_id\`. The period must lie within the last ${durations.eventDays} days and contain at most ${grouped(sizes.replayEvents)} events of the team. An endpoint has one replay at a time, else \`state_conflict\` with the state \`replaying\`; a team has at most ${grouped(sizes.replayDeliveries)} unfinished deliveries of replays, else \`quota_exceeded\`.`,
    errors: ['state_conflict', 'quota_exceeded'],
    input: WebhookRef.extend({
      from: instant(`Start of the period, inclusive, within the last ${durations.eventDays} days.`),
      to: instant('End of the period, exclusive. Future events are not included.'),
      events: z
        .array(EventType)
        .min(1)
        .max(20)
        .optional()
        .meta({ description: 'Only events of these types. Defaults to all types of the endpoint.' }),
    }),
    output: z
      .object({
        replay_id: Id.meta({ description: 'Id of the replay, for listing its deliveries.' }),
        matched: z.int().meta({ description: 'Number of events to send.' }),
      })
      .meta({ id: 'Replay', description: 'A replay of events.' }),
  }),
  stats: operation({
    ...read,
    method: 'GET',
    path: `${WEBHOOK}/stats/`,
    summary: 'Retrieve the figures of a webhook endpoint',
    description: `Attempts by outcome, their duration and the share of successes, in all and by hour (UTC), and what waits now. Without \`from\` the range is the ${durations.endpointStatsHours} hours that end with \`to\`, which is now unless given. Its start is rounded down and its end up to a full hour, so the present hour is included. An attempt counts in the hour in which it started, as soon as it has ended. All attempts of \`webhooks.attempts.list\` count, also tests, redeliveries and replays. Counts are exact at the moment of the request; percentiles are at most 5 % beside the exact ones.`,
    input: WebhookRef.extend({
      from: instant(
        `Start of the range, rounded down to a full hour. Within the last ${durations.attemptDays} days, so a range has at most as many days.`,
      ).optional(),
      to: instant('End of the range, rounded up to a full hour; the end of the present hour at the latest.').optional(),
    }),
    output: EndpointStats,
  }),
  deliveries,
  attempts,
  summaries,
}
