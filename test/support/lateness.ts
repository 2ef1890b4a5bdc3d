const TICK_MS = 10

interface Lateness extends Disposable {
  /** The sum since the beginning. */
  seconds: () => number
  /** The sum within a span of time, which is given in milliseconds since 1970. */
  msWithin: (span: { fromMs: number; toMs: number }) => number
}

/**
 * Adds up by how much the waits of this process last longer than asked, less what the process worked itself meanwhile: what a busy machine
 * adds to any wait, for bounds on one.
 */
export function measureLateness(): Lateness {
  const waits: { endMs: number; lateMs: number }[] = []
  let dueMs = performance.now() + TICK_MS
  let used = process.cpuUsage()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const { user, system } = process.cpuUsage(used)
    used = process.cpuUsage()
    const lateMs = nowMs - dueMs - 1 - (user + system) / 1_000
    if (lateMs > 0) waits.push({ endMs: Date.now(), lateMs })
    dueMs = nowMs + TICK_MS
  }, TICK_MS)
  const sum = (some: typeof waits) => some.reduce((total, { lateMs }) => total + lateMs, 0)
  return {
    seconds: () => sum(waits) / 1_000,
    msWithin: ({ fromMs, toMs }) => sum(waits.filter(({ endMs }) => endMs > fromMs && endMs <= toMs)),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
