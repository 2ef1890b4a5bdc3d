import { ApiError } from '@earshot/contracts'
import { findSignIn, replacePasswordHash, type SignInAnswer, type SignInQuestion } from '@earshot/db'
import { addressSubject } from './client-address.ts'
import type { Guest } from './implement.ts'
import { isOutdated } from './passwords.ts'
import { scaled } from './rate-limit.ts'

/** Whose password it was. */
export interface ProvenPassword {
  userId: string
  hasSecondFactor: boolean
}

/**
 * Judges e-mail address and password, in the same steps and time whether or not there is an account. Throws
 * `rate_limited`, `invalid_credentials`, `email_not_verified`.
 */
export async function provePassword(
  { tx, ip, services }: Pick<Guest, 'tx' | 'ip' | 'services'>,
  { email, password }: { email: string; password: string },
): Promise<ProvenPassword> {
  const account = await findSignIn(tx, questionOf({ email, ip, services }))
  requireTries(account)
  const isRight = await services.passwords.matches(account.password_hash, password)
  if (!isRight || account.user_id === null || account.password_hash === null) throw new ApiError('invalid_credentials')
  if (!account.is_verified) throw new ApiError('email_not_verified')
  if (isOutdated(account.password_hash)) {
    const passwordHash = await services.passwords.hash(password)
    await replacePasswordHash(tx, { userId: account.user_id, before: account.password_hash, passwordHash })
  }
  return { userId: account.user_id, hasSecondFactor: account.has_second_factor }
}

/** The counters know an account by a keyed hash of its address: they tell nobody who has one. */
function questionOf({ email, ip, services }: { email: string; ip: string; services: Guest['services'] }): SignInQuestion {
  const account = services.secretBox.mac('sign-in', email.toLowerCase()).toString('base64url')
  return {
    email,
    subject: `sign_in:${account}:${addressSubject(ip)}`,
    limit: scaled('sign_in', services.rateLimitMultiplier),
    accountSubject: `sign_in_account:${account}`,
    accountLimit: scaled('sign_in_account', services.rateLimitMultiplier),
  }
}

/** Throws `rate_limited` when this account was tried too often, from here or from everywhere. */
function requireTries({ used, reset_seconds, used_everywhere, reset_seconds_everywhere }: SignInAnswer): void {
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
  if (used_everywhere === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds_everywhere) })
}
