import { ApiError, type ErrorCode } from '@earshot/contracts'
import OAuth2Server from '@node-oauth/oauth2-server'
import { isFailedTry } from '../auth/rate-limit.ts'
import { toApiError } from '../http/failure.ts'

interface Row {
  code: ErrorCode
  detail: string
}

/**
 * The errors of RFC 6749 §§4.1.2.1 and 5.2 and RFC 8628 §3.5, each with the code of our own table that has its status, and
 * a text in the few characters that `error_description` may hold.
 */
const rows = {
  invalid_request: { code: 'validation_error', detail: 'A parameter is missing, repeated or malformed.' },
  invalid_client: { code: 'invalid_credentials', detail: 'The client is unknown, or did not authenticate as it must.' },
  invalid_grant: {
    code: 'validation_error',
    detail:
      'The code or token is unknown, has expired, was used before or revoked, or was given for another client, redirect_uri or verifier.',
  },
  unauthorized_client: { code: 'validation_error', detail: 'The client may not use this grant.' },
  unsupported_grant_type: { code: 'validation_error', detail: 'There is no such grant_type here.' },
  unsupported_response_type: { code: 'validation_error', detail: 'The only response_type is code.' },
  invalid_scope: { code: 'validation_error', detail: 'A scope is unknown, or more than the client may have.' },
  access_denied: { code: 'validation_error', detail: 'The person denied this, or withdrew it.' },
  authorization_pending: { code: 'validation_error', detail: 'The person has not decided yet; ask again after the interval.' },
  slow_down: { code: 'validation_error', detail: 'Too early; from now on wait five seconds longer between requests.' },
  expired_token: { code: 'validation_error', detail: 'The device code has expired; begin again.' },
  temporarily_unavailable: { code: 'dependency_unavailable', detail: 'This is unavailable right now; retry with backoff.' },
  server_error: { code: 'internal_error', detail: 'Something went wrong on our side; the request id helps us to find it.' },
} as const satisfies Record<string, Row>

export type OAuthErrorName = keyof typeof rows

/** A refusal in the words of OAuth, with the status and code of the table of errors. */
export class OAuthRefusal extends ApiError {
  readonly error: OAuthErrorName
  /** Whether it is a failed try, which the limit of unauthenticated requests counts. */
  readonly isCounted: boolean

  constructor(error: OAuthErrorName, { detail, isCounted = true }: { detail?: string; isCounted?: boolean } = {}) {
    super(rows[error].code, { detail: detail ?? rows[error].detail })
    this.error = error
    this.isCounted = isCounted
  }
}

/** Whatever was thrown, by us or by the engine, as an error of the table and its name in OAuth. Never a library's words. */
export function toRefusal(thrown: unknown): { error: OAuthErrorName; failure: ApiError; isCounted: boolean } {
  // What the engine does not know it wraps as an error of the server; what it was is inside.
  const { inner } = thrown as { inner?: unknown }
  if (thrown instanceof OAuth2Server.OAuthError && inner) return toRefusal(inner)
  if (thrown instanceof OAuth2Server.OAuthError && thrown.code < 500) return toRefusal(new OAuthRefusal(nameOf(thrown)))
  if (thrown instanceof OAuthRefusal) return { error: thrown.error, failure: thrown, isCounted: thrown.isCounted }
  const failure = toApiError(thrown)
  return { error: nameOfStatus(failure.status), failure, isCounted: isFailedTry(failure) }
}

/**
 * Parameters were checked before the engine saw them, so what it calls an invalid request is a verifier or redirect_uri
 * that is not the code's: that is an invalid grant (RFC 6749 §5.2, RFC 7636 §4.6).
 */
function nameOf({ name }: OAuth2Server.OAuthError): OAuthErrorName {
  if (name === 'invalid_request') return 'invalid_grant'
  return name in rows ? (name as OAuthErrorName) : 'server_error'
}

function nameOfStatus(status: number): OAuthErrorName {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
