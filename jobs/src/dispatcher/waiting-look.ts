import type { Database } from '@earshot/db'
import { findWaitingWork, type WaitingWork } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from './loop.ts'

const TICK_MS = 1_000

export interface WaitingLookOptions {
  database: Database
  /** What to call when work of a kind waits. */
  onWaiting: { [Kind in Exclude<keyof WaitingWork, 'jobs'>]: () => void }
  /** What to call when jobs are due, and the most jobs at once. */
  jobs: { max: number; onDue: (count: number) => void }
  log: Log
}

/** Looks each second for all that waits for a worker, in one statement, and calls those who do it. */
export function startWaitingLook({ database, onWaiting, jobs, log }: WaitingLookOptions): Loop {
  const kinds = Object.keys(onWaiting) as (keyof typeof onWaiting)[]
  return startLoop({
    name: 'Looking for work',
    work: async () => {
      const waiting = await findWaitingWork(database, { maxJobs: jobs.max })
      if (waiting.jobs > 0) jobs.onDue(waiting.jobs)
      for (const kind of kinds) if (waiting[kind]) onWaiting[kind]()
      return TICK_MS
    },
    log,
  })
}
