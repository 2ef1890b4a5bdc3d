import { ApiError, type ErrorCode } from '@earshot/contracts'
import { isFailedAttempt } from '../auth/rate-limit.ts'
import { toApiError } from '../http/failure.ts'

interface Row {
  code: ErrorCode
  detail: string
}

/**
 * The errors of RFC 6749 §§4.1.2.1 and 5.2, RFC 8628 §3.5 and RFC 8707 §2, each with the code of our error table that has its status, and
 * a text in the characters that `error_description` allows.
 */
const rows = {
  invalid_request: { code: 'validation_error', detail: 'A parameter is missing, repeated or malformed.' },
  invalid_client: { code: 'invalid_credentials', detail: 'Unknown client, or client authentication failed.' },
  invalid_grant: {
    code: 'validation_error',
    detail: 'The code or token is invalid, expired, revoked or already used, or was issued for another client, redirect_uri or verifier.',
  },
  unauthorized_client: { code: 'validation_error', detail: 'The client may not use this grant.' },
  unsupported_grant_type: { code: 'validation_error', detail: 'The grant_type is not supported.' },
  unsupported_response_type: { code: 'validation_error', detail: 'The only supported response_type is code.' },
  invalid_scope: { code: 'validation_error', detail: 'A scope is unknown or exceeds what the client may request.' },
  invalid_target: { code: 'validation_error', detail: 'The resource is not one of this service.' },
  access_denied: { code: 'validation_error', detail: 'The person denied the request or revoked it.' },
  authorization_pending: { code: 'validation_error', detail: 'The person has not decided yet; poll again after the interval.' },
  slow_down: { code: 'validation_error', detail: 'Polling too fast; wait five seconds longer between requests from now on.' },
  expired_token: { code: 'validation_error', detail: 'The device code has expired; request a new one.' },
  temporarily_unavailable: { code: 'dependency_unavailable', detail: 'Temporarily unavailable; retry with backoff.' },
  server_error: { code: 'internal_error', detail: 'Something went wrong on our side; include the request id when you report it.' },
} as const satisfies Record<string, Row>

export type OAuthErrorName = keyof typeof rows

/** An error with its name in OAuth, and the status and code of the error table. */
export class OAuthRefusal extends ApiError {
  readonly error: OAuthErrorName
  /** Whether the limit of unauthenticated requests counts it. */
  readonly isCounted: boolean

  constructor(error: OAuthErrorName, { detail, isCounted = true }: { detail?: string; isCounted?: boolean } = {}) {
    super(rows[error].code, { detail: detail ?? rows[error].detail })
    this.error = error
    this.isCounted = isCounted
  }
}

/** Maps any thrown value to an error of the table and its name in OAuth. Never exposes a library's message. */
export function toRefusal(thrown: unknown): { error: OAuthErrorName; failure: ApiError; isCounted: boolean } {
  if (thrown instanceof OAuthRefusal) return { error: thrown.error, failure: thrown, isCounted: thrown.isCounted }
  const failure = toApiError(thrown)
  return { error: nameOfStatus(failure.status), failure, isCounted: isFailedAttempt(failure) }
}

export function isOAuthErrorName(name: string): name is OAuthErrorName {
  return Object.hasOwn(rows, name)
}

function nameOfStatus(status: number): OAuthErrorName {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
