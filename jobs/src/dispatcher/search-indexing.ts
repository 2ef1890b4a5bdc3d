import type { Database } from '@earshot/db'
import { indexSearch } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop, UNTIL_NUDGED_MS } from './loop.ts'

/** Indexes for searches what was added to lists. */
export function startSearchIndexing({ database, log }: { database: Database; log: Log }): Loop {
  return startLoop({
    name: 'Indexing for searches',
    work: async () => ((await indexSearch(database)) ? 0 : UNTIL_NUDGED_MS),
    log,
  })
}
