import { ApiError, contracts, type Scope } from '@earshot/contracts'
import { createToken, listTokens, revokeToken, type TokenRow, toTimestamp } from '@earshot/db'
import type { z } from 'zod'
import type { SignedIn } from './auth/callers.ts'
import { makeToken } from './auth/token-values.ts'
import { implement } from './http/implement.ts'

/** The fields of a new token. */
export type TokenInput = z.output<typeof contracts.me.tokens.create.input>

/** A user's personal access tokens. */
export const tokens = implement(contracts.me.tokens, {
  list: ({ ctx, input }) => listTokens(ctx.tx, ctx.actor.userId, input, presentToken),
  create: ({ ctx, input }) => createOwnToken(ctx, input),
  delete: ({ ctx, input }) => revokeToken(ctx.tx, ctx.actor, input.token_id),
})

/**
 * Creates a token with at most the scopes and lifetime of the credential. Only this result has its value. Throws
 * `validation_error`, `insufficient_scope`, `invalid_token`.
 */
export async function createOwnToken(
  { tx, actor, credential }: Pick<SignedIn, 'tx' | 'actor' | 'credential'>,
  { name, scopes: wanted, expires_at }: TokenInput,
) {
  const expiresAt = expires_at ? new Date(expires_at).toISOString() : null
  requireNarrower(credential, wanted, expiresAt)
  const { token, hash, hint } = makeToken()
  const parentId = credential.kind === 'pat' ? credential.id : null
  const row = await createToken(tx, actor, { parentId, name, scopes: [...new Set(wanted)], hash, hint, expiresAt })
  return { ...presentToken(row), token }
}

export function presentToken(row: TokenRow) {
  return {
    id: row.id,
    name: row.name ?? '',
    // Only scopes of the contracts are ever written.
    scopes: row.scopes as Scope[],
    hint: row.hint ?? '',
    expires_at: toTimestamp(row.expires_at),
    last_used_at: toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

/** Requires that a new token has only scopes of the credential, and expires no later than a token that creates it. */
function requireNarrower(credential: SignedIn['credential'], scopes: readonly Scope[], expiresAt: string | null): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) throw wrongExpiry('must be in the future')
  const wider = scopes.find((scope) => !credential.scopes.includes(scope))
  if (wider)
    throw new ApiError('insufficient_scope', {
      required_scope: wider,
      detail: 'A token can only create tokens with scopes that it has itself.',
    })
  const end = credential.kind === 'pat' ? toTimestamp(credential.expiresAt) : null
  if (end !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end)))
    throw wrongExpiry(`must be no later than ${end}, when this token expires`)
}

function wrongExpiry(detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'expires_at', code: 'invalid_value', detail }] })
}
