import { setMaxListeners } from 'node:events'
import type { AttemptRef, AttemptResult, ClaimedDelivery } from '@earshot/db/dispatch'
import { toAttemptError } from '../sending/attempt-error.ts'
import type { ComposeRequest } from '../sending/delivery-request.ts'
import { classifyAttempt, MAX_ATTEMPTS, nextDelayMs } from '../sending/retry-policy.ts'
import type { Sender, SendResult } from '../sending/send-delivery.ts'
import { STALLED_AFTER_MS } from './endpoint-concurrency.ts'

/** A claim older than this is not sent: the rest of the lease is for the response and its result. */
const MAX_AGE_MS = 5_000

const UNSENT = {
  remoteIp: null,
  statusCode: null,
  responseHeaders: null,
  responseBody: null,
  responseBodyTruncated: false,
  responseBodyBytes: null,
  retryAfterSeconds: null,
  durationMs: 0,
}

export interface AttemptOptions {
  compose: ComposeRequest
  senderFor: (delivery: ClaimedDelivery) => Sender
  backoffBaseMs: number
  onStalled: (endpointId: string) => void
}

/** The outcome of an attempt, and the result to write. */
export interface FinishedAttempt {
  outcome: ReturnType<typeof classifyAttempt>
  result: AttemptResult
}

export interface Attempts {
  /** Sends a claimed delivery; returns null when it was not sent and must be handed back. Never rejects. */
  run: (delivery: ClaimedDelivery, claimedAtMs: number) => Promise<FinishedAttempt | null>
  /** Stops sending: later runs return null. */
  close: () => void
  /** Aborts all open requests. */
  interrupt: () => void
}

/** Sends deliveries, one request each, and classifies the responses. */
export function createAttempts({ compose, senderFor, backoffBaseMs, onStalled }: AttemptOptions): Attempts {
  const interruption = new AbortController()
  // One listener per open request.
  setMaxListeners(0, interruption.signal)
  let isClosed = false

  async function send(delivery: ClaimedDelivery, claimedAtMs: number): Promise<SendResult | null> {
    try {
      const request = await compose(delivery)
      if (isClosed || performance.now() - claimedAtMs > MAX_AGE_MS) return null
      const stalled = setTimeout(onStalled, STALLED_AFTER_MS, delivery.endpoint_id)
      const sent = await senderFor(delivery).send({ ...request, signal: interruption.signal })
      clearTimeout(stalled)
      return sent
    } catch (error) {
      return { ...UNSENT, error: toAttemptError(error) }
    }
  }

  return {
    async run(delivery, claimedAtMs) {
      const sent = await send(delivery, claimedAtMs)
      if (sent === null) return null
      const { outcome, delayMs } = classify(delivery, sent)
      return { outcome, result: toResult(delivery, sent, delayMs) }
    },
    close() {
      isClosed = true
    },
    interrupt: () => interruption.abort(),
  }

  function classify(delivery: ClaimedDelivery, sent: SendResult) {
    const outcome = classifyAttempt(sent)
    // This worker aborted it while shutting down: the next worker sends it at once.
    if (interruption.signal.aborted && sent.error?.code === 'interrupted') {
      return { outcome, delayMs: delivery.number < MAX_ATTEMPTS && delivery.trigger !== 'test' ? 0 : null }
    }
    const isRetried = outcome === 'retry' && (delivery.trigger === 'auto' || delivery.trigger === 'replay')
    const failed = { attemptNumber: delivery.number, statusCode: sent.statusCode, retryAfterSeconds: sent.retryAfterSeconds }
    return { outcome, delayMs: isRetried ? nextDelayMs(failed, { baseMs: backoffBaseMs }) : null }
  }
}

export function refOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery): AttemptRef {
  return { team_id, endpoint_id, delivery_id: id, attempt_id, number }
}

function toResult(delivery: ClaimedDelivery, sent: SendResult, delayMs: number | null): AttemptResult {
  return {
    ...refOf(delivery),
    succeeded: classifyAttempt(sent) === 'success',
    delay_ms: delayMs,
    duration_ms: sent.durationMs,
    remote_ip: sent.remoteIp,
    status_code: sent.statusCode,
    response_headers: sent.responseHeaders,
    response_body: sent.responseBody,
    response_body_truncated: sent.responseBodyTruncated,
    response_body_bytes: sent.responseBodyBytes,
    error_code: sent.error?.code ?? null,
    error_detail: sent.error?.detail ?? null,
  }
}
