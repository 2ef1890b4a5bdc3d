import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'

const findUnnumbered = statement<{ days: number }, { exist: boolean }>(
  (p) => sql`
  select exists (
           select
             from ${events}
            where feed_position is null
              and id >= uuid_at(now() - ${p.days}::int * interval '1 day')
         ) as exist`,
)

// Released at the commit, when the positions are visible.
const lock = statement<Record<never, never>, { is_granted: boolean }>(
  () => sql`
  select pg_try_advisory_xact_lock(hashtext('number_events')) as is_granted`,
)

const number = statement<{ days: number; max: number }, { id: string }>(
  (p) => sql`
  with unnumbered as materialized (
    select team_id, id
      from ${events}
     where feed_position is null
       and id >= uuid_at(now() - ${p.days}::int * interval '1 day')
     order by id
     limit ${p.max}
  ),
  positions as materialized (
    select team_id, id, nextval('event_feed_position') as position
      from unnumbered
  )
  update ${events} e
     set feed_position = n.position
    from positions n
   where e.team_id = n.team_id and e.id = n.id
     and e.id >= uuid_at(now() - ${p.days}::int * interval '1 day')
  returning e.id`,
)

/**
 * Gives committed events the next positions of the change feed, up to `max` of those of the last `days`; fewer days, fewer
 * partitions to read. Ids and timestamps commit out of order; positions do not: one worker at a time gives them, and only
 * to what it can see. Returns how many it numbered: none also while another worker does it.
 */
export async function numberEvents(tx: Tx, { days, max }: { days: number; max: number }): Promise<number> {
  // Most polls end here, without a transaction.
  if (!onlyOne(await findUnnumbered(tx, { days })).exist) return 0
  return transaction(tx, async (tx) => {
    if (!onlyOne(await lock(tx, {})).is_granted) return 0
    // A statement of its own, so that its snapshot is younger than the lock and sees what the last holder numbered.
    return (await number(tx, { days, max })).length
  })
}
