import { sql } from 'drizzle-orm'
import { deleteLinks, type LinkOutcome, mayMailAccount, type NewLink, renewLink, takeLink } from './account-links.ts'
import { type Tx, transaction } from './driver/database.ts'
import { type NewMail, queueMailIf } from './mails.ts'
import { columnsOf } from './sql/columns.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

interface SignUp extends NewLink {
  email: string
  name: string
}

const insert = statement<Pick<SignUp, 'email' | 'name'>, { id: string }>(
  (p) => sql`
  insert into ${users} (email, name)
  values (${p.email}, ${p.name})
  on conflict (lower(email)) do nothing
  returning id`,
)

const lockByEmail = statement<{ email: string }, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where lower(email) = lower(${p.email})
     for no key update`,
)

const rename = statement<{ userId: string | null; name: string }, never>(
  (p) => sql`
  update ${users}
     set name = ${p.name}, updated_at = now()
   where id = ${p.userId}`,
)

/**
 * Creates an account without a password and mails its address a link that confirms it, or mails the owner of the address.
 * Neither the result nor its time tells which: every call sends the same statements. Where nothing is to be confirmed, a link
 * to nobody is written, and a mail that must not go is deleted again in the same transaction.
 *
 * An address that was signed up for but never confirmed belongs to nobody yet. Who signs up for it again gets the next link.
 */
export async function signUp(tx: Tx, values: SignUp): Promise<void> {
  const { email, name, linkHash } = values
  await transaction(tx, async (tx) => {
    // Of two sign-ups for one address at the same moment the second waits here for the first.
    const isNew = (await insert(tx, { email, name })).length === 1
    // Locked against a confirmation at the same moment.
    const account = onlyOne(await lockByEmail(tx, { email }))
    const mayMail = (await mayMailAccount(tx, account.id, 'sign_up')) && account.disabled_at === null

    const unclaimedId = mayMail && account.email_verified_at === null ? account.id : null
    await rename(tx, { userId: isNew ? null : unclaimedId, name })
    const isMailed = await queueMailIf(tx, mayMail, signUpMail(values, account))
    // Where no mail goes, the last link stays the one that works.
    await renewLink(tx, { userId: isMailed ? unclaimedId : null, purpose: 'verify', linkHash })
  })
}

function signUpMail({ name, sealed }: SignUp, account: UserRow): NewMail<'verify-email' | 'sign-up-again'> {
  const recipient = account.email
  if (account.email_verified_at === null) return { recipient, template: 'verify-email', fields: { name }, sealed }
  return { recipient, template: 'sign-up-again', fields: { name: account.name }, sealed: null }
}

const claim = statement<{ userId: string; passwordHash: string }, { id: string }>(
  (p) => sql`
  update ${users}
     set email_verified_at = now(), password_hash = ${p.passwordHash}, updated_at = now()
   where id = ${p.userId} and email_verified_at is null
  returning id`,
)

/** Confirms the address of the account that the link belongs to, with the password that the reader of the mail chose. */
export async function verifyEmail(tx: Tx, { linkHash, passwordHash }: { linkHash: Buffer; passwordHash: string }): Promise<LinkOutcome> {
  return transaction(tx, async (tx) => {
    const link = await takeLink(tx, { linkHash, purpose: 'verify' })
    if (link.outcome !== 'taken') return link.outcome
    const { userId } = link
    if ((await claim(tx, { userId, passwordHash })).length === 0) return 'unknown'
    await deleteLinks(tx, userId)
    return link.outcome
  })
}
