import type { Database } from '@earshot/db'
import { foldSubmissionChanges } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from './loop.ts'

const TICK_MS = 1_000
const MAX_BATCH = 10_000

/** Folds what changed in the figures of submissions into their totals, so that a reader adds up little. */
export function startFolding({ database, log }: { database: Database; log: Log }): Loop {
  return startLoop({
    name: 'Folding figures',
    work: async () => ((await foldSubmissionChanges(database, { max: MAX_BATCH })) === MAX_BATCH ? 0 : TICK_MS),
    log,
  })
}
