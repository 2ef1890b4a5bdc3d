import { ApiError } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, actorValues } from '../sql/actor.ts'
import { audited } from '../sql/audit.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { type Page, type PageQuery, pageBounds } from '../sql/pages.ts'
import { notFound } from '../sql/rows.ts'
import { statement, statementsByKey } from '../sql/statement.ts'
import { events } from '../tables/events.ts'
import { webhook_deliveries, webhook_endpoints } from '../tables/webhooks.ts'
import { endpointIsThere, type WebhookRef } from './endpoints.ts'

/** A delivery with the body of its event; null once the event is past its 30 days. */
export type DeliveryRow = typeof webhook_deliveries.$inferSelect & { payload: string | null }
export interface DeliveryRef extends WebhookRef {
  delivery_id: string
}
export interface DeliveryFilters {
  state?: DeliveryRow['state'] | undefined
  event_type?: string | undefined
  event_id?: string | undefined
  replay_id?: string | undefined
}

const { placeholder } = sql
const FILTERS = ['event_id', 'event_type', 'replay_id', 'state'] as const
// `limit 1` keeps the planner from reading all events for a join: each delivery looks up its own.
const withPayload = sql`
      left join lateral (
        select e.payload
          from ${events} e
         where e.team_id = d.team_id and e.id = d.event_id
         limit 1
      ) e on true`

const conditions: Record<string, SQL> = {
  state: sql`s.state = ${placeholder('state')}`,
  event_type: sql`s.event_type = ${placeholder('event_type')}`,
  event_id: sql`s.event_id = ${placeholder('event_id')}::uuid`,
}

// With a replay the walk is over that replay's own index.
const ofEndpoint = (filters: string[]) => sql`
      from ${webhook_deliveries} s
     where s.team_id = ${placeholder('team_id')} and s.endpoint_id = ${placeholder('webhook_id')}
       ${filters.includes('replay_id') ? sql`and s.replay_id = ${placeholder('replay_id')}::uuid` : sql``}`

const list = statementsByKey<object, Listed<DeliveryRow>>((key) => {
  const [span, ...filters] = key.split(',')
  const others = filters.flatMap((name) => conditions[name] ?? [])
  const walk = walkOf(ofEndpoint(filters), sql`s.id`, span)
  return sql`
    with d as (${others.length === 0 ? indexedList(walk) : scannedList(walk, others)})
    select d.*, e.payload
      from d
      ${withPayload}
     where ${endpointIsThere}
     order by d.id desc`
})

export async function listDeliveries<Item>(
  tx: Tx,
  { team_id, webhook_id, limit, cursor, created_after, created_before, ...filters }: PageQuery & DeliveryFilters & WebhookRef,
  present: (row: DeliveryRow) => Item,
): Promise<Page<Item>> {
  const given = [spanOf({ created_after }), ...FILTERS.filter((name) => filters[name] !== undefined)]
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  return listedPage(await list(given.join(','))(tx, { ...filters, ...bounds, team_id, webhook_id }), limit, present)
}

const find = statement<DeliveryRef, DeliveryRow>(sql`
  select d.*, e.payload
    from ${webhook_deliveries} d
    ${withPayload}
   where d.team_id = ${placeholder('team_id')} and d.endpoint_id = ${placeholder('webhook_id')} and d.id = ${placeholder('delivery_id')}`)

export async function findDelivery(tx: Tx, ref: DeliveryRef): Promise<DeliveryRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

const repeat = statement<object, DeliveryRow & { endpoint_state: string; made: boolean }>(sql`
  with first as (
    select d.id, d.endpoint_id, d.team_id, d.event_id, d.event_type, d.payload_sha256, e.payload, n.state as endpoint_state
      from ${webhook_deliveries} d
      join ${webhook_endpoints} n on n.team_id = d.team_id and n.id = d.endpoint_id and n.deleted_at is null
      ${withPayload}
     where d.team_id = ${placeholder('team_id')} and d.endpoint_id = ${placeholder('webhook_id')} and d.id = ${placeholder('delivery_id')}
  ),
  made as (
    insert into ${webhook_deliveries} (team_id, endpoint_id, event_id, event_type, payload_sha256, trigger, replay_of)
    select team_id, endpoint_id, event_id, event_type, payload_sha256, 'manual', id
      from first
     where endpoint_state = 'active' and payload is not null
    returning *
  ),
  logged as (
    select ${audited({ action: 'delivery.redelivered', target: 'delivery', team: sql`made.team_id`, id: sql`made.id` })}
      from made
  )
  select made.*, first.payload, first.endpoint_state, made.id is not null as made, (select count(*) from logged) as logged
    from first
    left join made on true`)

/**
 * Sends the same event once more, as a new delivery that is due at once. Throws `state_conflict` while the endpoint is
 * not active, `not_found` once the event is past its 30 days.
 */
export async function redeliver(tx: Tx, actor: Actor, ref: DeliveryRef): Promise<DeliveryRow> {
  const [row] = await repeat(tx, { ...actorValues(actor), ...ref })
  if (!row) notFound()
  if (row.made) return row
  if (row.endpoint_state !== 'active') throw new ApiError('state_conflict', { current_state: row.endpoint_state })
  return notFound()
}
