import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Below, rowsBelow } from '../sql/nested-lists.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { type Parameters, statementsByKey } from '../sql/statement.ts'
import { webhook_attempts } from '../tables/webhooks.ts'
import { belowEndpoint } from './endpoint-lists.ts'
import type { WebhookRef } from './endpoints.ts'

export type AttemptRow = typeof webhook_attempts.$inferSelect

/** The filters of the list of attempts. */
export interface AttemptFilters {
  delivery_id?: string | undefined
  status_code?: number | undefined
  outcome?: 'succeeded' | 'failed' | undefined
}

type AttemptValues = WebhookRef & PageBounds & Pick<AttemptFilters, 'delivery_id' | 'status_code'>

const FILTERS = ['delivery_id', 'status_code'] as const
const isSuccess = sql`s.error_code is null and coalesce(s.status_code between 200 and 299, false)`

const conditions = (p: Parameters<AttemptValues>) => ({
  status_code: sql`s.status_code = ${p.status_code}::int`,
  succeeded: sql`s.finished_at is not null and ${isSuccess}`,
  failed: sql`s.finished_at is not null and not (${isSuccess})`,
})

// With a delivery the walk is over that delivery's own index: it has eight attempts at most.
const ofEndpoint = (p: Parameters<AttemptValues>, filters: string[]) => sql`
      from ${webhook_attempts} s
     where s.team_id = ${p.team_id} and s.endpoint_id = ${p.webhook_id}
       ${filters.includes('delivery_id') ? sql`and s.delivery_id = ${p.delivery_id}` : sql``}`

const list = statementsByKey<AttemptValues, Below<Listed<AttemptRow>>>((key, p) => {
  const [span, ...filters] = key.split(',')
  const others = Object.entries(conditions(p)).flatMap(([name, condition]) => (filters.includes(name) ? [condition] : []))
  const walk = walkOf(ofEndpoint(p, filters), sql`s.id`, span)
  const columns = columnsOf(webhook_attempts, 's')
  return belowEndpoint(p, others.length === 0 ? indexedList(walk, columns) : scannedList(walk, others, columns))
})

/** Lists the attempts to reach an endpoint, newest first. Throws `not_found` for an unknown endpoint. */
export async function listAttempts<Item>(
  tx: Tx,
  { team_id, webhook_id, limit, cursor, created_after, created_before, outcome, ...filters }: PageQuery & AttemptFilters & WebhookRef,
  present: (row: AttemptRow) => Item,
): Promise<Page<Item>> {
  const given = [spanOf({ created_after }), ...FILTERS.filter((name) => filters[name] !== undefined), ...(outcome ? [outcome] : [])]
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  const rows = await list(given.join(','))(tx, { ...filters, ...bounds, team_id, webhook_id })
  return listedPage(rowsBelow(rows), limit, present)
}
