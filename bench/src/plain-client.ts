import { type DatabaseAddress, toTimestamp } from '@earshot/db'
import postgres from 'postgres'

/** The OID of the type timestamptz. */
const TIMESTAMP = 1184

/**
 * Opens postgres.js with the settings of the service, which fast hand-written code would use too: one plan for each statement,
 * and timestamps as text. `max_pipeline: 1` sends at most one statement behind the one that runs on a connection; the service
 * sends none, which costs it about a sixth more system calls.
 */
export function openPlain({ url, ...parts }: DatabaseAddress, poolSize: number, connection: Record<string, string> = {}): postgres.Sql {
  const options = {
    max: poolSize,
    max_pipeline: 1,
    onnotice: () => {},
    connection: { timezone: 'UTC', plan_cache_mode: 'force_generic_plan', ...connection },
    types: { instant: { to: TIMESTAMP, from: [TIMESTAMP], serialize: String, parse: toTimestamp } },
  }
  return url ? postgres(url, options) : postgres({ ...parts, ...options })
}
