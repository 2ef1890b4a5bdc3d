import { ApiError, type ErrorCode, errorCodes } from '@earshot/contracts'
import postgres from 'postgres'
import { DeadlineError } from './deadline.ts'

const RETRY_AFTER_SECONDS = 2

/** The driver's own codes and the socket's for a database that cannot be reached. */
const UNREACHABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * SQLSTATE classes and codes of a database that is there but cannot serve now: connection exceptions (08), insufficient
 * resources (53), operator intervention, a cancelled statement included (57), deadlock and serialization (40).
 */
const UNAVAILABLE = /^(08|53|57|40)/

/** Turns what the driver throws into the API's table; whatever is not in it stays as it is and becomes a 500. */
export function toApiError(error: unknown): unknown {
  if (error instanceof postgres.PostgresError) return fromState(error)
  if (error instanceof DeadlineError || isUnreachable(error)) return unavailable(error)
  return error
}

/** Whether this error of the driver means that the connection on which it came is gone. PostgreSQL closes it after a FATAL one. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof postgres.PostgresError ? ['FATAL', 'PANIC'].includes(error.severity) : isUnreachable(error)
}

function isUnreachable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && UNREACHABLE.has(String(error.code))
}

/** Whether PostgreSQL itself refused the statement: then nothing of it was kept. After a lost connection nobody knows. */
export function isUndone(error: unknown): boolean {
  const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : error
  return cause instanceof ApiError || (cause instanceof postgres.PostgresError && !isConnectionLost(cause))
}

/** The error that the function refuse() names: its code, and its fields as JSON. Undefined for what is none of the table. */
export function refusalOf(code: string, fields: string | null | undefined): ApiError | undefined {
  return isErrorCode(code) ? new ApiError<ErrorCode>(code, JSON.parse(fields ?? '{}')) : undefined
}

function fromState(error: postgres.PostgresError): unknown {
  const refusal = error.code === 'EARSH' && refusalOf(error.message, error.detail)
  if (refusal) return refusal
  if (error.code === '23505') return new ApiError('already_exists', { detail: duplicateDetail(error.constraint_name) })
  if (error.code === '55P03') return new ApiError('idempotency_in_progress', { retryAfterSeconds: 1 })
  return UNAVAILABLE.test(error.code) ? unavailable(error) : error
}

/** 503: the caller may come again. */
export function unavailable(cause: Error): ApiError {
  const error = new ApiError('dependency_unavailable', {
    detail: 'The database is unavailable right now; retry with backoff.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
  error.cause = cause
  return error
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as string[]).includes(code)
}

function duplicateDetail(constraint: string | undefined): string {
  const field = { teams_slug: 'slug', projects_slug: 'slug', users_email: 'e-mail address' }[constraint ?? '']
  if (constraint?.endsWith('external_id_idx') || constraint?.includes('external_id'))
    return 'There is a submission with this external_id already.'
  return field ? `This ${field} is taken already.` : 'There is one already with this unique value.'
}
