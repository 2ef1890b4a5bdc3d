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
import { addressSubject } from '../http/client-address.ts'
import type { Guest } from '../http/implement.ts'
import { makeLink } from './account-links.ts'
import { isOutdated } from './argon2.ts'
import { readOtp, type SealedFactor } from './otp.ts'
import { scaled } from './rate-limit.ts'

/** Whose password it was. */
export interface ProvenPassword {
  userId: string
  passwordHash: string
  hasSecondFactor: boolean
  /** What the second factor is proven against; null when there is none. */
  factor: SealedFactor | null
}

/**
 * Judges e-mail address and password, in the same steps and time whether or not there is an account. Throws
 * `rate_limited`, `invalid_credentials`, and `email_not_verified` after sending another link.
 */
export async function provePassword(
  { tx, ip, services }: Pick<Guest, 'tx' | 'ip' | 'services'>,
  { email, password }: { email: string; password: string },
): Promise<ProvenPassword> {
  // The counters know an account by a keyed hash of its address: they tell nobody who has one.
  const account = services.secretBox.mac('sign-in', email.toLowerCase()).toString('base64url')
  const answer = await findSignIn(tx, email, tryOf(account, { ip, multiplier: services.rateLimitMultiplier }))
  requireTries(answer)
  const isRight = await services.passwords.matches(answer.password_hash, password)
  const { user_id: userId, password_hash: passwordHash } = answer
  if (!isRight || userId === null || passwordHash === null) throw new ApiError('invalid_credentials')
  if (!answer.is_verified) {
    await requestVerification(tx, userId, makeLink(services.secretBox, 'verify-email'))
    throw new ApiError('email_not_verified', { detail: 'The e-mail address is not confirmed: look for our mail, and follow its link.' })
  }
  if (isOutdated(passwordHash)) {
    await replacePasswordHash(tx, { userId, before: passwordHash, passwordHash: await services.passwords.hash(password) })
  }
  return { userId, passwordHash, hasSecondFactor: answer.has_second_factor, factor: factorOf(answer) }
}

/** Asks for a code where the account has a second factor, and uses it up. Throws `invalid_credentials` that names the field `otp`. */
export async function proveSecondFactor(
  { tx, services }: Pick<Guest, 'tx' | 'services'>,
  factor: SealedFactor | null,
  otp: string | undefined,
): Promise<void> {
  if (factor === null) return
  if (otp === undefined) throw wrongCredential('otp', 'required', 'is required: the account has a second factor')
  const code = readOtp(services.secretBox, factor, otp)
  if (code === null || !(await useSecondFactor(tx, factor.userId, code))) throw wrongOtp()
}

/** Reads what somebody who is signed in is asked for again, and counts the try. Throws `rate_limited`. */
export async function readOwnAccount(
  tx: Tx,
  { userId, ip, multiplier }: { userId: string; ip: string; multiplier: number },
): Promise<SignInRow> {
  const answer = await findOwnSignIn(tx, userId, tryOf(userId, { ip, multiplier }))
  requireTries(answer)
  return answer
}

/** Throws `invalid_credentials` that names the field `password`. */
export async function requireOwnPassword(
  { services, account }: Pick<Guest, 'services'> & { account: Pick<SignInRow, 'password_hash'> },
  password: string,
): Promise<void> {
  if (!(await services.passwords.matches(account.password_hash, password))) throw wrongPassword()
}

export function wrongPassword(): ApiError {
  return wrongCredential('password', 'invalid_value', 'is not your password')
}

export function wrongOtp(): ApiError {
  return wrongCredential('otp', 'invalid_value', 'is not right, or was used before')
}

/** The second factor that counts; one that was never confirmed does not. */
export function factorOf({ user_id, has_second_factor, sealed_factor }: SignInRow): SealedFactor | null {
  if (!has_second_factor || user_id === null || sealed_factor === null) return null
  return { userId: user_id, sealed: sealed_factor }
}

function wrongCredential(field: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_credentials', { errors: [{ field, code, detail }] })
}

function tryOf(account: string, { ip, multiplier }: { ip: string; multiplier: number }): SignInTry {
  return {
    subject: `sign_in:${account}:${addressSubject(ip)}`,
    limit: scaled('sign_in', multiplier),
    accountSubject: `sign_in_account:${account}`,
    accountLimit: scaled('sign_in_account', multiplier),
  }
}

/** Throws `rate_limited` when this account was tried too often, from here or from everywhere. */
function requireTries({ used, reset_seconds, used_everywhere, reset_seconds_everywhere }: SignInRow): void {
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
  if (used_everywhere === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds_everywhere) })
}
