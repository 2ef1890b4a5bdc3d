import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import type { StoredRecipient } from '../tables/privacy.ts'
import { webhook_attempts, webhook_delivery_history } from '../tables/webhooks.ts'
import { ENDED_AT_ONCE, type EndedDelivery, emptyAnswersTo, endUnfinished, interruptAttempts } from '../webhooks/ended-deliveries.ts'
import { erased, type RequestRef } from './erased-records.ts'
import { mentions, type PersonValues } from './person.ts'
import { type Position, scanOf } from './scan.ts'

const DAY_MS = 86_400_000

const end = statement<RequestRef, EndedDelivery>((p) =>
  endUnfinished(sql`d.team_id = ${p.team_id} and d.event_id in ${erased(p, 'events')}`),
)

/** Ends deliveries of erased events that have not succeeded yet: nothing more is sent. Returns how many, and whether there may be more. */
export async function endDeliveries(tx: Tx, { team_id, request_id }: RequestRef): Promise<{ count: number; hasMore: boolean }> {
  const ended = await end(tx, { team_id, request_id })
  await interruptAttempts(tx, team_id, ended, 'The event was erased.')
  return { count: ended.length, hasMore: ended.length === ENDED_AT_ONCE }
}

interface Finished {
  id: string
  endpoint_id: string
  state: string
  finished_at: string | null
}

// A day at a time: the whole partition is one index condition, and no index is on the event.
const findOfDay = statement<RequestRef & { day: string }, Finished>(
  (p) => sql`
  select d.team_id, d.id, d.endpoint_id, d.state, d.finished_at
    from ${webhook_delivery_history} d
   where d.team_id = ${p.team_id}
     and d.id >= uuid_at(${p.day}::timestamptz) and d.id < uuid_at(${p.day}::timestamptz + interval '1 day')
     and d.event_id in ${erased(p, 'events')}`,
)

/** What a day of finished deliveries told. */
interface DayOfDeliveries {
  /** Attempts whose answers were emptied. */
  attempts: number
  recipients: StoredRecipient[]
  next: Position | null
}

/** Empties what receivers answered to erased events on the next day, and returns who got them. */
export async function emptyAnswers(tx: Tx, { team_id, request_id }: RequestRef, [from]: Position): Promise<DayOfDeliveries> {
  const dayMs = from ? Date.parse(from) : Math.floor(Date.now() / DAY_MS - durations.deliveryDays - 1) * DAY_MS
  const finished = await findOfDay(tx, { team_id, request_id, day: new Date(dayMs).toISOString() })
  const attempts = await emptyAnswersTo(
    tx,
    team_id,
    finished.map(({ id }) => id),
  )
  // A day more: the database's clock decides the day of a delivery.
  const next = dayMs > Date.now() ? null : [new Date(dayMs + DAY_MS).toISOString()]
  return { attempts, recipients: recipientsOf(finished), next }
}

// From the first event on: a delivery is as old as its event, and younger if somebody had it sent again.
const findOfEvents = statement<{ team_id: string; ids: string[]; first: string }, Finished>(
  (p) => sql`
  select d.team_id, d.id, d.endpoint_id, d.state, d.finished_at
    from ${webhook_delivery_history} d
   where d.team_id = ${p.team_id} and d.event_id = any (${p.ids}::uuid[])
     and d.id >= uuid_at(uuid_extract_timestamp(${p.first}::uuid) - interval '1 second')`,
)

/** Returns the endpoints that got these events, oldest first. */
export async function findRecipients(tx: Tx, team_id: string, events: readonly { id: string }[]): Promise<StoredRecipient[]> {
  const [first] = events
  if (!first) return []
  return recipientsOf(await findOfEvents(tx, { team_id, ids: events.map(({ id }) => id), first: first.id }))
}

function recipientsOf(finished: readonly Finished[]): StoredRecipient[] {
  const succeeded = finished.filter(({ state }) => state === 'succeeded')
  const one = ({ endpoint_id, finished_at }: Finished) => ({ webhook_id: endpoint_id, deliveries: 1, last_delivered_at: finished_at })
  return mergeRecipients([], succeeded.map(one))
}

/** Adds recipients to others: an endpoint stands there once. */
export function mergeRecipients(known: readonly StoredRecipient[], more: readonly StoredRecipient[]): StoredRecipient[] {
  const byEndpoint = new Map(known.map((recipient) => [recipient.webhook_id, recipient]))
  for (const { webhook_id, deliveries, last_delivered_at } of more) {
    const before = byEndpoint.get(webhook_id)
    const last = [before?.last_delivered_at ?? '', last_delivered_at ?? ''].sort().at(-1)
    byEndpoint.set(webhook_id, { webhook_id, deliveries: (before?.deliveries ?? 0) + deliveries, last_delivered_at: last || null })
  }
  return [...byEndpoint.values()]
}

/** What a receiver answered, of the alias `s`; bytes beyond ASCII are escaped. */
const answer = sql.raw(`concat_ws(E'\\n', encode(s.response_body, 'escape'), s.response_headers::text, s.error_detail)`)

/** Finds attempts in whose answer the address stands, whatever event they sent. */
export const scanAttempts = scanOf<PersonValues, { id: string }>({
  table: sql`${webhook_attempts}`,
  key: ['id'],
  columns: sql`s.team_id, s.id`,
  verdict: (p) => sql`
               case when ${mentions(answer, p)} then 'own' end`,
})

const empty = statement<{ team_id: string; ids: string[]; first: string; last: string }, never>(
  (p) => sql`
  update ${webhook_attempts}
     set response_headers = null, response_body = null, error_detail = null
   where team_id = ${p.team_id} and id = any (${p.ids}::uuid[]) and id between ${p.first}::uuid and ${p.last}::uuid`,
)

/** Empties what receivers answered in these attempts; returns how many. */
export async function emptyAttempts(tx: Tx, team_id: string, rows: readonly { id: string }[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  const [first, last] = [ids.at(0), ids.at(-1)]
  if (first && last) await empty(tx, { team_id, ids, first, last })
  return ids.length
}
