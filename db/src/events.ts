import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { encodePosition, type FeedPage, type FeedQuery, type FeedRow, readFeedBack, readFeedPage } from './sql/feed-pages.ts'
import { type Parameters, statement, statementsByKey } from './sql/statement.ts'
import { events, feed_ends, feed_positions } from './tables/events.ts'
import { teams } from './tables/teams.ts'

export type EventRow = Pick<typeof events.$inferSelect, 'id' | 'type'> & { payload: string; position: string }

/** A position of a page with its event, if there still is one. */
type EventFeedRow = FeedRow & (EventRow | { id: null })

interface FeedValues {
  team_id: string
  position: string
  limit: number
  types: string[] | undefined
}

interface EventQuery extends FeedQuery {
  team_id: string
  types?: string[] | undefined
  order?: 'oldest_first' | 'newest_first' | undefined
}

// Positions of days before are dropped, or about to be; their events live at least as long. A bound that is known when the
// statement starts leaves out the partitions of other days. What a team does not keep that long is gone for all readers at once,
// before a job removes the payloads: so a cursor from before has expired, and misses nothing unnoticed.
const firstKept = sql`feed_position_at(((now() at time zone 'UTC')::date - ${sql.raw(String(durations.eventDays))})::timestamp at time zone 'UTC')`
const isKept = (p: Parameters<FeedValues>) => sql` n.position >= coalesce((
             select feed_position_at(now() - t.payload_retention_days * interval '1 day')
               from ${teams} t
              where t.id = ${p.team_id} and t.payload_retention_days < ${sql.raw(String(durations.eventDays))}
           ), 0)`
const after = (p: Parameters<FeedValues>) => sql`
           n.team_id = ${p.team_id}
           and n.position > greatest(${p.position}::bigint, ${firstKept} - 1)
           and ${isKept(p)}`
const upTo = (p: Parameters<FeedValues>) => sql`
           n.team_id = ${p.team_id}
           and n.position <= ${p.position}::bigint
           and n.position >= ${firstKept}
           and ${isKept(p)}`

// Only numbered events: a worker numbers what is committed, so nothing ever appears behind a position handed out. The events
// of a page are looked up one by one: a join would make the planner sort or hash whole partitions.
const page = (p: Parameters<FeedValues>, { where, direction }: { where: SQL; direction: SQL }) => sql`
        select v.team_id, v.id, v.type, v.payload, page.position, page.previous_position
          from (
                 select n.team_id, n.event_id, n.position, n.previous_position
                   from ${feed_positions} n
                  where ${where}
                  order by n.position${direction}
                  limit ${p.limit}
               ) page
          left join lateral (
                 select e.team_id, e.id, e.type, e.payload
                   from ${events} e
                  where e.team_id = page.team_id and e.id = page.event_id and e.payload is not null
                  limit 1
               ) v on true
         order by page.position${direction}`

const FORWARD = sql``
const BACK = sql` desc`

const read = statementsByKey<FeedValues, EventFeedRow>((key, p) => (key === 'types' ? readTypes(p) : readAll(p)))
const readBack = statementsByKey<FeedValues, EventFeedRow>((key, p) => (key === 'types' ? readTypesBack(p) : readAllBack(p)))

const end = (p: Parameters<FeedValues>) => sql`
           select coalesce((select position from ${feed_ends} where team_id = ${p.team_id}), 0) as last_position`

const readAll = (p: Parameters<FeedValues>) => sql`
  select page.*, feed.last_position
    from (${end(p)}
         ) feed
    left join lateral (${page(p, { where: after(p), direction: FORWARD })}
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
         cross join lateral (${page(p, { where: sql`${after(p)} and n.type = wanted.type`, direction: FORWARD })}) e
         order by e.position
         limit ${p.limit}
         ) page on true
   order by page.position`

const readAllBack = (p: Parameters<FeedValues>) => sql`
  select page.*, feed.last_position
    from (${end(p)}
         ) feed
    left join lateral (${page(p, { where: upTo(p), direction: BACK })}
         ) page on true
   order by page.position desc`

const readTypesBack = (p: Parameters<FeedValues>) => sql`
  select page.*, feed.last_position
    from (${end(p)}
         ) feed
    left join lateral (
        select e.*
          from (select distinct unnest(${p.types}::text[]) as type) wanted
         cross join lateral (${page(p, { where: sql`${upTo(p)} and n.type = wanted.type`, direction: BACK })}) e
         order by e.position desc
         limit ${p.limit}
         ) page on true
   order by page.position desc`

/**
 * Reads a page of the change feed, oldest first unless asked otherwise. The cursor is the position of the last event read, or the end of the feed;
 * it is never null. Throws `invalid_cursor`, and `cursor_expired` when events after the cursor are no longer kept, or when
 * the feed has never given it out: the database was restored from a backup.
 */
export function readEvents<Item>(
  tx: Tx,
  { team_id, types, order, ...query }: EventQuery,
  present: (row: EventRow, cursor: string) => Item,
): Promise<FeedPage<Item>> {
  // An event that was expunged, or that is about an erased person, has a position and nothing else.
  const presentKept = (row: EventFeedRow, cursor: string) => (row.id === null ? null : present(row, cursor))
  if (order === 'newest_first') {
    return readFeedBack(
      (position) => readBack(types ? 'types' : '')(tx, { team_id, limit: query.limit, types, position }),
      query,
      presentKept,
    )
  }
  return readFeedPage(
    {
      read: (position) => read(types ? 'types' : '')(tx, { team_id, limit: query.limit, types, position }),
      readFirst: () => read('')(tx, { team_id, limit: 1, types: undefined, position: '0' }),
    },
    query,
    presentKept,
  )
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
