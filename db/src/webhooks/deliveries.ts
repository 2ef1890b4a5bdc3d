import { ApiError } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Below, rowsBelow } from '../sql/nested-lists.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement, statementsByKey } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { all_webhook_deliveries, type Delivery, webhook_deliveries, webhook_delivery_history } from '../tables/webhooks.ts'
import { belowEndpoint } from './endpoint-lists.ts'
import { findWebhook, type WebhookEndpointRow, type WebhookRef } from './endpoints.ts'
import { holdPayload } from './payloads.ts'

/** A delivery with the body of its event; null once that was removed. */
export type DeliveryRow = Delivery & { payload: string | null }

/** Names a delivery: team, endpoint, id. */
export interface DeliveryRef extends WebhookRef {
  delivery_id: string
}

/** The filters of the list of deliveries. */
export interface DeliveryFilters {
  state?: DeliveryRow['state'] | undefined
  event_type?: string | undefined
  event_id?: string | undefined
  replay_id?: string | undefined
}

/** The columns of the view. */
const columnsOfAll = (of: 's' | 'd') =>
  sql`${columnsOf(webhook_delivery_history, of)}, ${sql.raw(`${of}.next_attempt_at, ${of}.worker_id, ${of}.lease_until`)}`

type DeliveryValues = WebhookRef & PageBounds & DeliveryFilters

const FILTERS = ['event_id', 'event_type', 'replay_id', 'state'] as const

// `limit 1` keeps the planner from reading all events for a join: each delivery looks up its own.
const withPayload = (deliveries: SQL, columns: SQL) => sql`
    select ${columns}, e.payload
      from ${deliveries} d
      left join lateral (
        select e.payload
          from ${events} e
         where e.team_id = d.team_id and e.id = d.event_id
         limit 1
      ) e on true`

const conditions = (p: Parameters<DeliveryValues>) => ({
  state: sql`s.state = ${p.state}`,
  event_type: sql`s.event_type = ${p.event_type}`,
  event_id: sql`s.event_id = ${p.event_id}::uuid`,
})

// With a replay the walk is over that replay's own index.
const ofEndpoint = (p: Parameters<DeliveryValues>, filters: string[]) => sql`
      from ${all_webhook_deliveries} s
     where s.team_id = ${p.team_id} and s.endpoint_id = ${p.webhook_id}
       ${filters.includes('replay_id') ? sql`and s.replay_id = ${p.replay_id}::uuid` : sql``}`

const list = statementsByKey<DeliveryValues, Below<Listed<DeliveryRow>>>((key, p) => {
  const [span, ...filters] = key.split(',')
  const others = Object.entries(conditions(p)).flatMap(([name, condition]) => (filters.includes(name) ? [condition] : []))
  const walk = walkOf(ofEndpoint(p, filters), sql`s.id`, span)
  const columns = columnsOfAll('s')
  const walked = others.length === 0 ? indexedList(walk, columns) : scannedList(walk, others, columns)
  return belowEndpoint(p, withPayload(sql`(${walked})`, sql`d.*`))
})

/** Lists the deliveries to an endpoint, newest first. Throws `not_found` for an unknown endpoint. */
export async function listDeliveries<Item>(
  tx: Tx,
  { team_id, webhook_id, limit, cursor, created_after, created_before, ...filters }: PageQuery & DeliveryFilters & WebhookRef,
  present: (row: DeliveryRow) => Item,
): Promise<Page<Item>> {
  const given = [spanOf({ created_after }), ...FILTERS.filter((name) => filters[name] !== undefined)]
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  const rows = await list(given.join(','))(tx, { ...filters, ...bounds, team_id, webhook_id })
  return listedPage(rowsBelow(rows), limit, present)
}

const find = statement<DeliveryRef, DeliveryRow>(
  (p) => sql`
    ${withPayload(sql`${all_webhook_deliveries}`, columnsOfAll('d'))}
     where d.team_id = ${p.team_id} and d.endpoint_id = ${p.webhook_id} and d.id = ${p.delivery_id}`,
)

/** Finds a delivery to an endpoint. */
export async function findDelivery(tx: Tx, ref: DeliveryRef): Promise<DeliveryRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/** Throws `state_conflict` while an endpoint is not active: nothing is sent to it. */
export function requireActive({ state }: WebhookEndpointRow): void {
  if (state !== 'active') throw new ApiError('state_conflict', { current_state: state })
}

const insert = statement<
  Pick<Delivery, 'team_id' | 'endpoint_id' | 'event_id' | 'event_type' | 'payload_sha256'> & { replay_of: string },
  Omit<Delivery, 'finished_at'>
>(
  (p) => sql`
  insert into ${webhook_deliveries} (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, replay_of)
  values (${p.team_id}, ${p.endpoint_id}, ${p.event_id}, ${p.event_type}, ${p.payload_sha256}, 'manual', ${p.replay_of})
  returning ${columnsOf(webhook_deliveries)}`,
)

/**
 * Sends the same event once more, as a new delivery that is due at once. Throws `state_conflict` while the endpoint is
 * not active and once the payload was removed, `not_found` once the event is past its 30 days or was erased.
 */
export async function redeliver(tx: Tx, actor: Actor, ref: DeliveryRef): Promise<DeliveryRow> {
  return transaction(tx, async (tx) => {
    const first = await findDelivery(tx, ref)
    requireActive(await findWebhook(tx, ref))
    const { team_id, endpoint_id, event_id, event_type, payload_sha256, id: replay_of } = first
    await holdPayload(tx, { team_id, event_id })
    const made = onlyOne(await insert(tx, { team_id, endpoint_id, event_id, event_type, payload_sha256, replay_of }))
    await recordAudit(tx, actor, { team_id, action: 'delivery.redelivered', target: 'delivery', target_id: made.id })
    return { ...made, finished_at: null, payload: first.payload }
  })
}
