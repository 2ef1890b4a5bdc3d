import { ApiError } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Parameters, statement, statementsByKey } from './sql/statement.ts'
import { events, feed_ends, feed_positions } from './tables/events.ts'

export type EventRow = Pick<typeof events.$inferSelect, 'id' | 'type' | 'payload'> & { position: string }

interface FeedValues {
  team_id: string
  position: string
  limit: number
  types: string[] | undefined
}

const CURSOR = /^f[0-9a-z]{1,13}$/

// Only numbered events: a worker numbers what is committed, so nothing ever appears behind a position handed out.
const next = (p: Parameters<FeedValues>, ofType: SQL) => sql`
    select v.team_id, v.id, v.type, v.payload, n.position
      from ${feed_positions} n
      join ${events} v on v.team_id = n.team_id and v.id = n.event_id
     where n.team_id = ${p.team_id}
       and n.position > ${p.position}::bigint
       ${ofType}
     order by n.position
     limit ${p.limit}`

// Each type walks its own index: an event of a rare type is found without reading all that came between.
const read = statementsByKey<FeedValues, EventRow>((key, p) =>
  key === 'types'
    ? sql`
    select e.*
      from (select distinct unnest(${p.types}::text[]) as type) wanted
     cross join lateral (${next(p, sql`and n.type = wanted.type`)}) e
     order by e.position
     limit ${p.limit}`
    : next(p, sql``),
)

/** Reads a page of the change feed, oldest first. The cursor is the position of the last event read; it is never null. */
export async function readEvents<Item>(
  tx: Tx,
  { team_id, cursor, limit, types }: { team_id: string; cursor?: string | undefined; limit: number; types?: string[] | undefined },
  present: (row: EventRow, cursor: string) => Item,
): Promise<{ results: Item[]; next_cursor: string }> {
  const position = cursor === undefined ? 0n : decodePosition(cursor)
  const rows = await read(types ? 'types' : '')(tx, { team_id, limit, types, position: String(position) })
  const last = rows.at(-1)
  const results = rows.map((row) => present(row, encodePosition(BigInt(row.position))))
  return { results, next_cursor: encodePosition(last ? BigInt(last.position) : position) }
}

// One probe of the primary key per team.
const findEnds = statement<{ team_ids: string[] }, { team_id: string; position: string | null }>(
  (p) => sql`
  select wanted.team_id, (
           select position
             from ${feed_ends}
            where team_id = wanted.team_id
         ) as position
    from unnest(${p.team_ids}::uuid[]) wanted (team_id)`,
)

/** Returns the end of each team's feed as a cursor: everything up to it is committed. */
export async function readFeedEnds(tx: Tx, team_ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await findEnds(tx, { team_ids: [...team_ids] })
  return new Map(rows.map(({ team_id, position }) => [team_id, encodePosition(BigInt(position ?? 0))]))
}

/** Returns the later of two cursors of a feed. */
export function laterCursor(one: string, other: string): string {
  return decodePosition(one) < decodePosition(other) ? other : one
}

function encodePosition(position: bigint): string {
  return `f${position.toString(36)}`
}

function decodePosition(cursor: string): bigint {
  if (!CURSOR.test(cursor)) throw new ApiError('invalid_cursor')
  const position = [...cursor.slice(1)].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  if (encodePosition(position) !== cursor || position >= 2n ** 63n) throw new ApiError('invalid_cursor')
  return position
}
