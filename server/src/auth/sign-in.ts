import { ApiError } from '@earshot/contracts'
import {
  findOwnSignIn,
  findSignIn,
  replacePasswordHash,
  requestVerification,
  type SignInRow,
  type SignInTry,
  type Tx,
  useSecondFactor,
} from '@earshot/db'
import { makeLink } from './account-links.ts'
import { isOutdated } from './argon2.ts'
import type { Guest } from './callers.ts'
import { addressSubject } from './client-address.ts'
import { readOtp, type SealedFactor } from './otp.ts'
import { scaled } from './rate-limit.ts'

/** The account of a password that matched. */
export interface ProvenPassword {
  userId: string
  passwordHash: string
  hasSecondFactor: boolean
  /** The second factor to prove next; null when there is none. */
  factor: SealedFactor | null
}

/**
 * Checks e-mail address and password, in the same steps and time whether or not there is an account. Throws
 * `rate_limited`, `invalid_credentials`, and `email_not_verified` after sending another link.
 */
export async function provePassword(
  { tx, ip, services }: Pick<Guest, 'tx' | 'ip' | 'services'>,
  { email, password }: { email: string; password: string },
): Promise<ProvenPassword> {
  // The counters identify an account by a keyed hash of its address, so that they do not reveal who has one.
  const account = services.secretBox.mac('sign-in', email.toLowerCase()).toString('base64url')
  const row = await findSignIn(tx, email, attemptOf(account, { ip, multiplier: services.rateLimitMultiplier }))
  requireWithinAttempts(row)
  const isRight = await services.passwords.matches(row.password_hash, password)
  const { user_id: userId, password_hash: passwordHash } = row
  if (!isRight || userId === null || passwordHash === null) throw new ApiError('invalid_credentials')
  if (!row.is_verified) {
    await requestVerification(tx, userId, makeLink(services.secretBox, 'verify-email'))
    throw new ApiError('email_not_verified', { detail: 'Confirm your e-mail address first: open the link that we sent to it.' })
  }
  if (isOutdated(passwordHash)) {
    await replacePasswordHash(tx, { userId, before: passwordHash, passwordHash: await services.passwords.hash(password) })
  }
  return { userId, passwordHash, hasSecondFactor: row.has_second_factor, factor: factorOf(row) }
}

/** Checks and uses up the code of an account with a second factor. Throws `invalid_credentials` that names the field `otp`. */
export async function proveSecondFactor(
  { tx, services }: Pick<Guest, 'tx' | 'services'>,
  factor: SealedFactor | null,
  otp: string | undefined,
): Promise<void> {
  if (factor === null) return
  if (otp === undefined) throw wrongCredential('otp', 'required', 'is required, because the account has two-factor authentication')
  const code = readOtp(services.secretBox, factor, otp)
  if (code === null || !(await useSecondFactor(tx, factor.userId, code))) throw wrongOtp()
}

/** Reads the account of a person who is asked for the password or a code again, and counts the attempt. Throws `rate_limited`. */
export async function readOwnAccount(
  tx: Tx,
  { userId, ip, multiplier }: { userId: string; ip: string; multiplier: number },
): Promise<SignInRow> {
  const row = await findOwnSignIn(tx, userId, attemptOf(userId, { ip, multiplier }))
  requireWithinAttempts(row)
  return row
}

/** Checks the password of the account. Throws `invalid_credentials` that names the field `password`. */
export async function requireOwnPassword(
  { services, account }: Pick<Guest, 'services'> & { account: Pick<SignInRow, 'password_hash'> },
  password: string,
): Promise<void> {
  if (!(await services.passwords.matches(account.password_hash, password))) throw wrongPassword()
}

export function wrongPassword(): ApiError {
  return wrongCredential('password', 'invalid_value', 'is incorrect')
}

export function wrongOtp(): ApiError {
  return wrongCredential('otp', 'invalid_value', 'is invalid or was already used')
}

/** Returns the account's second factor, null without a confirmed one. */
export function factorOf({ user_id, has_second_factor, sealed_factor }: SignInRow): SealedFactor | null {
  if (!has_second_factor || user_id === null || sealed_factor === null) return null
  return { userId: user_id, sealed: sealed_factor }
}

function wrongCredential(field: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_credentials', { errors: [{ field, code, detail }] })
}

function attemptOf(account: string, { ip, multiplier }: { ip: string; multiplier: number }): SignInTry {
  return {
    subject: `sign_in:${account}:${addressSubject(ip)}`,
    limit: scaled('sign_in', multiplier),
    accountSubject: `sign_in_account:${account}`,
    accountLimit: scaled('sign_in_account', multiplier),
  }
}

/** Throws `rate_limited` after too many attempts for this account, from this address or from everywhere. */
function requireWithinAttempts({ used, reset_seconds, used_everywhere, reset_seconds_everywhere }: SignInRow): void {
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
  if (used_everywhere === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds_everywhere) })
}
