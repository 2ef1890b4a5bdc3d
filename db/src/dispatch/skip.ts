import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { webhook_attempts, webhook_deliveries } from '../tables/webhooks.ts'
import { type AttemptBounds, type AttemptRef, boundsOf, inTheirPartitions, ourRefs } from './complete.ts'
import { insertHistory } from './history.ts'

// As a delivery that is handed back: the attempt that was not made leaves no row.
const skip = statement<AttemptBounds & { refs: string }, never>(
  (p) => sql`
  with ${ourRefs(p)},
  skipped as (
    delete from ${webhook_deliveries}
     where ctid = any (array(select place from ours))
    returning *
  ),
  kept as (${insertHistory(sql`(
      select team_id, id, endpoint_id, event_id, event_type, payload_sha256, trigger, attempt_count - 1 as attempt_count,
             null::uuid as attempt_id, replay_of, replay_id, 'skipped' as last_state
        from skipped
    ) s`)}
  )
  delete from ${webhook_attempts} t
   using skipped s
   where t.team_id = s.team_id and t.id = s.attempt_id and ${inTheirPartitions(p)}`,
)

/** Ends claimed deliveries that cannot be sent, because the payload of their event was removed. */
export async function skipDeliveries(tx: Tx, refs: readonly AttemptRef[]): Promise<void> {
  if (refs.length > 0) await skip(tx, { refs: JSON.stringify(refs), ...boundsOf(refs) })
}
