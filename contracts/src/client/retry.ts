import { EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
import { type Reply, retryAfterSeconds } from './reply.ts'

/** Unless the caller says. */
export const MAX_RETRIES = 2
const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 8_000

/** The service never sends 502 and 504: a gateway did not reach it. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504])

interface RetryPolicy {
  maxRetries: number
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * Sends until the outcome is final. Retries are safe because every POST carries an idempotency key and the other methods are
 * idempotent (RFC 9110 §9.2.2). One deadline covers all attempts; a wait that would exceed it ends the call with the last outcome.
 */
export async function sendWithRetries(send: (signal: AbortSignal) => Promise<Reply>, policy: RetryPolicy): Promise<Reply> {
  const deadline = startDeadline(policy)
  try {
    for (let retries = 0; ; retries += 1) {
      const outcome = await send(deadline.signal).catch(orConnectionError)
      const waitMs = waitBeforeRetryMs(outcome, retries)
      const isFinal = waitMs === undefined || retries >= policy.maxRetries || waitMs > deadline.remainingMs()
      if (!isFinal) await wait(waitMs, deadline.signal)
      else if (outcome instanceof EarshotConnectionError) throw outcome
      else return outcome
    }
  } finally {
    deadline.stop()
  }
}

/** Starts a signal that aborts when the caller does, and with EarshotTimeoutError after `timeoutMs`. */
export function startDeadline({ timeoutMs, signal }: Pick<RetryPolicy, 'timeoutMs' | 'signal'>) {
  const controller = new AbortController()
  const endsAtMs = performance.now() + timeoutMs
  const timer = setTimeout(() => controller.abort(new EarshotTimeoutError(timeoutMs)), timeoutMs)
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    remainingMs: () => endsAtMs - performance.now(),
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

function orConnectionError(error: unknown): EarshotConnectionError {
  if (error instanceof EarshotConnectionError) return error
  throw error
}

function waitBeforeRetryMs(outcome: Reply | EarshotConnectionError, retries: number): number | undefined {
  if (outcome instanceof EarshotConnectionError) return backoffMs(retries)
  if (!RETRIED_STATUSES.has(outcome.status)) return undefined
  const seconds = retryAfterSeconds(outcome.headers)
  return seconds === undefined ? backoffMs(retries) : seconds * 1000
}

/** Returns an exponential backoff with jitter over its upper half, so that clients that failed together do not retry together. */
export function backoffMs(retries: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries) * (0.5 + Math.random() / 2)
}

/** Waits; rejects with the reason of the signal when it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
