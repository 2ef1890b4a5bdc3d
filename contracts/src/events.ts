import { z } from 'zod'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Event, EventType } from './schemas/event-payloads.ts'
import { Cursor, Page } from './schemas/primitives.ts'

const read = { method: 'GET', scope: 'read:webhooks', role: 'admin', feature: 'webhooks' } as const
const Types = z.array(EventType).min(1).max(20).optional().meta({ description: 'Only these types; repeat the parameter.' })

export const events = {
  list: operation({
    ...read,
    path: `${TEAM}/events/`,
    summary: 'Follow the events of a team',
    description:
      'The change feed, oldest first, kept 30 days. `next_cursor` is never null: an empty page means caught up; ask again later with the same cursor. Nothing ever appears behind a cursor already handed out.',
    input: TeamRef.extend({ ...Page.shape, types: Types }),
    output: z
      .object({
        results: z.array(Event),
        next_cursor: z.string().meta({ description: 'Pass it as `cursor` to go on; never null.' }),
      })
      .meta({ id: 'EventFeed', description: 'A page of the change feed, oldest first.' }),
  }),
  stream: operation({
    ...read,
    path: `${TEAM}/events/stream/`,
    stream: true,
    summary: 'Be sent the events of a team as they happen',
    description: [
      'The change feed as server-sent events (WHATWG HTML, "Server-sent events"): `event` is the type, `data` the event, `id` a cursor of the feed. After a loss ask again with the last `id` as `Last-Event-ID`, as an `EventSource` does by itself, or as `cursor`: nothing is left out, and nothing comes twice. With neither it begins with what is committed from now on.',
      'The first message, `ready`, has the cursor to begin with. A comment comes every 15 seconds, and the right to the events is judged again: when it has ended, or something fails, the last message is `error` with the body of the error. Asking counts as one request, however long it lasts. A person has at most 20 streams open in a process of the service; one more is 429.',
    ].join('\n\n'),
    input: TeamRef.extend({ cursor: Cursor.optional(), types: Types }),
    output: Event,
  }),
}
