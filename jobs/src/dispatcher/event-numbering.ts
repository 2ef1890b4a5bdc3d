import type { Database } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import type { Idleness } from './idleness.ts'
import { type Loop, startLoop, UNTIL_NUDGED_MS } from './loop.ts'

const TICK_MS = 100
const MAX_BATCH = 1_000

/** Numbers committed events for the change feed, and committed changes of submissions for those of the projects. */
export function startEventNumbering({
  database,
  idleness,
  log,
  onNumbered,
}: {
  database: Database
  idleness: Idleness
  log: Log
  onNumbered: (count: number) => void
}): Loop {
  async function numberNext(): Promise<number> {
    const startedAt = performance.now()
    const { events, changes } = await numberFeeds(database, { max: MAX_BATCH })
    if (events > 0) onNumbered(events)
    if (events + changes === 0 && idleness.isIdle) return UNTIL_NUDGED_MS
    return events === MAX_BATCH || changes === MAX_BATCH ? 0 : Math.max(TICK_MS, 20 * (performance.now() - startedAt))
  }

  return startLoop({ name: 'Numbering events', work: numberNext, log })
}
