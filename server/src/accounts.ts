import { ApiError } from '@earshot/contracts'
import {
  changePassword,
  findLinkedAccount,
  type LinkOutcome,
  type LinkPurpose,
  requestPasswordReset,
  resetPassword,
  signUp,
  verifyEmail,
} from '@earshot/db'
import { makeLink } from './auth/account-links.ts'
import type { Guest, InAccount } from './auth/callers.ts'
import { requireGoodPassword } from './auth/password-rules.ts'
import { requireOwnPassword, wrongPassword } from './auth/sign-in.ts'
import { hashToken } from './auth/token-values.ts'

type AccountContext = Pick<Guest, 'tx' | 'services'>
type LinkContext = Pick<Guest, 'tx' | 'services' | 'device'>

/** The token of a mailed link, and the password that its reader chose. */
interface LinkAnswer {
  token: string
  password: string
}

/** Signs a person up, in the same steps and time whether or not the address has an account. Throws `not_found` when sign-up is off. */
export async function signUpGuest({ tx, services }: AccountContext, { email, name }: { email: string; name: string }): Promise<void> {
  if (!services.isSignUpOpen) throw new ApiError('not_found')
  await signUp(tx, { email, name, ...makeLink(services.secretBox, 'verify-email') })
}

/** Confirms the address of a link and sets the password of its account. Throws `invalid_token`, `token_expired`. */
export async function confirmAddress(ctx: LinkContext, { token, password }: LinkAnswer): Promise<void> {
  await choosePassword(ctx, { token, password, purpose: 'verify' }, (choice) => verifyEmail(ctx.tx, choice))
}

/** Sends a link, in the same steps and time whether or not the address has an account. */
export async function requestReset({ tx, services }: AccountContext, { email }: { email: string }): Promise<void> {
  await requestPasswordReset(tx, email, makeLink(services.secretBox, 'password-reset'))
}

/** Sets the new password of a link. Throws `invalid_token`, `token_expired`. */
export async function confirmPasswordReset(
  ctx: LinkContext & Pick<Guest, 'ip'>,
  { revoke_tokens: endsGrants, ...answer }: LinkAnswer & { revoke_tokens: boolean },
): Promise<void> {
  const { tx, ip } = ctx
  await choosePassword(ctx, { ...answer, purpose: 'reset' }, (choice) => resetPassword(tx, { ...choice, endsGrants, ip }))
}

/** Changes the caller's password. Throws `invalid_credentials`, and `validation_error` for a bad new password. */
export async function changeOwnPassword(
  { tx, actor, account, services, device, setCookie }: Pick<InAccount, 'tx' | 'actor' | 'account' | 'services' | 'device' | 'setCookie'>,
  { password, new_password }: { password: string; new_password: string },
): Promise<void> {
  await requireOwnPassword({ tx, services, actor, account }, password)
  await requireGoodPassword(new_password, { field: 'new_password', own: [account.email ?? '', account.name ?? ''] })
  const passwordHash = await services.passwords.hash(new_password)
  const { hash: sessionHash, cookie } = await services.sessions.renew(actor.userId)
  // An account whose password matched has a hash.
  const isChanged = await changePassword(tx, actor, { before: account.password_hash ?? '', passwordHash, sessionHash })
  if (!isChanged) throw wrongPassword()
  if (actor.credentialKind !== 'session') return
  setCookie(cookie)
  device.issue({ email: account.email ?? '', passwordHash })
}

/** Uses a link up with the new password, which must be a good one. Throws `invalid_token`, `token_expired`. */
async function choosePassword(
  { tx, services, device }: LinkContext,
  { token, password, purpose }: LinkAnswer & { purpose: LinkPurpose },
  use: (choice: { linkHash: Buffer; passwordHash: string }) => Promise<LinkOutcome>,
): Promise<void> {
  const linkHash = hashToken(token)
  // Checked before the expensive hash. The link is checked again when it is used up.
  const account = await findLinkedAccount(tx, { linkHash, purpose })
  if (!account) throw wrongLink()
  if (account.is_expired) throw expiredLink()
  await requireGoodPassword(password, { field: 'password', own: [account.email, account.name] })
  const passwordHash = await services.passwords.hash(password)
  requireTaken(await use({ linkHash, passwordHash }))
  // Whoever reads the account's mail signs in here, even while others use up the tries of unknown browsers.
  device.issue({ email: account.email, passwordHash })
}

function requireTaken(outcome: LinkOutcome): void {
  if (outcome === 'expired') throw expiredLink()
  if (outcome === 'unknown') throw wrongLink()
}

function wrongLink(): ApiError {
  return new ApiError('invalid_token', { detail: 'This link was already used, or replaced by a newer one.' })
}

function expiredLink(): ApiError {
  return new ApiError('token_expired', { detail: 'This link has expired. Request a new one.' })
}
