import { z } from 'zod'
import { durations } from './durations.ts'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Event } from './schemas/event-payloads.ts'
import { EventType } from './schemas/event-types.ts'
import { Cursor, Id, listOf, Page, timestamp } from './schemas/primitives.ts'
import { expiryOf, STREAMING } from './schemas/stream.ts'
import { DeliveredEventType } from './schemas/webhook-delivery.ts'

const read = { method: 'GET', scope: 'read:webhooks', role: 'admin', feature: 'webhooks' } as const
const readFeed = { ...read, errors: ['cursor_expired'] } as const
const Types = z
  .array(EventType)
  .min(1)
  .max(20)
  .optional()
  .meta({ description: 'Only events of these types. Repeat the parameter for several.' })

const FeedOrder = z
  .enum(['oldest_first', 'newest_first'])
  .meta({ id: 'FeedOrder', description: 'Order of the events of a feed.', example: 'newest_first' })

const EventTypeDetails = z
  .object({
    type: EventType,
    description: z.string().meta({ description: 'When the event happens.' }),
    schema: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema (draft 2020-12) of the event. Ignore fields that you do not know: new ones can be added.' }),
    example: Event,
  })
  .meta({ id: 'EventTypeDetails', description: 'A type of event, with its schema and an example.' })

const ExpungedEvent = z
  .object({
    id: Id.meta({ description: 'Id of the event.' }),
    type: DeliveredEventType,
    project_id: Id.nullable().meta({ description: 'The project, if the event belongs to one.' }),
    payload_sha256: z.string().meta({ description: 'SHA-256 of the body that was removed, in hex.' }),
    created_at: timestamp('Time of the event.'),
    expunged_at: timestamp('Time when the payload was removed.'),
  })
  .meta({ id: 'ExpungedEvent', description: 'An event whose payload was removed.' })

const types = {
  list: operation({
    ...read,
    path: `${TEAM}/events/types/`,
    summary: 'List the types of events',
    description:
      'All types, on one page. `webhooks.test` sends the example of a type to an endpoint. The records in the examples do not exist.',
    input: TeamRef,
    output: listOf('EventTypeDetails', EventTypeDetails, { order: 'in a fixed order' }),
  }),
}

export const events = {
  list: operation({
    ...readFeed,
    path: `${TEAM}/events/`,
    summary: 'List the events of a team',
    description: `The change feed, oldest first. Events are kept for the \`payload_retention_days\` of the team, ${durations.eventDays} unless it chose fewer. Events that were expunged, and those about erased people, are left out. \`next_cursor\` is never null: after an empty page you are up to date, so ask again later with that cursor. New events never appear before a cursor you already have. With \`order=newest_first\` the list goes back in time instead: a cursor stands between two events, and the page has those before it. To show the newest events and follow the feed, read a page in this order, then stream from its \`newest_cursor\`. ${expiryOf('events')}`,
    input: TeamRef.extend({
      ...Page.shape,
      types: Types,
      order: FeedOrder.default('oldest_first').meta({
        description: 'Whether pages go forward from the cursor (or the oldest event), or back from it (or the newest event).',
      }),
    }),
    output: z
      .object({
        results: z.array(Event),
        next_cursor: z.string().meta({ description: 'Pass it as `cursor` to get the next page in the same order. Never null.' }),
        has_more: z.boolean().meta({ description: 'Whether the next page can have events that were there at the time of the request.' }),
        newest_cursor: z.string().meta({
          description: 'The end of the feed at the time of the request. `events.stream` with it sends what came after.',
        }),
      })
      .meta({ id: 'EventFeed', description: 'A page of the change feed, in the order that was asked for.' }),
  }),
  stream: operation({
    ...readFeed,
    path: `${TEAM}/events/stream/`,
    stream: 'events',
    summary: 'Stream the events of a team',
    description: [
      'The change feed as server-sent events (WHATWG HTML, "Server-sent events"): `event` is the type, `data` the event, `id` a cursor of the feed. Reconnecting clients resume from `Last-Event-ID`, which an `EventSource` sends by itself, or from `cursor`, without gaps or duplicates. Without either, the stream starts with new events.',
      STREAMING,
      expiryOf('events'),
    ].join('\n\n'),
    input: TeamRef.extend({ cursor: Cursor.optional(), types: Types }),
    output: Event,
  }),
  expunge: operation({
    method: 'POST',
    path: `${TEAM}/events/{event_id}/expunge/`,
    scope: 'write:webhooks',
    role: 'admin',
    feature: 'webhooks',
    hints: { destructive: true },
    summary: 'Expunge an event',
    description:
      'Removes the payload of one event, and the responses of all attempts to deliver it, at once and for good. The event, its deliveries and their hashes stay. The change feed and replays leave the event out. Deliveries that are not finished end: pending ones as `skipped`, and one in flight as `failed`; its request may still arrive, but its response is not kept. Receivers keep what they got. Expunging an event again changes nothing.',
    input: TeamRef.extend({ event_id: Id.meta({ description: 'The event.' }) }),
    output: ExpungedEvent,
  }),
  types,
}
