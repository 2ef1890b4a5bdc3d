import type { Database } from '@earshot/db'
import { numberEvents, numberSubmissionFeed } from '@earshot/db/dispatch'
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
    const numbered = await numberEvents(database, { max: MAX_BATCH })
    if (numbered > 0) onNumbered(numbered)
    const changes = await numberSubmissionFeed(database, { max: MAX_BATCH })
    if (numbered + changes === 0 && idleness.isIdle) return UNTIL_NUDGED_MS
    return numbered === MAX_BATCH || changes === MAX_BATCH ? 0 : Math.max(TICK_MS, 20 * (performance.now() - startedAt))
  }

  return startLoop({ name: 'Numbering events', work: numberNext, log })
}
