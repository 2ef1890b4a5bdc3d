import type { EarshotApiError } from '@earshot/contracts/client'
import type { Flag } from './flags.ts'
import type { Operation } from './operation.ts'
import { pathFieldsOf, writtenPathField } from './path-fields.ts'

/** Returns what a person can do about a refusal; nothing where the detail is enough. */
export function adviceOn(error: EarshotApiError, operation: Operation, flags: readonly Flag[]): string[] {
  const { code, fields, requestId, retryAfterSeconds } = error
  switch (code) {
    case 'validation_error':
      return error.errors.map(({ field, detail }) => `  ${writtenField(field, operation, flags)}: ${detail}`)
    case 'not_authenticated':
    case 'invalid_credentials':
    case 'invalid_token':
    case 'token_expired':
      return ['Create a personal access token and export EARSHOT_TOKEN=svc_…']
    case 'insufficient_scope':
      return [`Use a token with the scope ${fields.required_scope}.`]
    case 'insufficient_role':
      return [`This requires the role ${fields.required_role} in the team.`]
    case 'plan_without_api_access':
      return ['Upgrade the plan of the team to use the API.']
    case 'quota_exceeded':
      return [`${fields.quota}: ${fields.used} of ${fields.limit} used${fields.resets_at ? `; resets at ${fields.resets_at}` : ''}.`]
    case 'feature_not_in_plan':
      return [`The plan ${fields.plan} does not include ${fields.feature}.`]
    case 'state_conflict':
      return stateAdvice(fields.current_state, flags)
    case 'cursor_expired':
      return [
        `Add --cursor ${fields.oldest_cursor} to continue with the oldest event that is kept, or --cursor ${fields.newest_cursor} with new events.`,
      ]
    case 'invalid_cursor':
      return ['Start again without --cursor.']
    case 'idempotency_key_reused':
      return ['Use another --idempotency-key.']
    case 'rate_limited':
    case 'abuse_blocked':
      return retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]
    case 'internal_error':
    case 'dependency_unavailable':
      return [`Request id: ${requestId}`]
    default:
      return []
  }
}

function stateAdvice(state: unknown, flags: readonly Flag[]): string[] {
  const isExpected = flags.some(({ field }) => field === 'expected_state')
  return [`The current state is ${state}.${isExpected ? ` To change it anyway, add --expected-state ${state}` : ''}`]
}

/** Returns the flag of an invalid field; for a field inside a list, the list's flag with the field's path. */
function writtenField(field: string, operation: Operation, flags: readonly Flag[]): string {
  if (operation.pathFields.has(field)) return writtenPathField(field, pathFieldsOf(operation))
  const flag = flags.find((candidate) => candidate.field === field) ?? flags.find((candidate) => field.startsWith(`${candidate.field}.`))
  if (!flag) return field || 'the request'
  return flag.field === field ? flag.name : `${flag.name} (${field})`
}
