import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { webhook_delivery_history } from '../tables/webhooks.ts'

/**
 * Inserts finished deliveries, rows of `webhook_deliveries` with their last state, into the history. A delivery that is past
 * its days ends without a record: the partition of its day is gone.
 */
export const insertHistory = (finished: SQL) => sql`
    insert into ${webhook_delivery_history} (
           team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, attempt_id,
           replay_of, replay_id, finished_at)
    select team_id, id, endpoint_id, event_id, event_type, payload_sha256, last_state, trigger, attempt_count, attempt_id,
           replay_of, replay_id, now()
      from ${finished}
     where id >= uuid_at(now() - ${sql.raw(`interval '${durations.deliveryDays} days'`)})`
