import type { ErrorBody, ErrorCode, FieldError } from './models.ts'

/** A refusal by the service, with its status and error body. */
export class EarshotApiError extends Error {
  override readonly name = 'EarshotApiError'
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  /** The invalid fields of a `validation_error`; empty for other codes. */
  readonly errors: readonly FieldError[]
  readonly requestId: string
  /** The other fields of the body, such as `current_state` of `state_conflict`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** From `Retry-After`; undefined without that header. */
  readonly retryAfterSeconds: number | undefined
  /** The unchanged body. */
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

/** No response of the service arrived: the network failed, or another server responded. */
export class EarshotConnectionError extends Error {
  override readonly name = 'EarshotConnectionError'
}

/** The call took longer than its `timeoutMs`, retries and waits included. */
export class EarshotTimeoutError extends Error {
  override readonly name = 'EarshotTimeoutError'
  readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`No response within ${timeoutMs} ms.`)
    this.timeoutMs = timeoutMs
  }
}
