import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { webhook_deliveries, webhook_workers } from '../tables/webhooks.ts'

export interface Health {
  /** PostgreSQL's own. */
  server_version: string
  /** Seconds since 1970, by the database's clock. */
  clock: number
  deliveries_due: number
  workers: number
}

const read = statement<Record<never, never>, Health>(sql`
  select current_setting('server_version') as server_version,
         extract(epoch from now())::float8 as clock,
         (select count(*)::int from ${webhook_deliveries} where state = 'pending' and next_attempt_at <= now()) as deliveries_due,
         (select count(*)::int from ${webhook_workers} where seen_at > now() - interval '10 seconds') as workers`)

/** What tells an operator whether the service is well. */
export async function readHealth(tx: Tx): Promise<Health> {
  return onlyOne(await read(tx, {}))
}
