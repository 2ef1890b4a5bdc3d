import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/tx.ts'
import { onlyOne } from './rows.ts'
import { statement } from './statement.ts'

const zoneExists = statement<{ timezone: string }, { exists: boolean }>(
  (p) => sql`
  select exists (
           select
             from pg_timezone_names
            where lower(name) = lower(${p.timezone})
         ) as exists`,
)

/**
 * PostgreSQL finds days and mornings, and has a list of time zones of its own. Throws `validation_error` with the field for a
 * time zone that it does not know.
 */
export async function requireTimeZone(tx: Tx, timezone: string | undefined, field: string): Promise<void> {
  if (timezone === undefined || onlyOne(await zoneExists(tx, { timezone })).exists) return
  const detail = 'is a time zone that the database does not know'
  throw new ApiError('validation_error', { errors: [{ field, code: 'unknown_time_zone', detail }] })
}
