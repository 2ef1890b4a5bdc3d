import type { Log } from '../log.ts'

const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000
/** The pause of a loop that is nudged when there is work: after it, it looks all the same. */
export const UNTIL_NUDGED_MS = 60_000

export interface LoopOptions {
  /** The name of the work, for the log. */
  name: string
  /** Makes one pass and returns the pause before the next. */
  work: () => Promise<number>
  /** The longest pause after a failure; two seconds unless given. */
  maxBackoffMs?: number
  log: Log
}

export interface Loop {
  /** Starts the next pass after `delayMs` at the latest. If a pass is running, another follows it. */
  nudge: (delayMs?: number) => void
  /** Returns whether the last pass succeeded. */
  isHealthy: () => boolean
  /** Starts no further pass; resolves when the last one has ended. */
  stop: () => Promise<void>
}

/** Repeats the work, one pass at a time. A failure is logged once, and the pass repeated until it succeeds. */
export function startLoop({ name, work, maxBackoffMs = MAX_BACKOFF_MS, log }: LoopOptions): Loop {
  let isStopped = false
  let failures = 0
  /** When the next pass starts; during a pass, when a nudge asked for the next. */
  let nextAt = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let wake: (() => void) | null = null

  async function run(): Promise<void> {
    while (!isStopped) {
      nextAt = Number.POSITIVE_INFINITY
      await pause(await pass())
    }
  }

  async function pass(): Promise<number> {
    try {
      const pauseMs = await work()
      if (failures > 0) log.info(`${name} works again`)
      failures = 0
      return pauseMs
    } catch (error) {
      if (failures === 0 && !isStopped) log.warn({ err: error }, `${name} failed; retrying until it succeeds`)
      failures += 1
      // After a failure only the backoff counts, not nudges.
      nextAt = Number.POSITIVE_INFINITY
      return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), maxBackoffMs)
    }
  }

  async function pause(pauseMs: number): Promise<void> {
    if (isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    wakeAt(Math.min(nextAt, performance.now() + pauseMs))
    await promise
    wake = null
    clearTimeout(timer)
  }

  function wakeAt(at: number): void {
    nextAt = at
    if (!wake) return
    clearTimeout(timer)
    const delayMs = at - performance.now()
    // A timer takes a millisecond at least.
    if (delayMs > 0) timer = setTimeout(wake, delayMs)
    else setImmediate(wake)
  }

  const running = run()
  return {
    nudge(delayMs = 0) {
      const at = performance.now() + Math.max(0, delayMs)
      if (failures === 0 && at < nextAt) wakeAt(at)
    },
    isHealthy: () => failures === 0,
    async stop() {
      isStopped = true
      wake?.()
      await running
    },
  }
}
