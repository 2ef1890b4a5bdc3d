import { type SQL, sql } from 'drizzle-orm'
import { below } from '../sql/nested-lists.ts'
import type { Parameters } from '../sql/statement.ts'
import { webhook_attempts, webhook_endpoints } from '../tables/webhooks.ts'
import type { WebhookRef } from './endpoints.ts'

/** A list below an endpoint. A deleted endpoint exists here as long as it has attempts: they stay readable for their 30 days. */
export function belowEndpoint({ team_id, webhook_id }: Parameters<WebhookRef>, list: SQL): SQL {
  return below(
    sql`exists (select from ${webhook_endpoints} where team_id = ${team_id} and id = ${webhook_id} and deleted_at is null)
          or exists (select from ${webhook_attempts} where team_id = ${team_id} and endpoint_id = ${webhook_id})`,
    list,
  )
}
