import type { Database } from '@earshot/db'
import { type ReleaseCursor, releaseDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop, UNTIL_NUDGED_MS } from './loop.ts'

const TICK_PER_DURATION = 20

/** Makes held deliveries due again when their endpoints may get them: a look at some of the endpoints when it is nudged. */
export function startReleases({ database, log }: { database: Database; log: Log }): Loop {
  let after: ReleaseCursor | null = null
  let pausedUntil = 0

  async function releaseNext(): Promise<number> {
    const startedAt = performance.now()
    if (startedAt < pausedUntil) return pausedUntil - startedAt
    after = await releaseDeliveries(database, after)
    const endedAt = performance.now()
    pausedUntil = endedAt + TICK_PER_DURATION * (endedAt - startedAt)
    return UNTIL_NUDGED_MS
  }

  return startLoop({ name: 'Releasing held deliveries', work: releaseNext, log })
}
