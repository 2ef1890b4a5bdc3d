import type { DeliveredEvent } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { plans } from '../tables/plans.ts'
import { projects } from '../tables/projects.ts'
import { teams } from '../tables/teams.ts'
import { webhook_attempts, webhook_deliveries, webhook_endpoints, webhook_workers } from '../tables/webhooks.ts'

/** 5 s of age before sending, 10 s to connect, 30 s for the response, 45 s to write the result; then another worker may take over. */
export const LEASE_SECONDS = 90

/** An endpoint with due deliveries. */
export interface DueEndpoint {
  team_id: string
  endpoint_id: string
  /** Its last attempt failed. */
  is_failing: boolean
  /** A test delivery is due, and somebody waits for it. */
  is_tested: boolean
}

/** The number of deliveries of an endpoint that a worker has slots for. */
export interface EndpointSlots {
  team_id: string
  endpoint_id: string
  free: number
}

/** A delivery that this worker alone may send now, with everything that sending needs. */
export interface ClaimedDelivery {
  id: string
  team_id: string
  endpoint_id: string
  event_id: string
  event_type: DeliveredEvent['type']
  attempt_id: string
  /** The number of this attempt, from 1. */
  number: number
  trigger: 'auto' | 'manual' | 'replay' | 'test'
  url: string
  local_trial: boolean
  /** Sealed. */
  secret: string
  /** Sealed; null when it no longer signs. */
  previous_secret: string | null
  /** The text of the body; null when the event is older than 30 days. */
  payload: string | null
  /** The time of the claim on the database's clock, in seconds. */
  claimed_at: number
  /** The time from due to claimed, in seconds. */
  waited: number
}

// Probes the index of due deliveries once per endpoint: the limit keeps the planner from joining everything that is due. A
// test delivery is due before all others of its endpoint, so it is found first.
const findDue = statement<Record<never, never>, DueEndpoint>(sql`
  select e.team_id, e.id as endpoint_id, e.failing_since is not null as is_failing, due.trigger = 'test' as is_tested
    from ${webhook_endpoints} e
    join ${teams} t on t.id = e.team_id and t.deleted_at is null
    join ${plans} p on p.name = t.plan and 'webhooks' = any (p.features)
   cross join lateral (
     select d.trigger
       from ${webhook_deliveries} d
      where d.state = 'pending' and d.endpoint_id = e.id and d.next_attempt_at <= now()
      order by d.next_attempt_at
      limit 1
   ) due
   where e.state = 'active'
     and e.deleted_at is null
     and not exists (select from ${projects} j where j.team_id = e.team_id and j.id = e.project_id and j.deleted_at is not null)`)

/** Returns the active endpoints with deliveries due by the database's clock. */
export async function findDueEndpoints(tx: Tx): Promise<DueEndpoint[]> {
  return findDue(tx, {})
}

// `d.id = any (array(…))` keeps the update on the index of ids; a join would scan the whole table once it has grown.
// The attempts' rows are written before any request, so that attempts are known even if this worker dies. A worker whose row
// is gone was taken for dead and gets nothing.
const claim = statement<{ worker_id: number; slots: string }, ClaimedDelivery>(
  (p) => sql`
  with slots as materialized (
    select s.*
      from jsonb_to_recordset(${p.slots}::jsonb) as s (team_id uuid, endpoint_id uuid, free int)
  ),
  claimed as (
    update ${webhook_deliveries} d
       set state = 'sending',
           attempt_count = d.attempt_count + 1,
           attempt_id = uuidv7(),
           worker_id = ${p.worker_id},
           lease_until = now() + ${sql.raw(`interval '${LEASE_SECONDS} seconds'`)},
           next_attempt_at = null,
           updated_at = now()
     where d.id = any (array(
       select due.id
         from slots s
         join ${webhook_workers} w on w.id = ${p.worker_id}
         join ${webhook_endpoints} e on e.team_id = s.team_id and e.id = s.endpoint_id and e.state = 'active' and e.deleted_at is null
        cross join lateral (
          select q.id
            from ${webhook_deliveries} q
           where q.state = 'pending' and q.endpoint_id = s.endpoint_id and q.next_attempt_at <= now()
           order by q.next_attempt_at
           limit s.free
             for update skip locked
        ) due
     ))
    returning d.*, extract(epoch from now() - old.next_attempt_at)::float8 as waited
  ),
  begun as (
    insert into ${webhook_attempts} (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at)
    select team_id, attempt_id, id, endpoint_id, attempt_count, trigger, worker_id, now()
      from claimed
  )
  select c.id, c.team_id, c.endpoint_id, c.event_id, c.event_type, c.attempt_id, c.attempt_count as number, c.trigger, c.waited,
         e.url, e.local_trial, e.secret, case when e.previous_secret_expires_at > now() then e.previous_secret end as previous_secret,
         v.payload, floor(extract(epoch from now()))::float8 as claimed_at
    from claimed c
    join ${webhook_endpoints} e on e.team_id = c.team_id and e.id = c.endpoint_id
    left join ${events} v on v.team_id = c.team_id and v.id = c.event_id`,
)

/** Claims due deliveries of each endpoint, oldest first and up to its slots. Two workers never get the same attempt. */
export async function claimDeliveries(
  tx: Tx,
  { workerId, slots }: { workerId: number; slots: readonly EndpointSlots[] },
): Promise<ClaimedDelivery[]> {
  return claim(tx, { worker_id: workerId, slots: JSON.stringify(slots) })
}
