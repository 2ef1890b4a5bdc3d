import { scopes as known, type Scope } from '@earshot/contracts'
import type { OAuthClientRow } from '@earshot/db/oauth'
import { OAuthRefusal } from './refusal.ts'

/** A client that can create personal access tokens would keep its access after the authorization is revoked. */
const NEVER_GRANTED: readonly Scope[] = ['read:tokens', 'write:tokens']

/** Whether OAuth clients can have the scope. */
export function isGrantable(scope: Scope): boolean {
  return !NEVER_GRANTED.includes(scope)
}

/**
 * Returns the scopes to grant: of the requested ones those that the client may have, as RFC 6749 §3.3 permits, because clients of MCP
 * request all that a resource names; all of the client's own by default. The token response and the consent page show what is granted.
 * Throws `invalid_scope` for an unknown one, and when none is left.
 */
export function requireScopes({ scopes }: Pick<OAuthClientRow, 'scopes'>, asked: readonly string[] | null): Scope[] {
  if (asked === null) return scopes
  const granted = scopes.filter((scope) => asked.includes(scope))
  const isKnown = asked.every((scope) => (known as readonly string[]).includes(scope))
  if (!isKnown || granted.length === 0) throw new OAuthRefusal('invalid_scope')
  return granted
}
