const TICK_MS = 10

/**
 * Adds up by how much the waits of this process last longer than asked, less what the process worked itself meanwhile: what a busy machine
 * adds to any wait, for bounds on one.
 */
export function measureLateness(): Disposable & { seconds: () => number } {
  let lateMs = 0
  let dueMs = performance.now() + TICK_MS
  let used = process.cpuUsage()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const { user, system } = process.cpuUsage(used)
    used = process.cpuUsage()
    lateMs += Math.max(0, nowMs - dueMs - 1 - (user + system) / 1_000)
    dueMs = nowMs + TICK_MS
  }, TICK_MS)
  return { seconds: () => lateMs / 1_000, [Symbol.dispose]: () => clearInterval(timer) }
}
