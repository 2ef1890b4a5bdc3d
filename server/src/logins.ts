import { ApiError, contracts, durations } from '@earshot/contracts'
import { createLogin, endLogin } from '@earshot/db'
import { type Rotation, rotateRefreshToken } from '@earshot/db/oauth'
import type { SecretBox } from '@earshot/drivers'
import { provePassword } from './auth/sign-in.ts'
import { hashToken, isWellFormedToken, makeId, makeToken } from './auth/token-values.ts'
import { implement } from './http/implement.ts'

const PURPOSE = 'jwt-login'
const REFRESH_LIFETIME_MS = durations.loginRefreshDays * 86_400_000
/** Access tokens of logins are signed, not stored. */
const OF_LOGINS = { kind: 'jwt', clientId: null, scopes: null, accessHash: null, accessExpiresAt: null } as const

/** Password logins, which continue with pairs of tokens. */
export const logins = implement(contracts.auth.token, {
  create: async ({ ctx, input }) => {
    const { userId, hasSecondFactor } = await provePassword(ctx, input)
    if (hasSecondFactor) throw new ApiError('mfa_enabled')
    const sign = await ctx.services.accessJwts.signer()
    const id = makeId()
    const secret = secretOf(ctx.services.secretBox, id)
    const { token: refresh, hash: refreshHash } = makeToken('svr_')
    const { ip, userAgent } = ctx
    await createLogin(ctx.tx, { id, hash: hashToken(secret), userId, refreshHash, expiresAt: refreshEnd(), ip, userAgent })
    return { access: await sign({ userId, secret }), refresh }
  },
  refresh: async ({ ctx, input }) => {
    if (!isWellFormedToken(input.refresh, 'svr_')) throw new ApiError('invalid_token')
    const sign = await ctx.services.accessJwts.signer()
    const { token: refresh, hash: nextHash } = makeToken('svr_')
    const used = { hash: hashToken(input.refresh), leewaySeconds: ctx.services.reuseLeewaySeconds }
    const login = requireRotated(await rotateRefreshToken(ctx.tx, { ...OF_LOGINS, ...used, nextHash, nextExpiresAt: refreshEnd() }))
    const secret = secretOf(ctx.services.secretBox, login.credential_id)
    // A login from before the service's secret key was replaced cannot continue.
    if (!login.credential_hash?.equals(hashToken(secret))) throw new ApiError('invalid_token')
    return { access: await sign({ userId: login.user_id, secret }), refresh }
  },
  revoke: async ({ ctx, input }) => {
    const isEnded = isWellFormedToken(input.refresh, 'svr_') && (await endLogin(ctx.tx, hashToken(input.refresh)))
    if (!isEnded) await ctx.countAttempt()
  },
})

/**
 * Derives the secret in the access tokens of a login. It cannot be forged, not even with a stolen signing key. Each exchange
 * derives it again from the id, because only its hash is stored.
 */
function secretOf(secretBox: SecretBox, loginId: string): string {
  return secretBox.mac(PURPOSE, loginId).toString('base64url')
}

function refreshEnd(): string {
  return new Date(Date.now() + REFRESH_LIFETIME_MS).toISOString()
}

function requireRotated(rotation: Rotation): Rotation & { outcome: 'rotated' } {
  switch (rotation.outcome) {
    case 'rotated':
      return rotation
    case 'expired':
      throw new ApiError('token_expired')
    case 'reused':
      throw new ApiError('invalid_token', { detail: 'The refresh token was already used, so its login was ended. Log in again.' })
    case 'raced':
      throw new ApiError('invalid_token', { detail: 'The refresh token was used a moment ago. Continue with the new one.' })
    default:
      throw new ApiError('invalid_token')
  }
}
