import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { type Page, type PageQuery, pageBounds } from '../sql/pages.ts'
import { statementsByKey } from '../sql/statement.ts'
import { webhook_attempts } from '../tables/webhooks.ts'
import { endpointIsThere, type WebhookRef } from './endpoints.ts'

export type AttemptRow = typeof webhook_attempts.$inferSelect
export interface AttemptFilters {
  delivery_id?: string | undefined
  status_code?: number | undefined
  outcome?: 'succeeded' | 'failed' | undefined
}

const { placeholder } = sql
const FILTERS = ['delivery_id', 'status_code'] as const
const answeredWell = sql`s.error_code is null and coalesce(s.status_code between 200 and 299, false)`

const conditions: Record<string, SQL> = {
  status_code: sql`s.status_code = ${placeholder('status_code')}::int`,
  succeeded: sql`s.finished_at is not null and ${answeredWell}`,
  failed: sql`s.finished_at is not null and not (${answeredWell})`,
}

// With a delivery the walk is over that delivery's own index: it has eight attempts at most.
const ofEndpoint = (filters: string[]) => sql`
      from ${webhook_attempts} s
     where s.team_id = ${placeholder('team_id')} and s.endpoint_id = ${placeholder('webhook_id')}
       ${filters.includes('delivery_id') ? sql`and s.delivery_id = ${placeholder('delivery_id')}` : sql``}`

const list = statementsByKey<object, Listed<AttemptRow>>((key) => {
  const [span, ...filters] = key.split(',')
  const others = filters.flatMap((name) => conditions[name] ?? [])
  const walk = walkOf(ofEndpoint(filters), sql`s.id`, span)
  return sql`
    select s.*
      from (${others.length === 0 ? indexedList(walk) : scannedList(walk, others)}) s
     where ${endpointIsThere}
     order by s.id desc`
})

/** The attempts to reach an endpoint, newest first. */
export async function listAttempts<Item>(
  tx: Tx,
  { team_id, webhook_id, limit, cursor, created_after, created_before, outcome, ...filters }: PageQuery & AttemptFilters & WebhookRef,
  present: (row: AttemptRow) => Item,
): Promise<Page<Item>> {
  const given = [spanOf({ created_after }), ...FILTERS.filter((name) => filters[name] !== undefined), ...(outcome ? [outcome] : [])]
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  return listedPage(await list(given.join(','))(tx, { ...filters, ...bounds, team_id, webhook_id }), limit, present)
}
