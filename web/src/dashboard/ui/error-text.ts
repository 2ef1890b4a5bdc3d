import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { UnknownPersonError } from '../same-person.ts'

/** What happened, and what helps, for a person. */
export interface ErrorText {
  what: string
  help: string
  /** For a message to the operator. */
  requestId: string | null
}

type Help = Partial<Record<EarshotApiError['code'], string>>

const HELP: Help = {
  not_authenticated: 'Sign in again. What you typed stays here.',
  invalid_token: 'Sign in again. What you typed stays here.',
  insufficient_role: 'Ask an admin or the owner of the team.',
  feature_not_in_plan: 'An owner of the team can change the plan.',
  quota_exceeded: 'See Usage for what the plan includes, and when it resets.',
  not_found: 'It may have been deleted. Reload the page to see what there is.',
  state_conflict: 'Somebody else was faster. Reload to see the current state.',
  rate_limited: 'Wait a moment, then try again.',
  csrf_failed: 'Reload the page and try again.',
  internal_error: 'Try again. If it happens again, tell the administrator of this server the request number.',
  dependency_unavailable: 'Try again in a moment. Nothing is lost.',
}

/** Explains any failure in words: a refusal of the service, a lost connection, or a defect of ours. */
export function explain(error: unknown): ErrorText {
  if (error instanceof EarshotApiError) return explainRefusal(error)
  if (error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError || error instanceof UnknownPersonError)
    return { what: 'The service did not answer.', help: 'Check your connection and try again. What you typed stays here.', requestId: null }
  return { what: 'Something went wrong on this page.', help: 'Reload it and try again.', requestId: null }
}

/** The messages of a refused form, by the path of the field, such as `author.name`. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof EarshotApiError)) return new Map()
  return new Map(error.errors.map(({ field, detail }) => [field, detail]))
}

function explainRefusal({ code, detail, errors, requestId, retryAfterSeconds }: EarshotApiError): ErrorText {
  const waits = retryAfterSeconds === undefined ? null : `Try again in ${retryAfterSeconds} seconds.`
  const fields = errors.map(({ field, detail }) => (field === '' ? detail : `${field}: ${detail}`)).join(' · ')
  const help = code === 'validation_error' ? fields : (waits ?? HELP[code] ?? '')
  return { what: detail, help, requestId }
}
