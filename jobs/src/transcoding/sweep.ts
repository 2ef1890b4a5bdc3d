import { type Database, listExpiredTranscodes, sweepTranscodes } from '@earshot/db'
import type { Log } from '../log.ts'

/** Hands back the videos of workers that died. */
export interface Sweeper {
  /** Sweeps when it is time. */
  sweep: () => Promise<void>
  /** The database was away: nobody could renew. */
  forget: () => void
}

/**
 * A lease that is over shows only that it was not renewed, as while the database is away or the machine sleeps. A video is taken back
 * when its lease is over at two sweeps in succession: who lives has renewed it between them.
 */
export function createSweeper(database: Database, { sweepMs, log }: { sweepMs: number; log: Log }): Sweeper {
  let suspects: string[] = []
  let sweepAt = 0
  return {
    async sweep() {
      if (performance.now() < sweepAt) return
      sweepAt = performance.now() + sweepMs
      const count = suspects.length > 0 ? await sweepTranscodes(database, suspects) : 0
      if (count > 0) log.warn({ count }, 'Took back videos of workers that died')
      suspects = await listExpiredTranscodes(database)
    },
    forget() {
      suspects = []
    },
  }
}
