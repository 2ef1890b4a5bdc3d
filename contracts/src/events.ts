import { z } from 'zod'
import { Event, EventType } from './event-payloads.ts'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Page } from './primitives.ts'

export const events = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/events/`,
    summary: 'Follow the events of a team',
    description:
      'The change feed, oldest first, kept 30 days. `next_cursor` is never null: an empty page means caught up; ask again later with the same cursor. Nothing ever appears behind a cursor already handed out.',
    scope: 'read:webhooks',
    role: 'admin',
    feature: 'webhooks',
    input: TeamRef.extend({
      ...Page.shape,
      types: z.array(EventType).min(1).max(20).optional().meta({ description: 'Only these types; repeat the parameter.' }),
    }),
    output: z
      .object({
        results: z.array(Event),
        next_cursor: z.string().meta({ description: 'Pass it as `cursor` to go on; never null.' }),
      })
      .meta({ id: 'EventFeed', description: 'A page of the change feed, oldest first.' }),
  }),
}
