import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseAddress } from '@earshot/db'
import { type OnlineStep, openOnlineMigrations } from '@earshot/db/schema'
import type { Log } from './log.ts'

/** Another worker may end at any moment; its lock ends with it. */
const BUSY_MS = 5_000
/** A failed index build has read the whole table. */
const RETRY_MS = 60_000
/** Batches leave the database as much time as they take, up to this. */
const MAX_PAUSE_MS = 1_000
const LOG_EVERY_MS = 10_000

/** Runs the online migrations of this version beside the service, one worker at a time, and ends when none is left. */
export function startOnlineMigrations({ address, log }: { address: DatabaseAddress; log: Log }): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const online = openOnlineMigrations(address)
  const report = createReport(log)
  let isDone = false

  /** Returns the pause before the next step. */
  async function pass(): Promise<number> {
    const startedAt = performance.now()
    try {
      const step = await online.step()
      report(step)
      isDone = step.outcome === 'done'
      return step.outcome === 'busy' ? BUSY_MS : Math.min(MAX_PAUSE_MS, performance.now() - startedAt)
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, `An online migration failed; it is tried again in ${RETRY_MS / 1_000} s`)
      return RETRY_MS
    }
  }
  async function run(): Promise<void> {
    while (!isDone && !stopping.signal.aborted) {
      const pauseMs = await pass()
      if (!isDone) await delay(pauseMs, null, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      online.close()
      await running
    },
  }
}

/** Returns what logs the steps: the end of each migration, and its progress now and then. */
function createReport(log: Log): (step: OnlineStep) => void {
  let changedRows = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (step) => {
    if (step.outcome !== 'worked') return
    const { migration, isFinished } = step
    changedRows += step.changedRows
    if (!isFinished && performance.now() - loggedAt < LOG_EVERY_MS) return
    log.info({ migration, changed_rows: changedRows }, isFinished ? 'An online migration is finished' : 'An online migration runs')
    loggedAt = isFinished ? Number.NEGATIVE_INFINITY : performance.now()
    if (isFinished) changedRows = 0
  }
}
