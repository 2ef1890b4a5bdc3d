import type { Dispatcher } from 'undici'
import { type AttemptError, AttemptFailure, toAttemptError } from './attempt-error.ts'

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export interface ExchangeLimits {
  connectTimeoutMs: number
  /** For the whole answer, from the request's first byte to the answer's last: a byte drip does not outlive it. */
  answerTimeoutMs: number
  /** More of the answer is not read: the socket is closed. */
  maxResponseBytes: number
}

export interface Answer {
  remoteIp: string | null
  statusCode: number | null
  responseHeaders: Record<string, string> | null
  responseBody: Uint8Array | null
  responseBodyTruncated: boolean
  error: AttemptError | null
}

/**
 * One request and its answer, as undici's handler. It settles exactly once, at the latest when both limits of time have
 * passed, and with whatever has arrived until then.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>
  readonly #limits: ExchangeLimits
  readonly #resolve: (answer: Answer) => void
  readonly #chunks: Buffer[] = []
  #settled = false
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #remoteIp: () => string | null = () => null
  #statusCode: number | null = null
  #headers: Record<string, string> | null = null
  #receivedBytes = 0

  constructor(limits: ExchangeLimits) {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.answer = promise
    this.#resolve = resolve
    this.#limits = limits
    // The connector has its own, shorter limit; this one holds if undici should never start the request.
    const giveUp = () => this.abort(new AttemptFailure('connect_timeout', 'The request could not be started in time.'))
    this.#timer = setTimeout(giveUp, limits.connectTimeoutMs + limits.answerTimeoutMs)
  }

  /** Ends the exchange at once, whatever state it is in. */
  abort(failure: AttemptFailure): void {
    this.#settle(failure.attemptError)
    this.#controller?.abort(failure)
  }

  carriedBy(remoteIp: () => string | null): void {
    this.#remoteIp = remoteIp
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) {
      controller.abort(new AttemptFailure('interrupted', 'The request was given up before it was sent.'))
      return
    }
    const { answerTimeoutMs } = this.#limits
    const giveUp = () => this.abort(new AttemptFailure('read_timeout', `The answer was not complete within ${answerTimeoutMs / 1000} s.`))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(giveUp, answerTimeoutMs)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: ResponseHeaders): void {
    // RFC 9110 §15.2: informational answers precede the one that counts.
    if (statusCode < 200) return
    this.#statusCode = statusCode
    this.#headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#limits.maxResponseBytes - this.#receivedBytes
    this.#receivedBytes += chunk.length
    // undici reuses its buffer: keep a copy, and no more than is wanted.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)))
    if (chunk.length <= room) return
    this.#settle(null)
    controller.abort(new AttemptFailure('protocol_error', 'The rest of the answer is not wanted.'))
  }

  onResponseEnd(): void {
    this.#settle(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle(toAttemptError(error))
  }

  #settle(error: AttemptError | null): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#resolve({
      remoteIp: this.#remoteIp(),
      statusCode: this.#statusCode,
      responseHeaders: this.#headers,
      responseBody: this.#statusCode === null ? null : Buffer.concat(this.#chunks),
      responseBodyTruncated: this.#receivedBytes > this.#limits.maxResponseBytes,
      error,
    })
  }
}
