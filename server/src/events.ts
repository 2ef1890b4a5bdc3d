import { contracts } from '@earshot/contracts'
import { type ExpungedEvent, expungeEvent, readEvents, readFeedEnds, toTimestamp } from '@earshot/db'
import { implement } from './http/implement.ts'
import { listEventTypes } from './webhooks/event-examples.ts'
import { presentPayload } from './webhooks/present.ts'

/** How many events a stream reads at once, and holds for a slow reader. */
const STREAM_PAGE = 25

export const events = implement(contracts.events, {
  list: ({ ctx, input }) => readEvents(ctx.tx, input, ({ payload }) => presentPayload(payload)),
  stream: async ({ ctx, input }) => {
    if (input.cursor !== undefined) {
      return readEvents(ctx.tx, { ...input, limit: STREAM_PAGE }, ({ payload }, cursor) => ({
        cursor,
        data: presentPayload(payload),
        text: payload,
      }))
    }
    const ends = await readFeedEnds(ctx.tx, [input.team_id])
    return { results: [], next_cursor: ends.get(input.team_id) ?? '' }
  },
  expunge: async ({ ctx, input }) => presentExpunged(await expungeEvent(ctx.tx, ctx.actor, input)),
  types: {
    list: async ({ input }) => ({ results: listEventTypes(input.team_id), next_cursor: null }),
  },
})

function presentExpunged(row: ExpungedEvent) {
  return {
    id: row.id,
    type: row.type,
    project_id: row.project_id,
    payload_sha256: row.payload_sha256,
    created_at: toTimestamp(row.created_at),
    expunged_at: toTimestamp(row.expunged_at),
  }
}
