import { setMaxListeners } from 'node:events'
import type { AttemptRef, AttemptResult, ClaimedDelivery } from '@earshot/db/dispatch'
import { toAttemptError } from '../sending/attempt-error.ts'
import type { ComposeRequest } from '../sending/delivery-request.ts'
import { judgeAttempt, MAX_ATTEMPTS, nextDelayMs } from '../sending/retry-policy.ts'
import type { Sender, SendResult } from '../sending/send-delivery.ts'
import { STALLED_AFTER_MS } from './endpoint-concurrency.ts'

/** A claim older than this is not sent any more: the rest of the lease is for the answer and its result. */
const MAX_AGE_MS = 5_000

const UNSENT = {
  remoteIp: null,
  statusCode: null,
  responseHeaders: null,
  responseBody: null,
  responseBodyTruncated: false,
  retryAfterSeconds: null,
  durationMs: 0,
}

export interface AttemptOptions {
  compose: ComposeRequest
  senderFor: (delivery: ClaimedDelivery) => Sender
  backoffBaseMs: number
  onStalled: (endpointId: string) => void
}

/** How an attempt went, and what is written of it. */
export interface FinishedAttempt {
  outcome: ReturnType<typeof judgeAttempt>
  result: AttemptResult
}

export interface Attempts {
  /** Sends a claimed delivery; null when it was not sent and should be handed back. Never rejects. */
  run: (delivery: ClaimedDelivery, claimedAtMs: number) => Promise<FinishedAttempt | null>
  /** From now on nothing is sent. */
  close: () => void
  /** Ends what is being sent. */
  interrupt: () => void
}

/** Sends deliveries, one request each, and judges what comes back. */
export function createAttempts({ compose, senderFor, backoffBaseMs, onStalled }: AttemptOptions): Attempts {
  const interruption = new AbortController()
  // One listener per request in flight.
  setMaxListeners(0, interruption.signal)
  let isClosed = false

  async function send(delivery: ClaimedDelivery, claimedAtMs: number): Promise<SendResult | null> {
    try {
      const request = await compose(delivery)
      if (isClosed || performance.now() - claimedAtMs > MAX_AGE_MS) return null
      const stalled = setTimeout(onStalled, STALLED_AFTER_MS, delivery.endpoint_id)
      const answer = await senderFor(delivery).send({ ...request, signal: interruption.signal })
      clearTimeout(stalled)
      return answer
    } catch (error) {
      return { ...UNSENT, error: toAttemptError(error) }
    }
  }

  return {
    async run(delivery, claimedAtMs) {
      const answer = await send(delivery, claimedAtMs)
      if (answer === null) return null
      const { outcome, delayMs } = judge(delivery, answer)
      return { outcome, result: toResult(delivery, answer, delayMs) }
    },
    close() {
      isClosed = true
    },
    interrupt: () => interruption.abort(),
  }

  function judge(delivery: ClaimedDelivery, answer: SendResult) {
    const outcome = judgeAttempt(answer)
    // We broke it off ourselves: the next worker sends it at once.
    if (interruption.signal.aborted && answer.error?.code === 'interrupted') {
      return { outcome, delayMs: delivery.number < MAX_ATTEMPTS && delivery.trigger !== 'test' ? 0 : null }
    }
    const isRetried = outcome === 'retry' && (delivery.trigger === 'auto' || delivery.trigger === 'replay')
    const failed = { attemptNumber: delivery.number, statusCode: answer.statusCode, retryAfterSeconds: answer.retryAfterSeconds }
    return { outcome, delayMs: isRetried ? nextDelayMs(failed, { baseMs: backoffBaseMs }) : null }
  }
}

export function refOf({ id, attempt_id, number }: ClaimedDelivery): AttemptRef {
  return { delivery_id: id, attempt_id, number }
}

function toResult(delivery: ClaimedDelivery, answer: SendResult, delayMs: number | null): AttemptResult {
  return {
    ...refOf(delivery),
    succeeded: judgeAttempt(answer) === 'success',
    delay_ms: delayMs,
    duration_ms: answer.durationMs,
    remote_ip: answer.remoteIp,
    status_code: answer.statusCode,
    response_headers: answer.responseHeaders,
    response_body: answer.responseBody,
    response_body_truncated: answer.responseBodyTruncated,
    error_code: answer.error?.code ?? null,
    error_detail: answer.error?.detail ?? null,
  }
}
