import { sql } from 'drizzle-orm'
import { deleteLinks, type LinkOutcome, mayMailAccount, type NewLink, renewLink, takeLink } from './account-links.ts'
import { type Tx, transaction } from './driver/database.ts'
import { deleteMail, type NewMail, queueMail } from './mails.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

export interface SignUp {
  email: string
  name: string
  passwordHash: string
  linkHash: Buffer
  /** The link's token sealed for each mail that may carry it: a seal is bound to its template. */
  sealedVerify: Buffer
  sealedReset: Buffer
}

const insert = statement<Pick<SignUp, 'email' | 'name' | 'passwordHash'>, { id: string }>(
  (p) => sql`
  insert into ${users} (email, name, password_hash)
  values (${p.email}, ${p.name}, ${p.passwordHash})
  on conflict (lower(email)) do nothing
  returning id`,
)

const lockByEmail = statement<{ email: string }, UserRow>(
  (p) => sql`
  select *
    from ${users}
   where lower(email) = lower(${p.email})
     for no key update`,
)

const voidPassword = statement<{ userId: string | null; name: string }, never>(
  (p) => sql`
  update ${users}
     set name = ${p.name}, password_hash = null, updated_at = now()
   where id = ${p.userId}`,
)

/**
 * Creates an account whose address is not verified, or mails the owner of the address. Neither the result nor its time
 * tells which: every call sends the same statements, with a null where one is to change nothing, and a mail that must not
 * go is deleted again in the same transaction.
 *
 * An address that was signed up for but never verified belongs to nobody yet, and the second person to sign up may be the
 * one who reads its mail. So the first password is void, and so is the second: the link asks for a new one, and nobody
 * else's choice of a password survives on an account that its owner verifies.
 */
export async function signUp(tx: Tx, values: SignUp): Promise<void> {
  const { email, name, passwordHash, linkHash } = values
  await transaction(tx, async (tx) => {
    // Of two sign-ups for one address at the same moment the second waits here for the first.
    const isNew = (await insert(tx, { email, name, passwordHash })).length === 1
    // Locked against a verification at the same moment.
    const account = onlyOne(await lockByEmail(tx, { email }))
    const mayMail = (await mayMailAccount(tx, account.id, 'sign_up')) && account.disabled_at === null

    const isUnclaimed = !isNew && account.email_verified_at === null
    const unclaimedId = isUnclaimed && mayMail ? account.id : null
    await voidPassword(tx, { userId: unclaimedId, name })
    await deleteLinks(tx, unclaimedId, 'verify')
    await renewLink(tx, { userId: isNew ? account.id : unclaimedId, purpose: isNew ? 'verify' : 'reset', linkHash })

    const mailId = await queueMail(tx, signUpMail(values, account, isNew))
    await deleteMail(tx, mayMail ? null : mailId)
  })
}

function signUpMail(
  { name, sealedVerify, sealedReset }: SignUp,
  account: UserRow,
  isNew: boolean,
): NewMail<'verify-email' | 'password-reset' | 'sign-up-again'> {
  const recipient = account.email
  if (isNew) return { recipient, template: 'verify-email', fields: { name }, sealed: sealedVerify }
  if (account.email_verified_at === null) return { recipient, template: 'password-reset', fields: { name }, sealed: sealedReset }
  return { recipient, template: 'sign-up-again', fields: { name: account.name }, sealed: null }
}

const lockUnverified = statement<{ userId: string }, UserRow>(
  (p) => sql`
  select *
    from ${users}
   where id = ${p.userId} and email_verified_at is null
     for no key update`,
)

/** Mails another link that verifies the address of an account, at most one a minute. */
export async function requestVerification(tx: Tx, userId: string, { linkHash, sealed }: NewLink): Promise<void> {
  await transaction(tx, async (tx) => {
    const [account] = await lockUnverified(tx, { userId })
    if (!account || !(await mayMailAccount(tx, userId, 'verify'))) return
    await renewLink(tx, { userId, purpose: 'verify', linkHash })
    await queueMail(tx, { recipient: account.email, template: 'verify-email', fields: { name: account.name }, sealed })
  })
}

const markVerified = statement<{ userId: string }, never>(
  (p) => sql`
  update ${users}
     set email_verified_at = now(), updated_at = now()
   where id = ${p.userId} and email_verified_at is null`,
)

/** Verifies the address of the account that the link belongs to. */
export async function verifyEmail(tx: Tx, linkHash: Buffer): Promise<LinkOutcome> {
  return transaction(tx, async (tx) => {
    const link = await takeLink(tx, { linkHash, purpose: 'verify' })
    if (link.outcome === 'taken') await markVerified(tx, { userId: link.userId })
    return link.outcome
  })
}
