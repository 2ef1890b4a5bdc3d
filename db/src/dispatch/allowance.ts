import { type SQL, sql } from 'drizzle-orm'
import { webhook_endpoints, webhook_limits } from '../tables/webhooks.ts'

/** How late a claim may be and still send all that the limit of its endpoint allows: no second gets more than a tenth beyond it, plus one. */
const TOLERANCE_MS = 100

const tolerance = sql.raw(`interval '${TOLERANCE_MS} milliseconds'`)

/** Returns the most deliveries that one claim may get for an endpoint with this limit. */
export function mostPerClaim(maxPerSecond: number): number {
  return Math.floor((maxPerSecond * TOLERANCE_MS) / 1_000) + 1
}

/**
 * Joins the endpoint of each slot that has a limit or has none, if it may get deliveries. `limit 1` keeps a plan that was made while
 * there were few endpoints from reading all of them.
 */
const endpointOfSlot = (isLimited: SQL) => sql`
     cross join lateral (
       select e.max_per_second
         from ${webhook_endpoints} e
        where e.team_id = s.team_id and e.id = s.endpoint_id and e.state = 'active' and e.deleted_at is null and ${isLimited}
        limit 1
     ) e`

export const unlimitedEndpoint = endpointOfSlot(sql`e.max_per_second is null`)
const limitedEndpoint = endpointOfSlot(sql`e.max_per_second is not null`)

/**
 * The slots of endpoints with a limit, locked, and all slots with what the limits leave of them (the generic cell rate algorithm).
 * The lock makes claims of all workers follow each other, and reads what the last one wrote, also after the start of this
 * statement. One that another worker claims for at this moment is left out: nobody waits, so nobody waits in a circle.
 */
export const allowances = sql`
  limited as materialized (
    select s.*, e.max_per_second, greatest(l.next_send_at, now() - ${tolerance}) as base
      from slots s${limitedEndpoint}
     cross join lateral (
       select l.next_send_at
         from ${webhook_limits} l
        where l.team_id = s.team_id and l.endpoint_id = s.endpoint_id
        limit 1
          for no key update skip locked
     ) l
  ),
  allowed as materialized (
    select team_id, endpoint_id, due_since,
           least(free, floor(extract(epoch from now() - base) * max_per_second)::int + 1) as free
      from limited
     where base <= now()
    union all
    select s.team_id, s.endpoint_id, s.due_since, s.free
      from slots s${unlimitedEndpoint}
  )`

/**
 * Counts what was claimed against the limits. By the key of the row, not by its place: its newest version, which is locked, may be
 * newer than this statement. The arrays keep it on the index of the key, also by a plan that was made while the table was small.
 */
export const spending = sql`
  spent as (
    update ${webhook_limits} l
       set next_send_at = f.base + c.count * interval '1 second' / f.max_per_second
      from limited f
      join (
             select team_id, endpoint_id, count(*) as count
               from claimed
              group by team_id, endpoint_id
           ) c on c.team_id = f.team_id and c.endpoint_id = f.endpoint_id
     where l.team_id = f.team_id and l.endpoint_id = f.endpoint_id
       and l.team_id = any (array(select team_id from limited)) and l.endpoint_id = any (array(select endpoint_id from limited))
    returning l.team_id, l.endpoint_id, l.next_send_at
  )`
