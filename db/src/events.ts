import { ApiError, durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { type Parameters, statement, statementsByKey } from './sql/statement.ts'
import { events, feed_ends, feed_positions } from './tables/events.ts'
import { teams } from './tables/teams.ts'

export type EventRow = Pick<typeof events.$inferSelect, 'id' | 'type'> & { payload: string; position: string }

/** A position of a page with its event, or nulls for a page without any; and the same facts of the feed on each row. */
type FeedRow = (EventRow | { [Name in keyof EventRow]: null }) & {
  /** The last position of the team; 0 before the first event. */
  last_position: string
  /** The position before the first one after the cursor; null at the end of the feed. Of the first row. */
  previous_position: string | null
}

interface FeedValues {
  team_id: string
  position: string
  limit: number
  types: string[] | undefined
}

interface FeedQuery {
  team_id: string
  cursor?: string | undefined
  limit: number
  types?: string[] | undefined
}

const CURSOR = /^f[0-9a-z]{1,13}$/

// Positions of days before are dropped, or about to be; their events live at least as long. A bound that is known when the
// statement starts leaves out the partitions of other days. What a team does not keep that long is gone for all readers at once,
// before a job removes the payloads: so a cursor from before has expired, and misses nothing unnoticed.
const after = (p: Parameters<FeedValues>) => sql`
           n.team_id = ${p.team_id}
           and n.position > greatest(
             ${p.position}::bigint,
             feed_position_at(((now() at time zone 'UTC')::date - ${sql.raw(String(durations.eventDays))})::timestamp at time zone 'UTC') - 1
           )
           and n.position >= coalesce((
             select feed_position_at(now() - t.payload_retention_days * interval '1 day')
               from ${teams} t
              where t.id = ${p.team_id} and t.payload_retention_days < ${sql.raw(String(durations.eventDays))}
           ), 0)`

// Only numbered events: a worker numbers what is committed, so nothing ever appears behind a position handed out. The events
// of a page are looked up one by one: a join would make the planner sort or hash whole partitions.
const next = (p: Parameters<FeedValues>, ofType: SQL) => sql`
        select v.team_id, v.id, v.type, v.payload, page.position, page.previous_position
          from (
                 select n.team_id, n.event_id, n.position, n.previous_position
                   from ${feed_positions} n
                  where ${after(p)}
                    ${ofType}
                  order by n.position
                  limit ${p.limit}
               ) page
          left join lateral (
                 select e.team_id, e.id, e.type, e.payload
                   from ${events} e
                  where e.team_id = page.team_id and e.id = page.event_id and e.payload is not null
                  limit 1
               ) v on true
         order by page.position`

const read = statementsByKey<FeedValues, FeedRow>((key, p) => (key === 'types' ? readTypes(p) : readAll(p)))

const end = (p: Parameters<FeedValues>) => sql`
           select coalesce((select position from ${feed_ends} where team_id = ${p.team_id}), 0) as last_position`

const readAll = (p: Parameters<FeedValues>) => sql`
  select page.*, feed.last_position
    from (${end(p)}
         ) feed
    left join lateral (${next(p, sql``)}
         ) page on true
   order by page.position`

// Each type walks its own index: an event of a rare type is found without reading all that came between.
const readTypes = (p: Parameters<FeedValues>) => sql`
  select page.team_id, page.id, page.type, page.payload, page.position, feed.last_position, (
           select n.previous_position
             from ${feed_positions} n
            where ${after(p)}
            order by n.position
            limit 1
         ) as previous_position
    from (${end(p)}
         ) feed
    left join lateral (
        select e.*
          from (select distinct unnest(${p.types}::text[]) as type) wanted
         cross join lateral (${next(p, sql`and n.type = wanted.type`)}) e
         order by e.position
         limit ${p.limit}
         ) page on true
   order by page.position`

/**
 * Reads a page of the change feed, oldest first. The cursor is the position of the last event read, or the end of the feed;
 * it is never null. Throws `invalid_cursor`, and `cursor_expired` when events after the cursor are no longer kept, or when
 * the feed has never given it out: the database was restored from a backup.
 */
export async function readEvents<Item>(
  tx: Tx,
  { team_id, cursor, limit, types }: FeedQuery,
  present: (row: EventRow, cursor: string) => Item,
): Promise<{ results: Item[]; next_cursor: string }> {
  const position = cursor === undefined ? null : decodePosition(cursor)
  const rows = await read(types ? 'types' : '')(tx, { team_id, limit, types, position: String(position ?? 0n) })
  const { last_position, previous_position } = onlyOne(rows)
  // Each event names the one before it. So nothing between the cursor and the next event is missing only if that is the
  // cursor itself; and a position from before a restore is that of no event.
  if (position !== null && position !== BigInt(previous_position ?? last_position)) throw await cursorExpired(tx, team_id, last_position)
  const page = rows.filter((row): row is FeedRow & EventRow => row.id !== null)
  const results = page.map((row) => present(row, encodePosition(BigInt(row.position))))
  // A page that is not full has reached the end.
  const end = rows.length < limit ? last_position : rows.at(-1)?.position
  return { results, next_cursor: encodePosition(BigInt(end ?? last_position)) }
}

async function cursorExpired(tx: Tx, team_id: string, last_position: string): Promise<ApiError> {
  const [first] = await read('')(tx, { team_id, limit: 1, types: undefined, position: '0' })
  return new ApiError('cursor_expired', {
    oldest_cursor: encodePosition(BigInt(first?.previous_position ?? last_position)),
    newest_cursor: encodePosition(BigInt(last_position)),
  })
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
