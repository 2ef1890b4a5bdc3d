import { ApiError } from '@earshot/contracts'
import { type CodeOutcome, type SecondFactorUse, type Tx, tryCode, useSecondFactor } from '@earshot/db'
import type { Guest } from './callers.ts'
import { isRecoveryCode, readOtp, type SealedFactor } from './otp.ts'
import { scaled } from './rate-limit.ts'
import { wrongCredential } from './wrong-credential.ts'

type FactorContext = Pick<Guest, 'tx' | 'services'>

/** A code as somebody typed it, and the sign-in step in which it was. */
interface TypedCode {
  otp: string
  stepId: string | null
}

/**
 * Gives a code to `use`, which uses it up and returns null for a wrong one. Throws `rate_limited` after too many wrong codes;
 * recovery codes are checked all the same, because nobody guesses one.
 */
export async function trySecondFactor<Result>(
  { tx, services }: FactorContext,
  { factor, otp, stepId }: TypedCode & { factor: SealedFactor },
  use: (tx: Tx, code: SecondFactorUse) => Promise<Result | null>,
): Promise<Exclude<CodeOutcome<Result>, { outcome: 'limited' }>> {
  const code = readOtp(services.secretBox, factor, otp)
  const { max: maxPerDay } = scaled('second_factor', services.rateLimitMultiplier)
  const codeTry = { userId: factor.userId, stepId, isGuessable: !isRecoveryCode(otp), maxPerDay }
  const tried = await tryCode(tx, codeTry, async (tx) => code && use(tx, code))
  if (tried.outcome !== 'limited') return tried
  const detail = 'Too many wrong codes. Use a recovery code, or wait for the seconds of Retry-After.'
  throw new ApiError('rate_limited', { detail, retryAfterSeconds: Math.max(1, tried.resetSeconds) })
}

/** Does the same outside of sign-in steps. Throws `invalid_credentials` that names the field `otp`. */
export async function requireSecondFactor<Result>(
  ctx: FactorContext,
  { factor, otp }: Pick<TypedCode, 'otp'> & { factor: SealedFactor },
  use: (tx: Tx, code: SecondFactorUse) => Promise<Result | null>,
): Promise<Result> {
  const tried = await trySecondFactor(ctx, { factor, otp, stepId: null }, use)
  if (tried.outcome !== 'right') throw wrongOtp()
  return tried.result
}

/** Uses up a code to sign in with. Returns null for a wrong one. */
export function signInWith(userId: string): (tx: Tx, code: SecondFactorUse) => Promise<true | null> {
  return async (tx, code) => (await useSecondFactor(tx, userId, code)) || null
}

/** Checks and uses up the code of an account with a second factor. Throws `invalid_credentials` that names the field `otp`. */
export async function proveSecondFactor(ctx: FactorContext, factor: SealedFactor | null, otp: string | undefined): Promise<void> {
  if (factor === null) return
  if (otp === undefined) throw wrongCredential('otp', 'required', 'is required, because the account has two-factor authentication')
  await requireSecondFactor(ctx, { factor, otp }, signInWith(factor.userId))
}

export function wrongOtp(): ApiError {
  return wrongCredential('otp', 'invalid_value', 'is invalid or was already used')
}
