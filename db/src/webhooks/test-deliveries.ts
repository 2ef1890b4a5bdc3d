import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, type ActorValues, actorParameter, actorValues } from '../sql/actor.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries } from '../tables/webhooks.ts'
import type { AttemptRow } from './attempts.ts'
import type { DeliveryRef, DeliveryRow } from './deliveries.ts'
import type { WebhookRef } from './endpoints.ts'

const { placeholder } = sql
const one = sql`d.team_id = ${placeholder('team_id')} and d.id = ${placeholder('delivery_id')}`

const begin = statement<WebhookRef & ActorValues, { id: string }>(sql`
  select begin_test_delivery(${actorParameter}, ${placeholder('team_id')}::uuid, ${placeholder('webhook_id')}::uuid) as id`)

/** Makes a delivery of `webhook.test`, due now. Throws `not_found`, `state_conflict` while the endpoint is not active. */
export async function beginTestDelivery(tx: Tx, actor: Actor, ref: WebhookRef): Promise<DeliveryRef> {
  const { id } = onlyOne(await begin(tx, { ...actorValues(actor), ...ref }))
  return { ...ref, delivery_id: id }
}

// The result and the end of its attempt are written by one statement, so both are there or neither. `limit 1` makes the
// planner look the one attempt up in its own partition.
const find = statement<DeliveryRef, AttemptRow & { delivery_state: DeliveryRow['state'] }>(sql`
  select a.*, d.state as delivery_state
    from ${webhook_deliveries} d
    left join lateral (
      select t.*
        from ${webhook_attempts} t
       where t.team_id = d.team_id and t.id = d.attempt_id and t.finished_at is not null
       limit 1
    ) a on true
   where ${one}`)

/** How far it has come, with its attempt once that has ended. */
export async function findTestDelivery(tx: Tx, ref: DeliveryRef): Promise<{ state: DeliveryRow['state']; attempt: AttemptRow | null }> {
  const { delivery_state, ...attempt } = (await find(tx, ref))[0] ?? notFound()
  return { state: delivery_state, attempt: attempt.id === null ? null : attempt }
}

// A worker that claims it at the same moment has its row: then this waits, and finds it taken.
const withdraw = statement<DeliveryRef, { id: string }>(sql`
  delete from ${webhook_deliveries} d
   where ${one} and d.state = 'pending'
  returning d.id`)

/** Takes back one that nobody has taken up; tells whether it was so. */
export async function withdrawTestDelivery(tx: Tx, ref: DeliveryRef): Promise<boolean> {
  return (await withdraw(tx, ref)).length > 0
}
