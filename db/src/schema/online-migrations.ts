import type postgres from 'postgres'
import type { DatabaseAddress } from '../driver/database.ts'
import { readApplied } from './applied.ts'
import { type Directories, readWanted } from './migrate.ts'
import { runStep } from './online.ts'
import { LOCK_KEY, underFreeLock, withClient } from './owner-connection.ts'
import { makePlan, type Wanted } from './plan.ts'

/** What a step found: nothing left to do, another process at work, or work, and did it. */
export type OnlineStep = { outcome: 'done' | 'busy' } | { outcome: 'worked'; migration: string; changedRows: number; isFinished: boolean }

export interface OnlineMigrations {
  /** Runs the next step under the lock of the migrations, which it gives back: a start that must migrate waits for one step. */
  step: () => Promise<OnlineStep>
  /** Abandons the step under way, which then fails: PostgreSQL undoes a batch, and builds an index to its end. */
  close: () => void
}

/** Returns what runs the online migrations of this code, each step on a connection of its own. */
export function openOnlineMigrations(address: DatabaseAddress, directories: Directories = {}): OnlineMigrations {
  const wanted = readWanted(directories)
  const { promise: abandoned, reject } = Promise.withResolvers<never>()
  // A step hears of it; between two steps nobody does.
  abandoned.catch(() => {})
  return {
    step: () => withClient(address, async (client) => runNext(client, await wanted), abandoned),
    close: () => reject(new Error('The step of an online migration was abandoned')),
  }
}

async function runNext(client: postgres.Sql, wanted: Wanted): Promise<OnlineStep> {
  const findNext = async () => makePlan(await readApplied(client), wanted).online[0]
  if (!(await findNext())) return { outcome: 'done' }
  const step = await underFreeLock(client, LOCK_KEY, async (): Promise<OnlineStep> => {
    // Another process may have finished it meanwhile.
    const next = await findNext()
    return next ? { outcome: 'worked', migration: next.fileName, ...(await runStep(client, next)) } : { outcome: 'done' }
  })
  return step ?? { outcome: 'busy' }
}
