import { ApiError } from '@earshot/contracts'
import { findSignIn, replacePasswordHash, type SignInRow } from '@earshot/db'
import { isOutdated } from './argon2.ts'
import type { Guest, InAccount } from './callers.ts'
import type { SealedFactor } from './otp.ts'
import { tryPassword } from './tries.ts'
import { wrongCredential } from './wrong-credential.ts'

/** The account of a password that matched. */
export interface ProvenPassword {
  userId: string
  email: string
  passwordHash: string
  hasSecondFactor: boolean
  /** The second factor to prove next; null when there is none. */
  factor: SealedFactor | null
}

/**
 * Checks e-mail address and password, in the same steps and time whether or not there is an account. Throws
 * `rate_limited`, `invalid_credentials`, `email_not_verified`.
 */
export async function provePassword(
  { tx, ip, device, services }: Pick<Guest, 'tx' | 'ip' | 'device' | 'services'>,
  { email, password }: { email: string; password: string },
): Promise<ProvenPassword> {
  const row = await findSignIn(tx, email)
  // The counters identify an account by a keyed hash of its address, so that they do not reveal who has one.
  const account = services.secretBox.mac('sign-in', email.toLowerCase()).toString('base64url')
  const deviceId = device.idFor({ email, passwordHash: row.password_hash })
  const trier = { account, ip, deviceId, multiplier: services.rateLimitMultiplier }
  const isRight = await tryPassword(tx, trier, () => services.passwords.matches(row.password_hash, password))
  const { user_id: userId, password_hash: passwordHash } = row
  if (!isRight || userId === null || passwordHash === null) throw new ApiError('invalid_credentials')
  // Confirming an address sets the password, so only an account that was made without the API gets here.
  if (!row.is_verified) throw new ApiError('email_not_verified')
  return {
    ...{ userId, email, hasSecondFactor: row.has_second_factor, factor: factorOf(row) },
    passwordHash: await rehashed({ tx, services }, { userId, before: passwordHash, password }),
  }
}

/** Checks the password of the caller's account. Throws `rate_limited`, and `invalid_credentials` that names the field `password`. */
export async function requireOwnPassword(
  { tx, services, actor, account }: Pick<InAccount, 'tx' | 'services' | 'actor' | 'account'>,
  password: string,
): Promise<void> {
  const { userId, ip } = actor
  const trier = { account: userId, ip: ip ?? '', deviceId: null, multiplier: services.rateLimitMultiplier }
  const isRight = await tryPassword(tx, trier, () => services.passwords.matches(account.password_hash, password))
  if (!isRight) throw wrongPassword()
}

export function wrongPassword(): ApiError {
  return wrongCredential('password', 'invalid_value', 'is incorrect')
}

/** Returns the account's second factor, null without a confirmed one. */
export function factorOf({ user_id, has_second_factor, sealed_factor }: SignInRow): SealedFactor | null {
  if (!has_second_factor || user_id === null || sealed_factor === null) return null
  return { userId: user_id, sealed: sealed_factor }
}

/** Hashes the right password again where its hash was made with other parameters. Returns the hash that is stored now. */
async function rehashed(
  { tx, services }: Pick<Guest, 'tx' | 'services'>,
  { userId, before, password }: { userId: string; before: string; password: string },
): Promise<string> {
  if (!isOutdated(before)) return before
  return replacePasswordHash(tx, { userId, before, passwordHash: await services.passwords.hash(password) })
}
