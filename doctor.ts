import { type Database, readVitals } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import type { Store } from './store.ts'

const CLOCK_TOLERANCE_SECONDS = 5

/** Each part that the service needs, with what was found. */
export async function examine(database: Database, store: Store): Promise<Record<string, unknown>> {
  const { server_version, clock, deliveries_due, workers } = await readVitals(database)
  const offset = Math.abs(clock - Date.now() / 1000)
  return {
    database: `PostgreSQL ${server_version}`,
    clock: offset < CLOCK_TOLERANCE_SECONDS ? 'in step with the database' : `${Math.round(offset)} s off the database's`,
    secret_key: createSecretBox(store.secretKey).keyId,
    workers,
    deliveries_due,
  }
}
