import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { webhook_deliveries } from '../tables/webhooks.ts'

/** The most that one request makes due; the workers do the rest within seconds. */
const MAX_RELEASED = 2_000

const release = statement<{ team_id: string; webhook_id: string; max: number }, never>(
  (p) => sql`
  update ${webhook_deliveries}
     set is_held = false
   where ctid = any (array(
     select d.ctid
       from ${webhook_deliveries} d
      where d.is_held and d.team_id = ${p.team_id} and d.endpoint_id = ${p.webhook_id}
      limit ${p.max}
        for update skip locked
   ))`,
)

/** Makes the deliveries due again that waited for their endpoint to be resumed. */
export async function releaseHeldDeliveries(tx: Tx, ref: { team_id: string; webhook_id: string }): Promise<void> {
  await release(tx, { ...ref, max: MAX_RELEASED })
}
