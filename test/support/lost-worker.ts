import type { Database } from '@earshot/db'

/** Makes the attempts in flight those of a worker that is lost: what a worker holds itself it never takes back. */
export async function loseWorker(database: Database, endpointId: string): Promise<void> {
  await database.run(
    `with lost as (
       update webhook_deliveries
          set attempt_id = uuidv7(), lease_until = now() - interval '1 second'
        where endpoint_id = $1 and state = 'sending'
       returning id, attempt_id
     )
     update webhook_attempts a set id = l.attempt_id from lost l where a.delivery_id = l.id`,
    [endpointId],
  )
}
