import { setTimeout as delay } from 'node:timers/promises'

/** Returns the result of the work, or `fallback` when the work takes longer than `timeoutMs`; a later result or failure is ignored. */
export async function settleWithin<Result, Fallback>(
  timeoutMs: number,
  work: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  const timer = new AbortController()
  const timeout = delay(timeoutMs, fallback, { signal: timer.signal }).catch(() => fallback)
  try {
    return await Promise.race([work, timeout])
  } finally {
    timer.abort()
  }
}
