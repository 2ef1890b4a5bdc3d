import { ApiError, contracts } from '@earshot/contracts'
import { confirmSecondFactor, disableSecondFactor, enrollSecondFactor, type SignInRow } from '@earshot/db'
import { makeRecoveryCodes, makeSecondFactor, readOtp } from './auth/otp.ts'
import { factorOf, requireOwnPassword, wrongOtp } from './auth/sign-in.ts'
import { type InAccount, implement } from './http/implement.ts'

/** Where somebody sets up or takes away the second factor of the own account. */
type Place = Pick<InAccount, 'tx' | 'actor' | 'account' | 'services'>

export const mfa = implement(contracts.me.mfa, {
  enroll: async ({ ctx, input }) => {
    const { secret, otpauthUrl } = await enrollOwnFactor(ctx, input)
    return { secret, otpauth_url: otpauthUrl }
  },
  confirm: async ({ ctx, input }) => ({ recovery_codes: await confirmOwnFactor(ctx, input) }),
  disable: ({ ctx, input }) => disableOwnFactor(ctx, input),
})

export async function enrollOwnFactor(place: Place, { password }: { password: string }) {
  const { tx, actor, account, services } = place
  await requireOwnPassword(place, password)
  if (account.has_second_factor) throw wrongState(account)
  const { sealed, ...shown } = makeSecondFactor(services.secretBox, { userId: actor.userId, email: account.email ?? '' })
  if (!(await enrollSecondFactor(tx, actor.userId, sealed))) throw wrongState({ has_second_factor: true })
  return shown
}

/** Gives the recovery codes, which are shown now and never again. */
export async function confirmOwnFactor({ tx, actor, account, services }: Place, { otp }: { otp: string }): Promise<string[]> {
  const sealed = account.sealed_factor
  if (account.has_second_factor || sealed === null) throw wrongState(account)
  const step = readOtp(services.secretBox, { userId: actor.userId, sealed }, otp)?.step ?? null
  if (step === null) throw wrongOtp()
  const { codes, hashes } = makeRecoveryCodes(services.secretBox, actor.userId)
  if (!(await confirmSecondFactor(tx, actor, { sealed, step, recoveryHashes: hashes }))) throw wrongState({ has_second_factor: true })
  return codes
}

export async function disableOwnFactor(place: Place, { password, otp }: { password: string; otp: string }): Promise<void> {
  const { tx, actor, account, services } = place
  await requireOwnPassword(place, password)
  const factor = factorOf(account)
  if (factor === null) throw wrongState(account)
  const code = readOtp(services.secretBox, factor, otp)
  if (code === null || !(await disableSecondFactor(tx, actor, code))) throw wrongOtp()
}

function wrongState({ has_second_factor }: Pick<SignInRow, 'has_second_factor'>): ApiError {
  return new ApiError('state_conflict', {
    current_state: has_second_factor ? 'enabled' : 'disabled',
    detail: has_second_factor ? 'A second factor is in use already.' : 'No second factor is set up.',
  })
}
