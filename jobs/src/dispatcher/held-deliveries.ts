import type { Database } from '@earshot/db'
import { type ReleaseCursor, releaseDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from './loop.ts'

const TICK_MS = 1_000
const TICK_PER_DURATION = 20

/** Makes held deliveries due again when their endpoints may get them: a look at some of the endpoints each second. */
export function startReleases({ database, log }: { database: Database; log: Log }): Loop {
  let after: ReleaseCursor | null = null

  async function releaseNext(): Promise<number> {
    const startedAt = performance.now()
    after = await releaseDeliveries(database, after)
    return Math.max(TICK_MS, TICK_PER_DURATION * (performance.now() - startedAt))
  }

  return startLoop({ name: 'Releasing held deliveries', work: releaseNext, log })
}
