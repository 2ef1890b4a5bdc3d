import type { Database } from '@earshot/db'
import { foldAttemptChanges, foldResponseChanges, foldSubmissionChanges, foldTagChanges } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop, UNTIL_NUDGED_MS } from './loop.ts'

/** What is folded, and how many changes at once. A response counts in two figures for each answer. */
const FOLDS = [
  { fold: foldSubmissionChanges, max: 10_000 },
  { fold: foldTagChanges, max: 10_000 },
  { fold: foldResponseChanges, max: 1_000 },
  { fold: foldAttemptChanges, max: 1_000 },
]

/** Folds what changed in the figures of submissions, tags, responses and attempts into their totals, so that a reader adds up little. */
export function startFolding({ database, log }: { database: Database; log: Log }): Loop {
  return startLoop({
    name: 'Folding figures',
    work: async () => {
      let hasMore = false
      for (const { fold, max } of FOLDS) hasMore = (await fold(database, { max })) === max || hasMore
      return hasMore ? 0 : UNTIL_NUDGED_MS
    },
    log,
  })
}
