import { TEST_EVENT } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { all_webhook_deliveries, isPendingByEndpoint, webhook_attempts, webhook_deliveries } from '../tables/webhooks.ts'
import type { AttemptRow } from './attempts.ts'
import { type DeliveryRef, type DeliveryRow, requireActive } from './deliveries.ts'
import { findWebhook, target, type WebhookRef } from './endpoints.ts'

/** What a test sends: a type of event, and its `data`. */
export interface TestMessage {
  type: string
  project_id: string | null
  data: object
}

interface TestEvent {
  team_id: string
  /** Of the endpoint. */
  project_id: string | null
  sent_type: string
  sent_project_id: string | null
  data: string
}

// Without an entry in unnumbered_events: the event is no part of the feed. Stored as a test whatever it says: no replay sends it.
const insertEvent = statement<TestEvent, { id: string; payload_sha256: string }>(
  (p) => sql`
  insert into ${events} (team_id, id, project_id, type, payload, payload_sha256)
  select ${p.team_id}::uuid, v.id, ${p.project_id}::uuid, '${sql.raw(TEST_EVENT)}', body, encode(sha256(convert_to(body, 'UTF8')), 'hex')
    from (select uuidv7() as id) v
   cross join lateral event_body(v.id, ${p.team_id}::uuid, ${p.sent_project_id}::uuid, ${p.sent_type}::text, ${p.data}::json) body
  returning id, payload_sha256`,
)

// Due before everything else that waits for the endpoint; `min` reads one entry of the index of due deliveries.
const insertDelivery = statement<WebhookRef & { event_id: string; type: string; payload_sha256: string }, { id: string }>(
  (p) => sql`
  insert into ${webhook_deliveries} (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, next_attempt_at)
  select ${p.team_id}::uuid, ${p.webhook_id}::uuid, ${p.event_id}::uuid, ${p.type}::text, ${p.payload_sha256}::text, 'test',
         least(now(), min(d.next_attempt_at) - interval '1 millisecond')
    from ${webhook_deliveries} d
   where ${isPendingByEndpoint} and d.team_id = ${p.team_id} and d.endpoint_id = ${p.webhook_id}
  returning id`,
)

/**
 * Creates a delivery that is due now: of a message, or of `webhook.test` without one. Throws `not_found`, `state_conflict` while the
 * endpoint is not active.
 */
export async function beginTestDelivery(tx: Tx, actor: Actor, ref: WebhookRef, message: TestMessage | null): Promise<DeliveryRef> {
  const { team_id, webhook_id } = ref
  return transaction(tx, async (tx) => {
    const webhook = await findWebhook(tx, ref)
    requireActive(webhook)
    const { id, url, project_id } = webhook
    const { type, data, project_id: sent_project_id } = message ?? { type: TEST_EVENT, data: { endpoint: { id, url } }, project_id }
    const sent = { sent_type: type, sent_project_id, data: JSON.stringify(data) }
    const { id: event_id, payload_sha256 } = onlyOne(await insertEvent(tx, { team_id, project_id, ...sent }))
    const delivery = onlyOne(await insertDelivery(tx, { team_id, webhook_id, event_id, type, payload_sha256 }))
    await recordAudit(tx, actor, { ...target(webhook), action: 'webhook.tested' })
    return { team_id, webhook_id, delivery_id: delivery.id }
  })
}

const here = (p: Parameters<DeliveryRef>) => sql`d.team_id = ${p.team_id} and d.endpoint_id = ${p.webhook_id} and d.id = ${p.delivery_id}`

// The result and the end of its attempt are written by one statement, so both are there or neither. `limit 1` makes the
// planner look the one attempt up in its own partition.
const find = statement<DeliveryRef, AttemptRow & { delivery_state: DeliveryRow['state'] }>(
  (p) => sql`
  select ${columnsOf(webhook_attempts, 'a')}, d.state as delivery_state
    from ${all_webhook_deliveries} d
    left join lateral (
      select t.*
        from ${webhook_attempts} t
       where t.team_id = d.team_id and t.id = d.attempt_id and t.finished_at is not null
       limit 1
    ) a on true
   where ${here(p)}`,
)

/** Finds the state of a test delivery, with its attempt once that has ended. */
export async function findTestDelivery(tx: Tx, ref: DeliveryRef): Promise<{ state: DeliveryRow['state']; attempt: AttemptRow | null }> {
  const { delivery_state, ...attempt } = (await find(tx, ref))[0] ?? notFound()
  return { state: delivery_state, attempt: attempt.id === null ? null : attempt }
}

// A worker that claims it at the same moment has its row: then this waits, and finds it claimed.
const withdraw = statement<DeliveryRef, { id: string }>(
  (p) => sql`
  delete from ${webhook_deliveries} d
   where ${here(p)} and d.state = 'pending'
  returning d.id`,
)

/** Deletes a test delivery that no worker has claimed; returns whether it did. */
export async function withdrawTestDelivery(tx: Tx, ref: DeliveryRef): Promise<boolean> {
  return (await withdraw(tx, ref)).length > 0
}
