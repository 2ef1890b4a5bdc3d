import { ApiError } from '@earshot/contracts'
import { changePassword, findPasswordReset, type LinkOutcome, requestPasswordReset, resetPassword, signUp, verifyEmail } from '@earshot/db'
import { makeLink, makeSignUpLink } from './auth/account-links.ts'
import type { Guest, InAccount } from './auth/callers.ts'
import { requireGoodPassword } from './auth/password-rules.ts'
import { requireOwnPassword, wrongPassword } from './auth/sign-in.ts'
import { hashToken } from './auth/token-values.ts'

type AccountContext = Pick<Guest, 'tx' | 'services'>

/** Signs a person up, in the same steps and time whether or not the address has an account. Throws `not_found` when sign-up is off. */
export async function signUpGuest(
  { tx, services }: AccountContext,
  { email, password, name }: { email: string; password: string; name: string },
): Promise<void> {
  if (!services.isSignUpOpen) throw new ApiError('not_found')
  await requireGoodPassword(password, { field: 'password', own: [email, name] })
  const passwordHash = await services.passwords.hash(password)
  await signUp(tx, { email, name, passwordHash, ...makeSignUpLink(services.secretBox) })
}

/** Confirms the address of a link. Throws `invalid_token`, `token_expired`. */
export async function confirmAddress({ tx }: AccountContext, { token }: { token: string }): Promise<void> {
  requireTaken(await verifyEmail(tx, hashToken(token)))
}

/** Sends a link, in the same steps and time whether or not the address has an account. */
export async function requestReset({ tx, services }: AccountContext, { email }: { email: string }): Promise<void> {
  await requestPasswordReset(tx, email, makeLink(services.secretBox, 'password-reset'))
}

/** Sets the new password of a link. Throws `invalid_token`, `token_expired`. */
export async function confirmPasswordReset(
  { tx, services, ip, device }: Pick<Guest, 'tx' | 'services' | 'ip' | 'device'>,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const linkHash = hashToken(token)
  // Checked before the expensive hash. The link is checked again when it is used up.
  const account = await findPasswordReset(tx, linkHash)
  if (!account) throw wrongLink()
  if (account.is_expired) throw expiredLink()
  await requireGoodPassword(password, { field: 'password', own: [account.email, account.name] })
  const passwordHash = await services.passwords.hash(password)
  requireTaken(await resetPassword(tx, { linkHash, ip, passwordHash }))
  // Whoever reads the account's mail signs in here, even while others use up the tries of unknown browsers.
  device.issue({ email: account.email, passwordHash })
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
