import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { oneAtATime } from '../sql/one-at-a-time.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { feed_ends, feed_late_days, feed_positions, unnumbered_events } from '../tables/events.ts'

const whenWaiting = oneAtATime('number_events', unnumbered_events)

// Taken as they lie, about in the order of their commits: sorting a long backlog for each batch would read it whole. The
// sequence is set once per batch, and no other numbering can do so meanwhile. A position begins with its time; the random
// part keeps a restored database, whose clock may be wrong, from giving a position that it gave before to another event.
const number = statement<{ max: number }, { count: number }>(
  (p) => sql`
  with taken as materialized (
    delete from ${unnumbered_events}
     where ctid = any (array(
       select ctid
         from ${unnumbered_events}
        limit ${p.max}
     ))
    returning team_id, event_id, type
  ),
  batch as (
    select count(*) as size
      from taken
  ),
  last as materialized (
    select setval(
             'feed_position',
             greatest(s.last_value, feed_position_at(clock_timestamp()) + floor(random() * 500000)::bigint) + b.size
           ) as position
      from batch b
     cross join feed_position s
     where b.size > 0
  ),
  numbered as materialized (
    select t.*, l.position - b.size + row_number() over (order by t.event_id) as position
      from taken t
     cross join batch b
     cross join last l
  ),
  position as (
    insert into ${feed_positions} (team_id, position, previous_position, event_id, type)
    select n.team_id, n.position,
           coalesce(
             lag(n.position) over (partition by n.team_id order by n.position),
             (select f.position from ${feed_ends} f where f.team_id = n.team_id),
             0
           ),
           n.event_id, n.type
      from numbered n
  ),
  feed_end as (
    insert into ${feed_ends} as f (team_id, position)
    select team_id, max(position)
      from numbered
     group by team_id
        on conflict (team_id) do update
       set position = excluded.position
  ),
  late_day as (
    insert into ${feed_late_days} as d (day, last_position)
    select e.day, max(n.position)
      from numbered n
     cross join lateral (select (uuid_extract_timestamp(n.event_id) at time zone 'UTC')::date as day) e
     group by e.day
    having max(n.position) >= feed_position_at((e.day + 1)::timestamp at time zone 'UTC')
        on conflict (day) do update
       set last_position = excluded.last_position
  )
  select size::int as count
    from batch`,
)

/**
 * Gives up to `max` committed events the next positions of the change feed. Ids and timestamps commit out of order; positions
 * do not: one worker at a time gives them, and only to what it can see. Returns how many it numbered: none also while another
 * worker does it.
 */
export function numberEvents(tx: Tx, { max }: { max: number }): Promise<number> {
  return whenWaiting(tx, async (tx) => onlyOne(await number(tx, { max })).count)
}
