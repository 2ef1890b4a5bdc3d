import type { AttemptErrorCode } from './attempt-error.ts'

export const MAX_ATTEMPTS = 8

const BACKOFF_FACTOR = 4
const BACKOFF_JITTER = 0.2
const MAX_DELAY_MS = 48 * 60 * 60 * 1000
const RETRYABLE_STATUSES = new Set([429, 500, 502, 503, 504])
/** Errors that another attempt would meet again. */
const FINAL_ERRORS = new Set<AttemptErrorCode>(['blocked_address', 'redirect'])
const STATUSES_WITH_RETRY_AFTER = new Set([429, 503])

interface SentResult {
  statusCode: number | null
  error: { code: AttemptErrorCode } | null
}

/** Returns the outcome of an attempt. Any 2xx is a success; network failures and a few statuses are retried; any other status is final. */
export function classifyAttempt({ statusCode, error }: SentResult): 'success' | 'retry' | 'final' {
  if (error) return FINAL_ERRORS.has(error.code) ? 'final' : 'retry'
  if (statusCode === null) return 'retry'
  if (statusCode >= 200 && statusCode < 300) return 'success'
  return RETRYABLE_STATUSES.has(statusCode) ? 'retry' : 'final'
}

interface FailedAttempt {
  /** The number of the attempt that failed, from 1. */
  attemptNumber: number
  statusCode: number | null
  retryAfterSeconds: number | null
}

interface Backoff {
  /** The delay before the second attempt: 30 s, except in tests. */
  baseMs: number
  /** Returns a number in [0, 1); defaults to `Math.random`. */
  random?: () => number
}

/**
 * Returns the delay before the next attempt, or null after the last. It is 30 s × 4ⁿ⁻² before attempt n, ± 20 %, or the
 * Retry-After of a 429 or 503 when that is longer; at most 48 h.
 */
export function nextDelayMs(failed: FailedAttempt, { baseMs, random = Math.random }: Backoff): number | null {
  if (failed.attemptNumber >= MAX_ATTEMPTS) return null
  const jitter = 1 - BACKOFF_JITTER + 2 * BACKOFF_JITTER * random()
  const backoffMs = baseMs * BACKOFF_FACTOR ** (failed.attemptNumber - 1) * jitter
  const honoured = failed.statusCode !== null && STATUSES_WITH_RETRY_AFTER.has(failed.statusCode)
  const askedMs = honoured ? (failed.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.min(MAX_DELAY_MS, Math.round(Math.max(backoffMs, askedMs)))
}
