import type { Scope } from '@earshot/contracts'
import type { OAuthClientRow } from '@earshot/db/oauth'
import { OAuthRefusal } from './refusal.ts'

/** A client that can create personal access tokens would keep its access after the authorization is revoked. */
const NEVER_GRANTED: readonly Scope[] = ['read:tokens', 'write:tokens']

/** Whether OAuth clients can have the scope. */
export function isGrantable(scope: Scope): boolean {
  return !NEVER_GRANTED.includes(scope)
}

/** Returns the scopes to grant: the requested ones, which the client must have; all of its own by default. Throws `invalid_scope`. */
export function requireScopes({ scopes }: Pick<OAuthClientRow, 'scopes'>, asked: readonly string[] | null): Scope[] {
  if (asked === null) return scopes
  const granted = scopes.filter((scope) => asked.includes(scope))
  if (granted.length < asked.length) throw new OAuthRefusal('invalid_scope')
  return granted
}
