import { type SQL, sql } from 'drizzle-orm'
import { indexedList, type Listed, listedPage, scannedList, type Walk } from './bounded-list.ts'
import type { Tx } from './database.ts'
import { type Page, type PageQuery, pageBounds } from './pages.ts'
import { statementsByKey } from './statement.ts'
import { webhook_attempts } from './tables/webhooks.ts'
import { endpointIsThere, type WebhookRef } from './webhooks.ts'

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

// With a delivery the walk is over that delivery's own index: it has eight attempts at most. The lower bound only when
// asked for: a plan for any values takes two bounds for a narrow span, and would sort all attempts of the endpoint.
const walk = (filters: string[]): Walk => ({
  source: sql`
      from ${webhook_attempts} s
     where s.team_id = ${placeholder('team_id')} and s.endpoint_id = ${placeholder('webhook_id')}
       ${filters.includes('delivery_id') ? sql`and s.delivery_id = ${placeholder('delivery_id')}` : sql``}
       ${filters.includes('after') ? sql`and s.id >= ${placeholder('after')}` : sql``}
       and s.id < ${placeholder('before')}`,
  id: sql`s.id`,
})

const list = statementsByKey<object, Listed<AttemptRow>>((key) => {
  const filters = key.split(',').filter(Boolean)
  const others = filters.flatMap((name) => conditions[name] ?? [])
  const walked = walk(filters)
  return sql`
    select s.*
      from (${others.length === 0 ? indexedList(walked) : scannedList(walked, others)}) s
     where ${endpointIsThere}
     order by s.id desc`
})

/** The attempts to reach an endpoint, newest first. */
export async function listAttempts<Item>(
  tx: Tx,
  { team_id, webhook_id, limit, cursor, created_after, created_before, outcome, ...filters }: PageQuery & AttemptFilters & WebhookRef,
  present: (row: AttemptRow) => Item,
): Promise<Page<Item>> {
  const given = [
    ...FILTERS.filter((name) => filters[name] !== undefined),
    ...(outcome ? [outcome] : []),
    ...(created_after === undefined ? [] : ['after']),
  ]
  const bounds = pageBounds({ limit, cursor, created_after, created_before })
  return listedPage(await list(given.join(','))(tx, { ...filters, ...bounds, team_id, webhook_id }), limit, present)
}
