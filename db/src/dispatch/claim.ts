import type { DeliveredEvent, WebhookFormat } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { isPendingByEndpoint, webhook_attempts, webhook_deliveries, webhook_endpoints, webhook_workers } from '../tables/webhooks.ts'
import { allowances, spending, unlimitedEndpoint } from './allowance.ts'

/** 5 s of age before sending, 10 s to connect, 30 s for the response, 45 s to write the result; then another worker may take over. */
export const LEASE_SECONDS = 90

/** How much earlier than all others of their endpoint tests may be due that came since the look: a millisecond each. */
const TEST_LEAD_MS = 100

/** The number of deliveries of an endpoint that a worker has slots for. */
export interface EndpointSlots {
  team_id: string
  endpoint_id: string
  free: number
  /** None of its deliveries was due earlier, when it was last looked at. */
  due_since?: string
  /** Its limit, as far as the worker knows: the claim reads it anew. */
  max_per_second?: number | null
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
  /** Sealed; null for an endpoint from before there were key pairs. */
  signing_key: string | null
  /** Sealed; null when it no longer signs. */
  previous_signing_key: string | null
  format: WebhookFormat
  /** Headers of the endpoint's own, sealed; null without any. */
  header_values: string | null
  /** The text of the event; null when it was removed, or the event is older than 30 days. */
  payload: string | null
  /** The time of the claim on the database's clock, in seconds. */
  claimed_at: number
  due_at: string
  /** The time from due to claimed, in seconds. */
  waited: number
  /** For how long the limit of its endpoint allows nothing more, in milliseconds; not above 0 if it allows more at once, null without a limit. */
  limited_for_ms: number | null
}

/** What tells the forms of a claim apart. */
interface Form {
  /** What it reads before. */
  before: SQL
  /** The slots to fill, as `s`. */
  slots: SQL
  /** What it writes besides. */
  after: SQL
  limitedForMs: SQL
  /** What `limitedForMs` is read from. */
  limits: SQL
}

// Rows are updated by the places at which they were locked: whatever the planner knows of a table that fills and empties all
// the time, it has no other way. The attempts' rows are written before any request, so that attempts are known even if this
// worker dies. A worker whose row is gone was taken for dead and gets nothing.
const claiming = ({ before, slots, after, limitedForMs, limits }: Form) =>
  statement<{ worker_id: number; slots: string }, ClaimedDelivery>(
    (p) => sql`
  with slots as materialized (
    select s.*
      from jsonb_to_recordset(${p.slots}::jsonb) as s (team_id uuid, endpoint_id uuid, free int, due_since timestamptz)
  ),${before}
  claimed as (
    update ${webhook_deliveries} d
       set state = 'sending',
           attempt_count = d.attempt_count + 1,
           attempt_id = uuidv7(),
           worker_id = ${p.worker_id},
           lease_until = now() + ${sql.raw(`interval '${LEASE_SECONDS} seconds'`)},
           next_attempt_at = null,
           updated_at = now()
     where d.ctid = any (array(
       select due.place
         from ${slots}
         join ${webhook_workers} w on w.id = ${p.worker_id}
        cross join lateral (
          select d.ctid as place
            from ${webhook_deliveries} d
           where ${isPendingByEndpoint} and d.team_id = s.team_id and d.endpoint_id = s.endpoint_id
             and d.next_attempt_at <= now()
             and d.next_attempt_at >= coalesce(s.due_since - ${sql.raw(`interval '${TEST_LEAD_MS} milliseconds'`)}, '-infinity')
           order by d.next_attempt_at
           limit s.free
             for update skip locked
        ) due
     ))
    returning d.*, old.next_attempt_at as due_at
  ),
  begun as (
    insert into ${webhook_attempts} (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at)
    select team_id, attempt_id, id, endpoint_id, attempt_count, trigger, worker_id, now()
      from claimed
  )${after}
  select c.id, c.team_id, c.endpoint_id, c.event_id, c.event_type, c.attempt_id, c.attempt_count as number, c.trigger,
         c.due_at, extract(epoch from now() - c.due_at)::float8 as waited,
         e.url, e.local_trial, e.secret, case when e.previous_secret_expires_at > now() then e.previous_secret end as previous_secret,
         e.signing_key, case when e.previous_secret_expires_at > now() then e.previous_signing_key end as previous_signing_key, e.format,
         e.header_values, v.payload, floor(extract(epoch from now()))::float8 as claimed_at,
         ${limitedForMs} as limited_for_ms
    from claimed c
    join ${webhook_endpoints} e on e.team_id = c.team_id and e.id = c.endpoint_id
    left join ${events} v on v.team_id = c.team_id and v.id = c.event_id${limits}`,
  )

const claim = claiming({
  before: sql``,
  slots: sql`slots s${unlimitedEndpoint}`,
  after: sql``,
  limitedForMs: sql`null::float8`,
  limits: sql``,
})
/** For slots of which some are of endpoints with a limit: others pay nothing for it, and get nothing without it. */
const claimLimited = claiming({
  before: sql`${allowances},`,
  slots: sql`allowed s`,
  after: sql`,${spending}`,
  limitedForMs: sql`extract(epoch from n.next_send_at - now())::float8 * 1000`,
  limits: sql`
    left join spent n on n.team_id = c.team_id and n.endpoint_id = c.endpoint_id`,
})

/**
 * Claims due deliveries of each endpoint, oldest first, up to its slots and to its limit. Two workers never get the same attempt, and
 * all workers together never exceed a limit.
 */
export async function claimDeliveries(
  tx: Tx,
  { workerId, slots }: { workerId: number; slots: readonly EndpointSlots[] },
): Promise<ClaimedDelivery[]> {
  const isLimited = slots.some(({ max_per_second }) => typeof max_per_second === 'number')
  return (isLimited ? claimLimited : claim)(tx, { worker_id: workerId, slots: JSON.stringify(slots) })
}
