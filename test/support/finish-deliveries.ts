import type { Database } from '@earshot/db'

/** Ends unfinished deliveries that meet a condition, as a worker does. */
export async function finishDeliveries(database: Database, state: 'succeeded' | 'failed' | 'skipped', condition = 'true'): Promise<void> {
  await database.run(
    `with ended as (
       delete from webhook_deliveries where ${condition} returning *
     )
     insert into webhook_delivery_history (
            team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, attempt_id, replay_of, replay_id, finished_at)
     select team_id, id, endpoint_id, event_id, event_type, payload_sha256, $1, trigger, attempt_count, attempt_id, replay_of, replay_id, now()
       from ended`,
    [state],
  )
}
