import { type SQL, sql } from 'drizzle-orm'
import { notFound } from '../sql/rows.ts'
import type { Parameters } from '../sql/statement.ts'
import { webhook_attempts, webhook_endpoints } from '../tables/webhooks.ts'
import type { WebhookRef } from './endpoints.ts'

/** A row of a list below an endpoint, and whether there is such an endpoint. An empty list has one row of nulls. */
export type BelowEndpoint<Row> = Row & { endpoint_exists: boolean }

/**
 * Adds to a list whether its endpoint exists, so that one statement tells an empty list from an unknown endpoint. A deleted
 * endpoint exists here as long as it has attempts: they stay readable for their 30 days.
 */
export function belowEndpoint({ team_id, webhook_id }: Parameters<WebhookRef>, list: SQL): SQL {
  return sql`
  select s.*, e.endpoint_exists
    from (
      select exists (select from ${webhook_endpoints} where team_id = ${team_id} and id = ${webhook_id} and deleted_at is null)
          or exists (select from ${webhook_attempts} where team_id = ${team_id} and endpoint_id = ${webhook_id}) as endpoint_exists
    ) e
    left join (${list}) s on true
   order by s.id desc`
}

/** Returns the rows of a list below an endpoint. Throws `not_found` when there is no such endpoint. */
export function rowsBelow<Row extends { id: string }>(rows: BelowEndpoint<Row>[]): Row[] {
  if (!rows[0]?.endpoint_exists) notFound()
  return rows.filter(({ id }) => id !== null)
}
