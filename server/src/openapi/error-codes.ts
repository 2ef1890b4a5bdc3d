import { type ErrorCode, errorCodes, type Operation, takesKey } from '@earshot/contracts'

/** Errors of every operation. The last one because a token in the query is refused everywhere. */
const ANYWHERE: readonly ErrorCode[] = [
  'validation_error',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'dependency_unavailable',
  'invalid_token',
]
const WITH_BODY: readonly ErrorCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type']
const WITH_CREDENTIAL: readonly ErrorCode[] = ['not_authenticated', 'token_expired', 'origin_not_allowed']

/** Returns every error code of an operation: its own, and those that follow from its fields. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { method, errors, withoutApiAccess, scope, role, feature, quota, pathFields, queryFields } = operation
  const possible = new Set<ErrorCode>([
    ...ANYWHERE,
    ...errors,
    ...(operation.access === 'public' ? (['abuse_blocked'] as const) : []),
    ...(operation.access === 'credential' ? WITH_CREDENTIAL : []),
    ...(operation.access === 'credential' && method !== 'GET' ? (['csrf_failed'] as const) : []),
    ...(operation.access === 'credential' && !withoutApiAccess ? (['plan_without_api_access'] as const) : []),
    ...(operation.access === 'public' && method !== 'GET' ? (['webhook_loop'] as const) : []),
    ...(scope ? (['insufficient_scope'] as const) : []),
    ...(role ? (['insufficient_role'] as const) : []),
    ...(feature ? (['feature_not_in_plan'] as const) : []),
    ...(quota ? (['quota_exceeded'] as const) : []),
    ...(pathFields.size > 0 ? (['not_found'] as const) : []),
    ...(queryFields.has('cursor') ? (['invalid_cursor'] as const) : []),
    ...(method === 'POST' || method === 'PATCH' ? WITH_BODY : []),
    ...(takesKey(operation) ? (['idempotency_key_reused', 'idempotency_in_progress'] as const) : []),
  ])
  return errorCodes.filter((code) => possible.has(code))
}
