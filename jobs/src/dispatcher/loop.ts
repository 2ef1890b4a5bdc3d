import type { Log } from '../log.ts'

const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000

export interface LoopOptions {
  /** What it does, for the log. */
  name: string
  /** One pass; returns how long to pause before the next. */
  work: () => Promise<number>
  log: Log
}

export interface Loop {
  /** Begins the next pass after `delayMs` at the latest. A pass that runs is followed by another. */
  nudge: (delayMs?: number) => void
  /** Whether the last pass succeeded. */
  isWell: () => boolean
  /** No further pass begins; resolves when the last one has ended. */
  stop: () => Promise<void>
}

/** Works again and again, one pass at a time. A pass that fails is logged once and tried again until it succeeds. */
export function startLoop({ name, work, log }: LoopOptions): Loop {
  let isStopped = false
  let failures = 0
  /** When the next pass begins; while one runs, when it was asked for. */
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
      if (failures === 0 && !isStopped) log.warn({ err: error }, `${name} fails; trying again until it works`)
      failures += 1
      // After a failure only time helps, however many ask.
      nextAt = Number.POSITIVE_INFINITY
      return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS)
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
    timer = setTimeout(wake, Math.max(0, at - performance.now()))
  }

  const running = run()
  return {
    nudge(delayMs = 0) {
      const at = performance.now() + delayMs
      if (failures === 0 && at < nextAt) wakeAt(at)
    },
    isWell: () => failures === 0,
    async stop() {
      isStopped = true
      wake?.()
      await running
    },
  }
}
