import { ApiError } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { webhook_delivery_history } from '../tables/webhooks.ts'
import { ENDED_AT_ONCE, type EndedDelivery, emptyAnswersTo, endUnfinished, interruptAttempts } from './ended-deliveries.ts'

const REMOVED = 'The payload of the event was removed.'
/** `emit_events` makes the deliveries with their event, in less than the time limit of a statement. */
const TOGETHER = sql.raw(`interval '1 minute'`)

type Row = typeof events.$inferSelect
const SHOWN_COLUMNS = ['team_id', 'id', 'type', 'project_id', 'payload_sha256', 'created_at', 'expunged_at'] as const

type ShownEvent = Pick<Row, (typeof SHOWN_COLUMNS)[number]>

/** An event whose payload was removed. */
export type ExpungedEvent = ShownEvent & { expunged_at: string }

/** Names an event: team, id. */
export interface EventRef {
  team_id: string
  event_id: string
}

const here = (p: Parameters<EventRef>) => sql`team_id = ${p.team_id} and id = ${p.event_id}`
const shown = sql.raw(SHOWN_COLUMNS.join(', '))

const lock = statement<EventRef, ShownEvent>(
  (p) => sql`
  select ${shown}
    from ${events}
   where ${here(p)}
     for no key update`,
)

const expunge = statement<EventRef, ExpungedEvent>(
  (p) => sql`
  update ${events}
     set payload = null, expunged_at = now()
   where ${here(p)}
  returning ${shown}`,
)

/**
 * Removes the payload of an event and what receivers answered to it, and ends its unfinished deliveries. An event without a payload
 * stays as it is. Throws `not_found`, also for an event that was erased or is no longer kept.
 */
export async function expungeEvent(tx: Tx, actor: Actor, ref: EventRef): Promise<ExpungedEvent> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, ref))[0] ?? notFound()
    if (isExpunged(before)) return before
    const event = onlyOne(await expunge(tx, ref))
    const { team_id, project_id, id } = event
    await forgetAnswers(tx, { team_id, ids: [id], first: id, last: id })
    await recordAudit(tx, actor, { team_id, project_id, action: 'event.expunged', target: 'event', target_id: id })
    return event
  })
}

function isExpunged(event: ShownEvent): event is ExpungedEvent {
  return event.expunged_at !== null
}

// Its lock and that of a removal exclude each other: what is sent again is found by the removal, or finds no payload.
const hold = statement<EventRef, { team_id: string; has_payload: boolean }>(
  (p) => sql`
  select team_id, payload is not null as has_payload
    from ${events}
   where ${here(p)}
     for share`,
)

/** Holds the payload of an event until the end of the transaction. Throws `not_found`, and `state_conflict` once the payload was removed. */
export async function holdPayload(tx: Tx, ref: EventRef): Promise<void> {
  const { has_payload } = (await hold(tx, ref))[0] ?? notFound()
  if (!has_payload) throw new ApiError('state_conflict', { current_state: 'expunged' })
}

/** Events of a team, in their order. */
export interface Events {
  team_id: string
  ids: string[]
  first: string
  last: string
}

/**
 * Deliveries `d` that were made with their events. Their ids follow those of the events, as all of one connection do. The range keeps
 * off other days, and off what came before and after.
 */
const madeWith = (p: Parameters<Events>): SQL => sql`d.team_id = ${p.team_id} and d.event_id = any (${p.ids}::uuid[])
           and d.id > ${p.first}::uuid and d.id < uuid_at(uuid_extract_timestamp(${p.last}::uuid) + ${TOGETHER})`

/** Deliveries `d` of events that were sent again, by an index of their own. */
const sentAgain = (p: Parameters<Events>): SQL => sql`d.team_id = ${p.team_id} and d.event_id = any (${p.ids}::uuid[])
           and d.trigger <> 'auto' and d.id >= uuid_at(uuid_extract_timestamp(${p.first}::uuid) - ${TOGETHER})`

const ends = [madeWith, sentAgain].map((deliveries) => statement<Events, EndedDelivery>((p) => endUnfinished(deliveries(p))))

const findFinished = statement<Events, { team_id: string; id: string }>(
  (p) => sql`
  select d.team_id, d.id
    from ${webhook_delivery_history} d
   where ${madeWith(p)}
   union
  select d.team_id, d.id
    from ${webhook_delivery_history} d
   where ${sentAgain(p)}`,
)

/**
 * Ends the unfinished deliveries of events without a payload, and empties the answers to all of their deliveries. Unfinished ones come
 * first: a result that is being written is waited for, and found among the finished ones.
 */
export async function forgetAnswers(tx: Tx, values: Events): Promise<void> {
  const ended: EndedDelivery[] = []
  for (const end of ends) {
    for (;;) {
      const some = await end(tx, values)
      ended.push(...some)
      if (some.length < ENDED_AT_ONCE) break
    }
  }
  const finished = await findFinished(tx, values)
  await emptyAnswersTo(
    tx,
    values.team_id,
    finished.map(({ id }) => id),
  )
  await interruptAttempts(tx, values.team_id, ended, REMOVED)
}
