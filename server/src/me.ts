import { ApiError, contracts, type Scope } from '@earshot/contracts'
import { createToken, findUserWithTeams, listTokens, revokeToken, type TokenRow, toTimestamp, updateUser } from '@earshot/db'
import { changeOwnPassword } from './accounts.ts'
import { authorizations } from './authorizations.ts'
import { implement, type SignedIn } from './implement.ts'
import { mfa } from './mfa.ts'
import { sessions } from './own-sessions.ts'
import { presentProfile } from './profile.ts'
import { makeToken } from './tokens.ts'

export const me = implement(contracts.me, {
  retrieve: async ({ ctx }) => {
    const { teams, ...user } = await findUserWithTeams(ctx.tx, ctx.actor.userId)
    const { kind, id, scopes, expiresAt } = ctx.credential
    return { user: presentProfile(user), credential: { kind, id, scopes: [...scopes], expires_at: toTimestamp(expiresAt) }, teams }
  },
  update: async ({ ctx, input }) => presentProfile(await updateUser(ctx.tx, ctx.actor.userId, input)),
  changePassword: ({ ctx, input }) => changeOwnPassword(ctx, input),
  mfa,
  tokens: {
    list: ({ ctx, input }) => listTokens(ctx.tx, ctx.actor.userId, input, presentToken),
    create: async ({ ctx, input }) => {
      const expiresAt = input.expires_at ? new Date(input.expires_at).toISOString() : null
      requireNarrower(ctx.credential, input.scopes, expiresAt)
      const { token, hash, hint } = makeToken()
      const parentId = ctx.credential.kind === 'pat' ? ctx.credential.id : null
      const scopes = [...new Set(input.scopes)]
      const row = await createToken(ctx.tx, ctx.actor, { parentId, name: input.name, scopes, hash, hint, expiresAt })
      return { ...presentToken(row), token }
    },
    delete: ({ ctx, input }) => revokeToken(ctx.tx, ctx.actor, input.token_id),
  },
  sessions,
  authorizations,
})

/** A token makes only tokens whose scopes are among its own and which end no later. */
function requireNarrower(credential: SignedIn['credential'], scopes: readonly Scope[], expiresAt: string | null): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) throw wrongExpiry('must be in the future')
  const wider = scopes.find((scope) => !credential.scopes.includes(scope))
  if (wider)
    throw new ApiError('insufficient_scope', {
      required_scope: wider,
      detail: 'A token can only make tokens whose scopes are among its own.',
    })
  const end = credential.kind === 'pat' ? toTimestamp(credential.expiresAt) : null
  if (end !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end)))
    throw wrongExpiry(`must be no later than ${end}, when this token ends`)
}

function wrongExpiry(detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'expires_at', code: 'invalid_value', detail }] })
}

function presentToken(row: TokenRow) {
  return {
    id: row.id,
    name: row.name ?? '',
    // Only scopes of the table are ever written.
    scopes: row.scopes as Scope[],
    hint: row.hint ?? '',
    expires_at: toTimestamp(row.expires_at),
    last_used_at: toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
