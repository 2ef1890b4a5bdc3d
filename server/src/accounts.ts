import { ApiError } from '@earshot/contracts'
import { changePassword, findPasswordReset, type LinkOutcome, requestPasswordReset, resetPassword, signUp, verifyEmail } from '@earshot/db'
import { makeLink, makeSignUpLink } from './auth/account-links.ts'
import { requireGoodPassword } from './auth/password-rules.ts'
import { requireOwnPassword, wrongPassword } from './auth/sign-in.ts'
import { hashToken } from './auth/token-values.ts'
import type { Guest, InAccount } from './http/implement.ts'

type Place = Pick<Guest, 'tx' | 'services'>

/** The same steps and time whether or not the address has an account. Throws `not_found` where the service is closed to newcomers. */
export async function signUpGuest(
  { tx, services }: Place,
  { email, password, name }: { email: string; password: string; name: string },
): Promise<void> {
  if (!services.isSignUpOpen) throw new ApiError('not_found')
  await requireGoodPassword(password, { field: 'password', own: [email, name] })
  const passwordHash = await services.passwords.hash(password)
  await signUp(tx, { email, name, passwordHash, ...makeSignUpLink(services.secretBox) })
}

/** Throws `invalid_token`, `token_expired`. */
export async function confirmAddress({ tx }: Place, { token }: { token: string }): Promise<void> {
  requireTaken(await verifyEmail(tx, hashToken(token)))
}

/** The same steps and time whether or not the address has an account. */
export async function askPasswordReset({ tx, services }: Place, { email }: { email: string }): Promise<void> {
  await requestPasswordReset(tx, email, makeLink(services.secretBox, 'password-reset'))
}

/** Throws `invalid_token`, `token_expired`. */
export async function confirmPasswordReset(
  { tx, services, ip }: Pick<Guest, 'tx' | 'services' | 'ip'>,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const linkHash = hashToken(token)
  // Asked before the work of hashing; the link is judged once more when it is used up.
  const account = await findPasswordReset(tx, linkHash)
  if (!account) throw wrongLink()
  if (account.is_expired) throw expiredLink()
  await requireGoodPassword(password, { field: 'password', own: [account.email, account.name] })
  requireTaken(await resetPassword(tx, { linkHash, ip, passwordHash: await services.passwords.hash(password) }))
}

/** Throws `invalid_credentials`, and `validation_error` for a new password that is none. */
export async function changeOwnPassword(
  { tx, actor, account, services, setCookie }: Pick<InAccount, 'tx' | 'actor' | 'account' | 'services' | 'setCookie'>,
  { password, new_password }: { password: string; new_password: string },
): Promise<void> {
  await requireOwnPassword({ services, account }, password)
  await requireGoodPassword(new_password, { field: 'new_password', own: [account.email ?? '', account.name ?? ''] })
  const passwordHash = await services.passwords.hash(new_password)
  const { hash: sessionHash, cookie } = await services.sessions.renew(actor.userId)
  // A password that was proven is there.
  const isChanged = await changePassword(tx, actor, { before: account.password_hash ?? '', passwordHash, sessionHash })
  if (!isChanged) throw wrongPassword()
  if (actor.credentialKind === 'session') setCookie(cookie)
}

function requireTaken(outcome: LinkOutcome): void {
  if (outcome === 'expired') throw expiredLink()
  if (outcome === 'unknown') throw wrongLink()
}

function wrongLink(): ApiError {
  return new ApiError('invalid_token', { detail: 'This link does not work: it was used already, or a newer one was sent.' })
}

function expiredLink(): ApiError {
  return new ApiError('token_expired', { detail: 'This link is too old; ask for another.' })
}
