import type { DatabaseAddress } from '../driver/database.ts'
import { readApplied } from './applied.ts'
import { type Directories, readWanted } from './migrate.ts'
import { runStep } from './online.ts'
import { LOCK_KEY, openClient, underFreeLock } from './owner-connection.ts'
import { makePlan } from './plan.ts'

const END_SECONDS = 0

/** What a step found: nothing left to do, another process at work, or work, and did it. */
export type OnlineStep = { outcome: 'done' | 'busy' } | { outcome: 'worked'; migration: string; changedRows: number; isFinished: boolean }

export interface OnlineMigrations {
  /** Runs the next step under the lock of the migrations, which it gives back: a start that must migrate waits for one step. */
  step: () => Promise<OnlineStep>
  /** Abandons the step under way; PostgreSQL undoes a batch, and builds an index to its end. */
  close: () => Promise<void>
}

/** Opens what runs the online migrations of this code, on a connection of its own. */
export function openOnlineMigrations(address: DatabaseAddress, directories: Directories = {}): OnlineMigrations {
  const wanted = readWanted(directories)
  const client = openClient(address)
  const findNext = async () => makePlan(await readApplied(client), await wanted).online[0]
  return {
    async step() {
      if (!(await findNext())) return { outcome: 'done' }
      const connection = await client.reserve()
      try {
        const step = await underFreeLock(connection, LOCK_KEY, async (): Promise<OnlineStep> => {
          const next = makePlan(await readApplied(connection), await wanted).online[0]
          return next ? { outcome: 'worked', migration: next.fileName, ...(await runStep(connection, next)) } : { outcome: 'done' }
        })
        return step ?? { outcome: 'busy' }
      } finally {
        connection.release()
      }
    },
    close: () => client.end({ timeout: END_SECONDS }),
  }
}
