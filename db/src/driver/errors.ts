import { ApiError } from '@earshot/contracts'
import postgres from 'postgres'
import { DeadlineError } from './deadline.ts'

const RETRY_AFTER_SECONDS = 2

/** A row of another team reached a request. It is never presented or stored: the request fails with 500. */
export class ForeignRowError extends Error {
  override name = 'ForeignRowError'
}

/** Codes of the driver and of sockets for a database that cannot be reached. */
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
  'NO_PRIMARY',
])

/**
 * SQLSTATE classes of a database that cannot serve now: connection exceptions (08), insufficient
 * resources (53), operator intervention, a cancelled statement included (57), deadlock and serialization (40), a lock that
 * was not had in time (55P03), a server that accepts no writes (25006).
 */
const UNAVAILABLE = /^(08|53|57|40|25006|25P03|55P03)/

/** SQLSTATE of a write that a standby refused, or a primary that was demoted. We begin no read-only transactions. */
export const READ_ONLY = '25006'

/**
 * Where PostgreSQL finds that rows of a function have another shape than the plan that reads them: its table changed after one
 * of the two was made.
 */
const STALE_ROUTINES = new Set(['build_attrmap_by_position', 'check_attrmap_match', 'convert_tuples_by_position', 'tupledesc_match'])

/**
 * A table changed since the statement, or a function that it calls, was prepared on this connection. Nothing was done, and the
 * transaction is rolled back; on a new connection it can be run again.
 */
export class StaleStatementError extends Error {
  override name = 'StaleStatementError'

  constructor(cause: Error) {
    super('The statement was prepared before its tables changed', { cause })
  }
}

/** Returns the error as a `StaleStatementError` where it is one. */
export function asStale(error: unknown): StaleStatementError | null {
  if (error instanceof StaleStatementError) return error
  const isStale = error instanceof postgres.PostgresError && error.code === '42804' && STALE_ROUTINES.has(error.routine)
  return isStale ? new StaleStatementError(error) : null
}

/** Whether a row has no partition to go to. The statement, or the transaction, is rolled back. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '23514' && error.routine === 'ExecFindPartition'
}

/** Turns an error of the driver into an error of the API's table; returns any other error unchanged, which becomes a 500. */
export function toApiError(error: unknown): unknown {
  if (error instanceof postgres.PostgresError) return fromState(error)
  if (error instanceof DeadlineError || error instanceof StaleStatementError || isUnreachable(error)) return unavailable(error)
  return error
}

/**
 * Whether a connection must not be used after this error. Only an error of PostgreSQL itself ends a statement in order; after
 * a FATAL one PostgreSQL closes the connection; and one to a server that accepts no writes leads to the wrong server.
 */
export function isConnectionLost(error: unknown): boolean {
  return !(error instanceof postgres.PostgresError) || ['FATAL', 'PANIC'].includes(error.severity) || error.code === READ_ONLY
}

function isUnreachable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && UNREACHABLE.has(String(error.code))
}

/** Whether an error is a reply of PostgreSQL: it runs, whatever it says. */
export function isReply(error: unknown): boolean {
  return causeOf(error) instanceof postgres.PostgresError
}

/** Whether PostgreSQL refused the statement, and so rolled it back. After a lost connection its outcome is unknown. */
export function isUndone(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof ApiError || (cause instanceof postgres.PostgresError && !isConnectionLost(cause))
}

/** Whether PostgreSQL rolled the statement back to end a deadlock. */
export function isDeadlock(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof postgres.PostgresError && cause.code === '40P01'
}

/** Whether PostgreSQL refused a statement because one before it, in the same transaction, has failed. */
export function isInFailedTransaction(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof postgres.PostgresError && cause.code === '25P02'
}

/** Whether PostgreSQL refused to write because the server is read-only. */
export function isReadOnly(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof postgres.PostgresError && cause.code === READ_ONLY
}

/** Whether PostgreSQL gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof postgres.PostgresError && cause.code === '55P03'
}

/** Whether PostgreSQL cancelled the statement, because it ran longer than its timeout allows. */
export function isCancelled(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof postgres.PostgresError && cause.code === '57014'
}

function causeOf(error: unknown): unknown {
  return error instanceof ApiError && error.cause instanceof Error ? error.cause : error
}

function fromState(error: postgres.PostgresError): unknown {
  if (error.code === '23505') return new ApiError('already_exists', { detail: duplicateDetail(error.constraint_name) })
  return UNAVAILABLE.test(error.code) ? unavailable(error) : error
}

/** Returns a 503 that tells the client when to retry. */
export function unavailable(cause: Error): ApiError {
  const error = new ApiError('dependency_unavailable', {
    detail: 'The database is unavailable right now; retry with backoff.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
  error.cause = cause
  return error
}

function duplicateDetail(constraint: string | undefined): string {
  const field = { teams_slug: 'slug', projects_slug: 'slug', users_email: 'e-mail address' }[constraint ?? '']
  if (constraint === 'survey_responses_respondent') return 'This respondent has answered the survey already.'
  if (constraint?.endsWith('external_id_idx') || constraint?.includes('external_id'))
    return 'There is a submission with this external_id already.'
  return field ? `This ${field} is taken already.` : 'There is one already with this unique value.'
}
