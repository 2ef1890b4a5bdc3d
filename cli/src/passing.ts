import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'

/** Returns whether a failure passes by itself: the service was not reached, is busy, or is away. */
export function isPassing(error: unknown): error is Error {
  if (error instanceof EarshotApiError) return error.status === 429 || error.status >= 500
  return error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError
}

/** Returns how long to wait after a failure: as long as the service asks for, at least `usualMs`. */
export function waitMsAfter(failure: unknown, usualMs: number): number {
  const askedSeconds = failure instanceof EarshotApiError ? (failure.retryAfterSeconds ?? 0) : 0
  return Math.max(usualMs, askedSeconds * 1000)
}
