import { z } from 'zod'
import { Role } from './roles.ts'
import { Scope } from './scopes.ts'

/** A row of the error table: the status, a fixed text for people, and the fields that go with the code. */
interface ErrorRow {
  status: number
  detail: string
  fields?: z.ZodRawShape
}

const resetsAt = z
  .string()
  .nullable()
  .meta({ description: 'When the quota rolls over; null for quotas that do not roll.', format: 'date-time' })

/** The closed table of errors. A status is said here and nowhere else. */
export const errorTable = {
  validation_error: { status: 400, detail: 'The request has fields that are missing, unknown or wrong.' },
  malformed_json: { status: 400, detail: 'The request body is not well-formed JSON in UTF-8.' },
  invalid_cursor: { status: 400, detail: 'The cursor is not one that this list has given out.' },
  not_authenticated: { status: 401, detail: 'This request needs a credential: send "Authorization: Bearer <token>".' },
  invalid_credentials: { status: 401, detail: 'The credentials are not right.' },
  invalid_token: { status: 401, detail: 'The token is unknown, malformed or was deleted.' },
  token_expired: { status: 401, detail: 'The token has expired.' },
  quota_exceeded: {
    status: 402,
    detail: 'The quota of the team is used up.',
    fields: { quota: z.string(), limit: z.int(), used: z.int(), resets_at: resetsAt },
  },
  feature_not_in_plan: {
    status: 402,
    detail: "The team's plan does not include this feature.",
    fields: { feature: z.string(), plan: z.string() },
  },
  insufficient_scope: { status: 403, detail: 'The credential lacks the scope for this.', fields: { required_scope: Scope } },
  insufficient_role: { status: 403, detail: 'Your role in the team does not permit this.', fields: { required_role: Role } },
  plan_without_api_access: { status: 403, detail: "The team's plan does not include access by API." },
  mfa_enabled: { status: 403, detail: 'The account uses a second factor: use a personal access token or OAuth2.' },
  origin_not_allowed: { status: 403, detail: 'The team does not allow requests from this origin.' },
  csrf_failed: { status: 403, detail: 'The request did not come from our own pages.' },
  email_not_verified: { status: 403, detail: 'The e-mail address of the account is not verified.' },
  webhook_loop: { status: 403, detail: 'A webhook delivery must not write to the public plane.' },
  not_found: { status: 404, detail: 'There is no such resource, or you cannot see it.' },
  method_not_allowed: { status: 405, detail: 'The resource does not have this method; see the Allow header.' },
  state_conflict: {
    status: 409,
    detail: 'The state is not the one you expected; read it and decide again.',
    fields: { current_state: z.string() },
  },
  already_exists: { status: 409, detail: 'There is one already with this unique value.' },
  last_owner: { status: 409, detail: 'A team keeps at least one owner.' },
  idempotency_key_reused: { status: 409, detail: 'The idempotency key was used before for another request.' },
  idempotency_in_progress: { status: 409, detail: 'The first request with this idempotency key is still running.' },
  body_too_large: { status: 413, detail: 'The request body is too large.', fields: { limit_bytes: z.int() } },
  unsupported_media_type: { status: 415, detail: 'The body must be JSON: send "Content-Type: application/json".' },
  rate_limited: { status: 429, detail: 'Too many requests; wait for the seconds of Retry-After.' },
  abuse_blocked: { status: 429, detail: 'Blocked for repeated limit violations; wait for the seconds of Retry-After.' },
  headers_too_large: { status: 431, detail: 'The request headers are too large.' },
  internal_error: { status: 500, detail: 'Something went wrong on our side; the request id helps us to find it.' },
  dependency_unavailable: { status: 503, detail: 'A part that this needs is unavailable right now; retry with backoff.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]

/** The row of a code, with its optional members visible. */
export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code]
}

/** One wrong field of a request. */
export const FieldError = z
  .object({
    field: z.string().meta({ description: 'Dotted path of the field; empty for the body as a whole.', example: 'author.email' }),
    code: z.string().meta({ description: 'Machine-readable reason.', example: 'invalid_format' }),
    detail: z.string().meta({ description: 'Reason for people.', example: 'Invalid email address' }),
  })
  .meta({ id: 'FieldError', description: 'One wrong field of a request.' })
export type FieldError = z.infer<typeof FieldError>

/** The body of every failure of every surface that speaks JSON. */
export interface ErrorBody {
  detail: string
  code: ErrorCode
  errors?: FieldError[]
  request_id: string
  [field: string]: unknown
}

type FieldsOf<Code extends ErrorCode> = (typeof errorTable)[Code] extends { fields: infer Shape extends z.ZodRawShape }
  ? { [Name in keyof Shape]: z.input<Shape[Name]> }
  : Record<never, never>

/** Beside the code's own fields any error may carry another text, field errors and a wait. */
interface ErrorExtras {
  detail?: string
  errors?: FieldError[]
  retryAfterSeconds?: number
}

/** The one error that is thrown on purpose. Its code decides status and text. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly status: number
  readonly fields: Record<string, unknown>
  readonly errors: FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: Code,
    { detail, errors, retryAfterSeconds, ...fields }: FieldsOf<Code> & ErrorExtras = {} as FieldsOf<Code> & ErrorExtras,
  ) {
    const row = errorRow(code)
    super(detail ?? row.detail)
    this.name = 'ApiError'
    this.code = code
    this.status = row.status
    this.fields = fields
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** The body that goes over the wire. */
  toBody(requestId: string): ErrorBody {
    return {
      detail: this.message,
      code: this.code,
      ...(this.errors && { errors: this.errors }),
      ...this.fields,
      request_id: requestId,
    }
  }
}
