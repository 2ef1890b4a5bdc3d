import { z } from 'zod'
import { Role } from './roles.ts'
import { Scope } from './scopes.ts'

/** A row of the error table: the status, a text for people, and the fields that go with the code. */
interface ErrorRow {
  status: number
  detail: string
  fields?: z.ZodRawShape
}

const resetsAt = z.string().nullable().meta({ description: 'When a monthly quota resets; null for other quotas.', format: 'date-time' })

/** The closed table of errors: the only place that gives a code its status. */
export const errorTable = {
  validation_error: { status: 400, detail: 'Some fields of the request are missing, unknown or invalid.' },
  malformed_json: { status: 400, detail: 'The request body is not valid JSON in UTF-8.' },
  invalid_cursor: { status: 400, detail: 'Invalid cursor. Use the next_cursor of a previous page of this list.' },
  not_authenticated: { status: 401, detail: 'Authentication required. Send "Authorization: Bearer <token>".' },
  invalid_credentials: { status: 401, detail: 'Invalid credentials.' },
  invalid_token: { status: 401, detail: 'Invalid token. It may have been deleted or revoked.' },
  token_expired: { status: 401, detail: 'The token has expired.' },
  quota_exceeded: {
    status: 402,
    detail: 'The team has used up this quota of its plan.',
    fields: { quota: z.string(), limit: z.int(), used: z.int(), resets_at: resetsAt },
  },
  feature_not_in_plan: {
    status: 402,
    detail: "The team's plan does not include this feature.",
    fields: { feature: z.string(), plan: z.string() },
  },
  insufficient_scope: { status: 403, detail: 'The credential does not have the required scope.', fields: { required_scope: Scope } },
  insufficient_role: { status: 403, detail: 'Your role in the team does not allow this.', fields: { required_role: Role } },
  plan_without_api_access: { status: 403, detail: "The team's plan does not include API access." },
  mfa_enabled: { status: 403, detail: 'The account uses two-factor authentication. Use a personal access token or OAuth2.' },
  origin_not_allowed: { status: 403, detail: 'The team does not allow requests from this origin.' },
  csrf_failed: { status: 403, detail: 'The request did not come from a page of this service.' },
  email_not_verified: { status: 403, detail: 'Confirm the e-mail address of the account first.' },
  webhook_loop: { status: 403, detail: 'Webhook deliveries cannot write to the public API.' },
  not_found: { status: 404, detail: 'Not found, or you do not have access.' },
  method_not_allowed: { status: 405, detail: 'Method not allowed. The Allow header lists the allowed methods.' },
  state_conflict: {
    status: 409,
    detail: 'The state is not the one you expected. Check current_state and try again.',
    fields: {
      current_state: z.string(),
      offset_bytes: z.int().optional().meta({ description: 'Of a video: number of bytes received.' }),
      updated_at: z.string().optional().meta({ description: 'Of a survey: time of its last change.' }),
    },
  },
  already_exists: { status: 409, detail: 'A resource with this value already exists.' },
  last_owner: { status: 409, detail: 'A team must have at least one owner.' },
  idempotency_key_reused: { status: 409, detail: 'The idempotency key was already used for a different request.' },
  idempotency_in_progress: { status: 409, detail: 'A request with this idempotency key is still in progress.' },
  cursor_expired: {
    status: 409,
    detail: 'Events after this cursor are no longer kept, or the database was restored. Continue at oldest_cursor or newest_cursor.',
    fields: {
      oldest_cursor: z.string().meta({ description: 'Before the oldest event that is kept.' }),
      newest_cursor: z.string().meta({ description: 'After the newest event.' }),
    },
  },
  offset_conflict: {
    status: 409,
    detail: 'The upload has another offset. Continue at offset_bytes.',
    fields: { offset_bytes: z.int().meta({ description: 'Number of bytes received.' }) },
  },
  upload_expired: { status: 410, detail: 'The time for this upload is over. Reserve a new one.' },
  tus_version_unsupported: { status: 412, detail: 'Send "Tus-Resumable: 1.0.0": this is the only supported version of tus.' },
  body_too_large: { status: 413, detail: 'The request body is too large.', fields: { limit_bytes: z.int() } },
  unsupported_media_type: { status: 415, detail: 'Unsupported media type. Send JSON with "Content-Type: application/json".' },
  upload_locked: { status: 423, detail: 'Another request writes to this upload. Retry after the seconds in the Retry-After header.' },
  rate_limited: { status: 429, detail: 'Too many requests. Retry after the number of seconds in the Retry-After header.' },
  abuse_blocked: {
    status: 429,
    detail: 'Blocked after repeated rate limit violations. Retry after the number of seconds in the Retry-After header.',
  },
  headers_too_large: { status: 431, detail: 'The request headers are too large.' },
  checksum_mismatch: { status: 460, detail: 'The body does not match its Upload-Checksum. None of it was stored; send it again.' },
  internal_error: { status: 500, detail: 'Something went wrong on our side. Include the request id when you report it.' },
  dependency_unavailable: { status: 503, detail: 'The service is temporarily unavailable. Try again shortly.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]

/** Returns the row of a code, with its optional members visible. */
export function errorRow(code: ErrorCode): ErrorRow {
  return errorTable[code]
}

/** One invalid field of a request. */
export const FieldError = z
  .object({
    field: z.string().meta({ description: 'Dotted path of the field; empty for the whole body.', example: 'author.email' }),
    code: z.string().meta({ description: 'Reason for programs.', example: 'invalid_format' }),
    detail: z.string().meta({ description: 'Reason for people.', example: 'Invalid email address' }),
  })
  .meta({ id: 'FieldError', description: 'One invalid field of a request.' })
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
  ? z.input<z.ZodObject<{ -readonly [Name in keyof Shape]: Shape[Name] }>>
  : Record<never, never>

/** Options of every error: another text, field errors and a wait. */
interface ErrorExtras {
  detail?: string
  errors?: FieldError[]
  retryAfterSeconds?: number
}

/** The error that refuses a request. Its code decides status and text. */
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

  /** Returns the response body. */
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
