import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'

/** Returns whether a failure passes by itself: the service was not reached, is busy, or is away. */
export function isPassing(error: unknown): error is Error {
  if (error instanceof EarshotApiError) return error.status === 429 || error.status >= 500
  return error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError
}
