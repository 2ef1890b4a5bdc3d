import { sql } from 'drizzle-orm'
import { deleteLinks, type LinkOutcome, mayMailAccount, type NewLink, renewLink, takeLink } from './account-links.ts'
import { type Tx, transaction } from './driver/database.ts'
import { endGrants } from './grants.ts'
import { queueMail, queueMailIf } from './mails.ts'
import { endSignIns, renewSession } from './sessions.ts'
import type { UserActor } from './sql/actor.ts'
import { recordAuditInTeams } from './sql/audit.ts'
import { columnsOf } from './sql/columns.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

const findByEmail = statement<{ email: string }, Pick<UserRow, 'id' | 'email' | 'name'> & { has_account: boolean }>(
  (p) => sql`
  select coalesce(u.id, uuidv7()) as id, coalesce(u.email, asked.email) as email, coalesce(u.name, '') as name, u.id is not null as has_account
    from (values (${p.email}::text)) asked (email)
    left join ${users} u on lower(u.email) = lower(asked.email) and u.disabled_at is null`,
)

/**
 * Mails a link to choose a new password, if the address has an account. For an address without one the same is written, a
 * link to nobody and a mail that is deleted again: neither the result nor its time tells whether there is an account.
 */
export async function requestPasswordReset(tx: Tx, email: string, { linkHash, sealed }: NewLink): Promise<void> {
  await transaction(tx, async (tx) => {
    const account = onlyOne(await findByEmail(tx, { email }))
    const mayMail = (await mayMailAccount(tx, account.id, 'reset')) && account.has_account
    const mail = { recipient: account.email, template: 'password-reset', fields: { name: account.name }, sealed } as const
    const isMailed = await queueMailIf(tx, mayMail, mail)
    // Where no mail goes, the last link stays the one that works.
    await renewLink(tx, { userId: isMailed ? account.id : null, purpose: 'reset', linkHash })
  })
}

const resetOf = statement<{ userId: string; passwordHash: string }, UserRow>(
  (p) => sql`
  update ${users}
     set password_hash = ${p.passwordHash}, email_verified_at = coalesce(email_verified_at, now()), updated_at = now()
   where id = ${p.userId}
  returning ${columnsOf(users)}`,
)

interface PasswordReset {
  linkHash: Buffer
  passwordHash: string
  /** Whether what the person gave to programs ends too. */
  endsGrants: boolean
  ip: string
}

/** Uses the link up and sets the password. The link came by mail, so it verifies the address too. Signs the person out everywhere. */
export async function resetPassword(tx: Tx, { linkHash, passwordHash, endsGrants, ip }: PasswordReset): Promise<LinkOutcome> {
  return transaction(tx, async (tx) => {
    const link = await takeLink(tx, { linkHash, purpose: 'reset' })
    if (link.outcome !== 'taken') return link.outcome
    const { userId } = link
    const user = onlyOne(await resetOf(tx, { userId, passwordHash }))
    await deleteLinks(tx, userId)
    await endSignIns(tx, { userId, exceptId: null })
    const actor = { userId, credentialId: null, credentialKind: null, ip }
    await recordAuditInTeams(tx, actor, { user_id: userId, action: 'password.reset', target: 'user', target_id: userId })
    if (endsGrants) await endGrants(tx, actor)
    await queueMail(tx, { recipient: user.email, template: 'password-changed', fields: { name: user.name }, sealed: null })
    return link.outcome
  })
}

const replaceProven = statement<{ userId: string; before: string; passwordHash: string }, UserRow>(
  (p) => sql`
  update ${users}
     set password_hash = ${p.passwordHash}, updated_at = now()
   where id = ${p.userId} and password_hash = ${p.before}
  returning ${columnsOf(users)}`,
)

interface PasswordChange {
  /** The hash that the old password was checked against. */
  before: string
  passwordHash: string
  /** The hash of the new id of the caller's session. */
  sessionHash: Buffer
}

/**
 * Changes the actor's password and signs the person out everywhere else; the caller's session goes on under a new id.
 * Returns false when the password was changed since it was checked.
 */
export async function changePassword(tx: Tx, actor: UserActor, { before, passwordHash, sessionHash }: PasswordChange): Promise<boolean> {
  const { userId, credentialId } = actor
  return transaction(tx, async (tx) => {
    const [user] = await replaceProven(tx, { userId, before, passwordHash })
    if (!user) return false
    await deleteLinks(tx, userId)
    await endSignIns(tx, { userId, exceptId: credentialId })
    await renewSession(tx, { id: credentialId, hash: sessionHash })
    await recordAuditInTeams(tx, actor, { user_id: userId, action: 'password.changed', target: 'user', target_id: userId })
    await queueMail(tx, { recipient: user.email, template: 'password-changed', fields: { name: user.name }, sealed: null })
    return true
  })
}
