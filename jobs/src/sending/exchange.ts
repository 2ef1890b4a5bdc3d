import type { Dispatcher } from 'undici'
import { type AttemptError, AttemptFailure, toAttemptError } from './attempt-error.ts'

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export interface ExchangeLimits {
  connectTimeoutMs: number
  /** From the first byte of the request to the last byte of the response, however slowly bytes arrive. */
  responseTimeoutMs: number
  /** The parts of a response body to keep: of a successful response and of any other. A body longer than both closes the socket. */
  keptSuccessBytes: number
  keptFailureBytes: number
}

export interface ReceivedResponse {
  remoteIp: string | null
  statusCode: number | null
  responseHeaders: Record<string, string> | null
  responseBody: Uint8Array | null
  responseBodyTruncated: boolean
  /** The length of the whole body; null when it was neither read to the end nor announced. */
  responseBodyBytes: number | null
  error: AttemptError | null
}

/**
 * One request and its response, as undici's handler. It settles exactly once, at the latest when both time limits have passed,
 * with whatever has arrived by then.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<ReceivedResponse>
  readonly #limits: ExchangeLimits
  readonly #resolve: (response: ReceivedResponse) => void
  readonly #chunks: Buffer[] = []
  #settled = false
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #remoteIp: () => string | null = () => null
  #statusCode: number | null = null
  #headers: Record<string, string> | null = null
  #receivedBytes = 0

  constructor(limits: ExchangeLimits) {
    const { promise, resolve } = Promise.withResolvers<ReceivedResponse>()
    this.response = promise
    this.#resolve = resolve
    this.#limits = limits
    // The connector has a shorter limit of its own; this one applies if undici never starts the request.
    const giveUp = () => this.abort(new AttemptFailure('connect_timeout', 'The request could not start in time.'))
    this.#timer = setTimeout(giveUp, limits.connectTimeoutMs + limits.responseTimeoutMs)
  }

  /** Ends the exchange at once, in any state. */
  abort(failure: AttemptFailure): void {
    this.#settle(failure.attemptError)
    this.#controller?.abort(failure)
  }

  setRemoteIp(remoteIp: () => string | null): void {
    this.#remoteIp = remoteIp
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) {
      controller.abort(new AttemptFailure('interrupted', 'The request was cancelled before it was sent.'))
      return
    }
    const { responseTimeoutMs } = this.#limits
    const giveUp = () =>
      this.abort(new AttemptFailure('read_timeout', `The response was not complete within ${responseTimeoutMs / 1000} s.`))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(giveUp, responseTimeoutMs)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: ResponseHeaders): void {
    // RFC 9110 §15.2: informational responses precede the final one.
    if (statusCode < 200) return
    this.#statusCode = statusCode
    this.#headers = joined(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { keptSuccessBytes, keptFailureBytes } = this.#limits
    // A failure may still follow, so both are read.
    const left = Math.max(keptSuccessBytes, keptFailureBytes) - this.#receivedBytes
    this.#receivedBytes += chunk.length
    // undici reuses its buffer, so keep a copy, of no more than fits.
    if (left > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, left)))
    if (chunk.length <= left) return
    this.#settle(null, { isCut: true })
    controller.abort(new AttemptFailure('protocol_error', 'The rest of the response is not read.'))
  }

  onResponseEnd(): void {
    this.#settle(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle(toAttemptError(error))
  }

  #settle(error: AttemptError | null, { isCut = false } = {}): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    const isComplete = error === null && !isCut
    const kept = this.#keptBytes(error)
    this.#resolve({
      remoteIp: this.#remoteIp(),
      statusCode: this.#statusCode,
      responseHeaders: this.#headers,
      responseBody: this.#statusCode === null ? null : Buffer.concat(this.#chunks, Math.min(kept, this.#receivedBytes)),
      responseBodyTruncated: this.#receivedBytes > kept,
      responseBodyBytes: isComplete ? this.#receivedBytes : announcedBytes(this.#headers),
      error,
    })
  }

  #keptBytes(error: AttemptError | null): number {
    const isSuccess = error === null && this.#statusCode !== null && this.#statusCode < 300
    return isSuccess ? this.#limits.keptSuccessBytes : this.#limits.keptFailureBytes
  }
}

/** Joins the values of a header that came several times (RFC 9110 §5.3). */
function joined(headers: ResponseHeaders): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    all[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return all
}

/** Returns the length that a response announces, if it does so in the form of RFC 9110 §8.6. */
function announcedBytes(headers: Record<string, string> | null): number | null {
  const announced = headers?.['content-length']
  return announced && /^\d{1,15}$/.test(announced) ? Number(announced) : null
}
