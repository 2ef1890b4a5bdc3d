import type { ErrorBody, ErrorCode, FieldError } from '../errors.ts'

/** The service refused: its error body, with status and wait. */
export class EarshotApiError extends Error {
  override readonly name = 'EarshotApiError'
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  /** The wrong fields of a `validation_error`; empty for the other codes. */
  readonly errors: readonly FieldError[]
  readonly requestId: string
  /** What goes with the code, such as `current_state` of `state_conflict`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** From `Retry-After`; undefined where the service named no wait. */
  readonly retryAfterSeconds: number | undefined
  /** The body as it came. */
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(`${body.detail} (${body.code})`)
    const { detail, code, errors = [], request_id: requestId, ...fields } = body
    this.status = status
    this.code = code
    this.detail = detail
    this.errors = errors
    this.requestId = requestId
    this.fields = fields
    this.retryAfterSeconds = retryAfterSeconds
    this.body = body
  }
}

/** No answer of the service arrived: the network failed, or something else answered in its place. */
export class EarshotConnectionError extends Error {
  override readonly name = 'EarshotConnectionError'
}

/** The call, its retries and waits included, took longer than its `timeoutMs`. */
export class EarshotTimeoutError extends Error {
  override readonly name = 'EarshotTimeoutError'
  readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`There was no answer within ${timeoutMs} ms.`)
    this.timeoutMs = timeoutMs
  }
}
