import type { Database } from '@earshot/db'
import { numberEvents } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from './loop.ts'

const TICK_MS = 100
const MAX_BATCH = 1_000
const RECENT_DAYS = 1
/** Events are kept for 30 days; after a long stop, old ones may have no number yet. */
const ALL_DAYS = 31
const ALL_DAYS_EVERY_MS = 60_000

/** Numbers committed events for the change feed: recent ones at each tick, older ones once a minute. */
export function startEventNumbering({
  database,
  log,
  onNumbered,
}: {
  database: Database
  log: Log
  onNumbered: (count: number) => void
}): Loop {
  let allDaysAt = Number.NEGATIVE_INFINITY

  async function numberNext(): Promise<number> {
    const startedAt = performance.now()
    const isAllDays = startedAt - allDaysAt > ALL_DAYS_EVERY_MS
    const numbered = await numberEvents(database, { days: isAllDays ? ALL_DAYS : RECENT_DAYS, max: MAX_BATCH })
    if (numbered > 0) onNumbered(numbered)
    if (numbered === MAX_BATCH) return 0
    if (isAllDays) allDaysAt = startedAt
    return Math.max(TICK_MS, 20 * (performance.now() - startedAt))
  }

  return startLoop({ name: 'Numbering events', work: numberNext, log })
}
