import type { Scope } from '@earshot/contracts'
import type { OAuthClientRow } from '@earshot/db/oauth'
import { OAuthRefusal } from './refusal.ts'

/** Whoever could make personal access tokens would outlive the withdrawal of what it was allowed (decisions: scopes). */
const NEVER_GRANTED: readonly Scope[] = ['read:tokens', 'write:tokens']

/** Whether a client can have it at all. */
export function isGrantable(scope: Scope): boolean {
  return !NEVER_GRANTED.includes(scope)
}

/** The scopes that a client gets: those it asks for, which must be its own; all its own if it names none. Throws `invalid_scope`. */
export function requireScopes({ scopes }: Pick<OAuthClientRow, 'scopes'>, asked: readonly string[] | null): Scope[] {
  if (asked === null) return scopes
  const granted = scopes.filter((scope) => asked.includes(scope))
  if (granted.length < asked.length) throw new OAuthRefusal('invalid_scope')
  return granted
}
