import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { isPendingByEndpoint, webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'
import { isSendable } from './due.ts'

const MAX_HELD = 2_000
const MAX_ENDPOINTS = 1_000
/** The most that one statement releases: it stays far below the time limit of statements. */
const MAX_RELEASED = 20_000

/** An endpoint, by its key. */
interface EndpointKey {
  team_id: string
  endpoint_id: string
}

const hold = statement<{ endpoints: string; max: number }, never>(
  (p) => sql`
  update ${webhook_deliveries}
     set is_held = true
   where ctid = any (array(
     select due.place
       from jsonb_to_recordset(${p.endpoints}::jsonb) as r (team_id uuid, endpoint_id uuid)
      cross join lateral (
        select d.ctid as place
          from ${webhook_deliveries} d
         where ${isPendingByEndpoint} and d.team_id = r.team_id and d.endpoint_id = r.endpoint_id and d.next_attempt_at <= now()
         order by d.next_attempt_at
         limit ${p.max}
           for update skip locked
      ) due
      limit ${p.max}
   ))`,
)

/** Takes due deliveries of these endpoints out of the indexes of due deliveries, some at a time. */
export async function holdDeliveries(tx: Tx, endpoints: readonly EndpointKey[]): Promise<void> {
  await hold(tx, { endpoints: JSON.stringify(endpoints), max: MAX_HELD })
}

interface Holders {
  after_team_id: string
  after_endpoint_id: string
}

// From one endpoint with held deliveries to the next.
const releaseNext = statement<Holders & { endpoints: number; max: number; max_released: number }, EndpointKey & { is_cut: boolean }>(
  (p) => sql`
  with recursive holder as (
    select ${p.after_team_id}::uuid as team_id, ${p.after_endpoint_id}::uuid as endpoint_id, 0 as number
    union all
    select next.team_id, next.endpoint_id, l.number + 1
      from holder l
     cross join lateral (
       select d.team_id, d.endpoint_id
         from ${webhook_deliveries} d
        where d.is_held and (d.team_id, d.endpoint_id) > (l.team_id, l.endpoint_id)
        order by d.team_id, d.endpoint_id
        limit 1
     ) next
     where l.number < ${p.endpoints}::int
  ),
  released as (
    update ${webhook_deliveries}
       set is_held = false
     where ctid = any (array(
       select held.place
         from holder h
        cross join lateral (
          select d.ctid as place
            from ${webhook_deliveries} d
           where d.is_held and d.team_id = h.team_id and d.endpoint_id = h.endpoint_id
           limit ${p.max}
             for update skip locked
        ) held
        where (
                select ${isSendable(sql`e`)}
                  from ${webhook_endpoints} e
                 where e.team_id = h.team_id and e.id = h.endpoint_id
              )
        limit ${p.max_released}
     ))
  )
  select team_id, endpoint_id, number >= ${p.endpoints}::int as is_cut
    from holder
   order by number desc
   limit 1`,
)

/** Where a pass over the endpoints with held deliveries goes on. */
export type ReleaseCursor = EndpointKey

/**
 * Makes deliveries due again whose endpoints may get them again: paused ones resumed, projects, teams and plans restored.
 * Looks at some endpoints a time, and leaves what is beyond a bound to the next pass; returns where the next call goes on, null
 * at the end of the pass.
 */
export async function releaseDeliveries(tx: Tx, after: ReleaseCursor | null): Promise<ReleaseCursor | null> {
  const NONE = '00000000-0000-0000-0000-000000000000'
  const values = { after_team_id: after?.team_id ?? NONE, after_endpoint_id: after?.endpoint_id ?? NONE }
  const [last] = await releaseNext(tx, { ...values, endpoints: MAX_ENDPOINTS, max: MAX_HELD, max_released: MAX_RELEASED })
  return last?.is_cut ? { team_id: last.team_id, endpoint_id: last.endpoint_id } : null
}
