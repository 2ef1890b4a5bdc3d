import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
import { backoffMs, wait } from './retry.ts'

/** Repeats what fails for a while, until it fails for too long without any progress. */
export interface Patience {
  /** Notes progress: the time begins anew with the next failure. */
  progress(): void
  /** Waits after a failure, as `Retry-After` says or longer each time. Throws the failure if it lasts, or is no passing one. */
  afterFailure(error: unknown): Promise<void>
}

interface PatienceOptions {
  giveUpAfterMs: number
  signal: AbortSignal
  /** Called before each wait. */
  onRetry: ((failure: Error, waitMs: number) => void) | undefined
}

/** Starts with no failure. */
export function createPatience({ giveUpAfterMs, signal, onRetry }: PatienceOptions): Patience {
  let failures = 0
  let failingSinceMs = 0
  return {
    progress: () => {
      failures = 0
    },
    afterFailure: async (error) => {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      const nowMs = performance.now()
      if (failures === 0) failingSinceMs = nowMs
      const waitMs = error.retryAfterSeconds === undefined ? backoffMs(failures) : error.retryAfterSeconds * 1000
      if (nowMs + waitMs - failingSinceMs > giveUpAfterMs) throw error
      failures += 1
      onRetry?.(error, waitMs)
      await wait(waitMs, signal)
    },
  }
}

/** Returns whether an upload can go on after a failure. */
function isPassing(error: unknown): error is Error & { retryAfterSeconds?: number } {
  if (error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError) return true
  if (!(error instanceof EarshotApiError)) return false
  const { status, code, errors } = error
  // The other 400 is about the bytes: they stalled on the way.
  if (code === 'validation_error') return errors.length === 0
  return status >= 500 || ['offset_conflict', 'upload_locked', 'rate_limited', 'checksum_mismatch'].includes(code)
}
