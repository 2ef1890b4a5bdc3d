import type { Database } from '@earshot/db'
import type { Receipt } from './recorder.ts'

interface EventFact {
  id: string
  team_id: string
  type: string
  /** The submission that changed. */
  submission_id: string
  sha256: string
  position: string | null
}

interface DeliveryFact {
  id: string
  endpoint_id: string
  event_id: string
  sha256: string
  state: string
  attempt_count: number
  attempt_id: string | null
  /** Whether it is claimed or has a next attempt. */
  is_open: boolean
}

interface AttemptFact {
  id: string
  delivery_id: string
  number: number
  worker_id: number
  status_code: number | null
  error_code: string | null
  /** On the database’s clock. */
  started_ms: number
  finished_ms: number | null
}

/** All rows and receipts at the end. */
export interface History {
  endpoints: { id: string; team_id: string; events: string[] }[]
  submissions: { id: string; state: string }[]
  events: EventFact[]
  deliveries: DeliveryFact[]
  attempts: AttemptFact[]
  receipts: readonly Receipt[]
}

/** Reads all rows, events in the order of the feed, attempts in that of their delivery. */
export async function readHistory({ client }: Database, receipts: readonly Receipt[]): Promise<History> {
  return {
    endpoints: await client<History['endpoints']>`select id, team_id, events from webhook_endpoints`,
    submissions: await client<History['submissions']>`select id, state from submissions`,
    events: await client<EventFact[]>`
      select e.id, e.team_id, e.type, e.payload::jsonb #>> '{data,submission,id}' as submission_id, e.payload_sha256 as sha256, n.position
        from events e
        left join feed_positions n on n.team_id = e.team_id and n.event_id = e.id
       order by n.position`,
    deliveries: await client<DeliveryFact[]>`
      select id, endpoint_id, event_id, payload_sha256 as sha256, state, attempt_count, attempt_id,
             coalesce(worker_id::text, lease_until::text, next_attempt_at::text) is not null as is_open
        from all_webhook_deliveries`,
    attempts: await client<AttemptFact[]>`
      select id, delivery_id, number, worker_id, status_code, error_code,
             extract(epoch from started_at)::float8 * 1000 as started_ms, extract(epoch from finished_at)::float8 * 1000 as finished_ms
        from webhook_attempts
       order by delivery_id, number`,
    receipts,
  }
}

/** Returns every contradiction to the guarantees. */
export function contradictions(history: History, acknowledged: { created: string[]; approved: string[] }): string[] {
  return [...ofChanges(history, acknowledged), ...ofEvents(history), ...ofDeliveries(history), ...ofReceipts(history)]
}

/** Checks that each change has one event and each event its change, and that no acknowledged change is lost. */
function ofChanges({ submissions, events }: History, acknowledged: { created: string[]; approved: string[] }): string[] {
  const found: string[] = []
  const eventsByChange = Map.groupBy(events, ({ type, submission_id }) => `${type} ${submission_id}`)
  const changes = new Set([
    ...submissions.map(({ id }) => `submission.created ${id}`),
    ...submissions.filter(({ state }) => state === 'approved').map(({ id }) => `submission.approved ${id}`),
  ])
  for (const id of acknowledged.created)
    if (!changes.has(`submission.created ${id}`)) found.push(`submission ${id} was acknowledged and lost`)
  for (const id of acknowledged.approved)
    if (!changes.has(`submission.approved ${id}`)) found.push(`approval of ${id} was acknowledged and lost`)
  for (const change of changes)
    if (eventsByChange.get(change)?.length !== 1) found.push(`${change} has ${eventsByChange.get(change)?.length ?? 0} events`)
  for (const name of eventsByChange.keys()) if (!changes.has(name)) found.push(`event ${name} without its change`)
  return found
}

