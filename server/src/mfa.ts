import { ApiError, contracts } from '@earshot/contracts'
import { confirmSecondFactor, disableSecondFactor, enrollSecondFactor, type SignInRow } from '@earshot/db'
import type { InAccount } from './auth/callers.ts'
import { makeRecoveryCodes, makeSecondFactor } from './auth/otp.ts'
import { requireSecondFactor } from './auth/second-factor.ts'
import { factorOf, requireOwnPassword } from './auth/sign-in.ts'
import { implement } from './http/implement.ts'

/** The context of a change of the caller's second factor. */
type FactorContext = Pick<InAccount, 'tx' | 'actor' | 'account' | 'services'>

export const mfa = implement(contracts.me.mfa, {
  enroll: async ({ ctx, input }) => {
    const { secret, otpauthUrl } = await enrollOwnFactor(ctx, input)
    return { secret, otpauth_url: otpauthUrl }
  },
  confirm: async ({ ctx, input }) => ({ recovery_codes: await confirmOwnFactor(ctx, input) }),
  disable: ({ ctx, input }) => disableOwnFactor(ctx, input),
})

export async function enrollOwnFactor(ctx: FactorContext, { password }: { password: string }) {
  const { tx, actor, account, services } = ctx
  await requireOwnPassword(ctx, password)
  if (account.has_second_factor) throw wrongState(account)
  const { sealed, ...shown } = makeSecondFactor(services.secretBox, { userId: actor.userId, email: account.email ?? '' })
  if (!(await enrollSecondFactor(tx, actor.userId, sealed))) throw wrongState({ has_second_factor: true })
  return shown
}

/** Turns the second factor on. Returns the recovery codes, which are shown only once. */
export async function confirmOwnFactor(ctx: FactorContext, { otp }: { otp: string }): Promise<string[]> {
  const { actor, account, services } = ctx
  const { userId } = actor
  const sealed = account.sealed_factor
  if (account.has_second_factor || sealed === null) throw wrongState(account)
  const { codes, hashes } = makeRecoveryCodes(services.secretBox, userId)
  const isConfirmed = await requireSecondFactor(ctx, { factor: { userId, sealed }, otp }, async (tx, { step }) =>
    step === null ? null : confirmSecondFactor(tx, actor, { sealed, step, recoveryHashes: hashes }),
  )
  if (!isConfirmed) throw wrongState({ has_second_factor: true })
  return codes
}

export async function disableOwnFactor(ctx: FactorContext, { password, otp }: { password: string; otp: string }): Promise<void> {
  const { actor, account } = ctx
  await requireOwnPassword(ctx, password)
  const factor = factorOf(account)
  if (factor === null) throw wrongState(account)
  await requireSecondFactor(ctx, { factor, otp }, async (tx, code) => (await disableSecondFactor(tx, actor, code)) || null)
}

function wrongState({ has_second_factor }: Pick<SignInRow, 'has_second_factor'>): ApiError {
  return new ApiError('state_conflict', {
    current_state: has_second_factor ? 'enabled' : 'disabled',
    detail: has_second_factor ? 'Two-factor authentication is already on.' : 'Two-factor authentication is not set up.',
  })
}
