import type { DatabaseAddress } from '@earshot/db'
import postgres from 'postgres'

/** postgres.js as it comes, but for the one option that makes small statements twice as fast; the service has it too. */
export function openPlain({ url, ...parts }: DatabaseAddress, poolSize: number, connection: Record<string, string> = {}): postgres.Sql {
  const options = { max: poolSize, max_pipeline: 1, onnotice: () => {}, connection }
  return url ? postgres(url, options) : postgres({ ...parts, ...options })
}