/** Checks that each event has a position of its own in the feed and one delivery per matching endpoint. */
function ofEvents({ endpoints, events, deliveries }: History): string[] {
  const found: string[] = []
  const byEvent = Map.groupBy(deliveries, ({ event_id }) => event_id)
  const known = new Set(events.map(({ id }) => id))
  for (const { id, team_id, type, sha256 } of events) {
    const wanted = endpoints.filter(
      (endpoint) => endpoint.team_id === team_id && (endpoint.events.includes('*') || endpoint.events.includes(type)),
    )
    const made = byEvent.get(id) ?? []
    const targets = made.map(({ endpoint_id }) => endpoint_id).sort()
    if (String(targets) !== String(wanted.map((endpoint) => endpoint.id).sort())) found.push(`event ${id} has deliveries to ${targets}`)
    if (made.some((delivery) => delivery.sha256 !== sha256)) found.push(`event ${id} has a delivery of other bytes`)
  }
  for (const { id, event_id } of deliveries) if (!known.has(event_id)) found.push(`delivery ${id} without its event`)
  const positions = events.map(({ position }) => position)
  if (positions.includes(null)) found.push('an event has no position in the feed')
  if (new Set(positions).size < positions.length) found.push('two events have one position in the feed')
  return found
}

/** Checks that each delivery succeeded at its last attempt alone, and that attempts are sequential, without gaps, and closed. */
function ofDeliveries({ deliveries, attempts }: History): string[] {
  const found: string[] = []
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  const known = new Set(deliveries.map(({ id }) => id))
  for (const { id, state, attempt_count, attempt_id, is_open } of deliveries) {
    const made = byDelivery.get(id) ?? []
    if (state !== 'succeeded' || is_open) found.push(`delivery ${id} is ${state}${is_open ? ', and open' : ''}`)
    if (made.length !== attempt_count || made.some(({ number }, index) => number !== index + 1))
      found.push(`delivery ${id} counts ${attempt_count} attempts, and has ${made.map(({ number }) => number)}`)
    if (made.at(-1)?.id !== attempt_id) found.push(`delivery ${id} names another attempt than its last`)
    if (!made.every((attempt, index) => isWell(attempt) === (index === made.length - 1)))
      found.push(
        `delivery ${id} did not end with its first success: ${made.map(({ status_code, error_code }) => status_code ?? error_code)}`,
      )
    if (made.some(({ started_ms }, index) => index > 0 && started_ms < (made[index - 1]?.finished_ms ?? Number.POSITIVE_INFINITY)))
      found.push(`delivery ${id} was tried again before its last attempt had ended`)
  }
  for (const { id, delivery_id, finished_ms } of attempts) {
    if (!known.has(delivery_id)) found.push(`attempt ${id} without its delivery`)
    if (finished_ms === null) found.push(`attempt ${id} is open`)
  }
  return found
}

/** Checks that each received request matches a recorded attempt of its own, byte for byte, and that each delivery arrived. */
function ofReceipts({ deliveries, attempts, receipts }: History): string[] {
  const found: string[] = []
  const byDelivery = Map.groupBy(receipts, ({ deliveryId }) => deliveryId)
  const seconds = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  for (const { id, sha256 } of deliveries) {
    const came = byDelivery.get(id) ?? []
    byDelivery.delete(id)
    if (came.length === 0) found.push(`delivery ${id} never came`)
    if (came.some((receipt) => receipt.sha256 !== sha256)) found.push(`delivery ${id} came with other bytes`)
    const begun = (seconds.get(id) ?? []).map(({ started_ms }) => Math.floor(started_ms / 1000))
    for (const { signedAt } of came) {
      const place = begun.indexOf(signedAt)
      if (place === -1) found.push(`delivery ${id} came by an attempt that is not on record`)
      else begun.splice(place, 1)
    }
  }
  for (const id of byDelivery.keys()) found.push(`delivery ${id} came and is not on record`)
  return found
}

function isWell({ status_code, error_code }: AttemptFact): boolean {
  return error_code === null && status_code !== null && status_code >= 200 && status_code < 300
}
