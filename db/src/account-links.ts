import { durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { countRequest } from './access.ts'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { account_links } from './tables/accounts.ts'
import { users } from './tables/users.ts'

/** A link to be mailed: the database keeps the hash of its token, and the token itself sealed in the mail. */
export interface NewLink {
  linkHash: Buffer
  sealed: Buffer
}

/** What a link is for: verifying an e-mail address, or choosing a new password. */
export type LinkPurpose = (typeof account_links.$inferSelect)['purpose']

/** `taken`: the link was used just now. `unknown`: it was used before, replaced by a newer one, or never existed. */
export type LinkOutcome = 'taken' | 'expired' | 'unknown'

/** The mails of an account that are limited. */
type AccountMail = 'sign_up' | 'reset'

const LIFETIME_HOURS: Record<LinkPurpose, number> = { verify: durations.emailVerificationHours, reset: durations.passwordResetHours }
const MAIL_LIMIT = { max: 1, windowSeconds: 60 }

const renew = statement<{ userId: string | null; purpose: LinkPurpose; linkHash: Buffer; hours: number }, never>(
  (p) => sql`
  insert into ${account_links} (user_id, purpose, hash, expires_at)
  values (coalesce(${p.userId}::uuid, uuidv7()), ${p.purpose}, ${p.linkHash}, now() + ${p.hours}::int * interval '1 hour')
  on conflict (user_id, purpose) do update set
    hash = excluded.hash,
    expires_at = excluded.expires_at`,
)

/** Replaces the account's link for a purpose, of which there is one. For the user null a link to nobody is written, which takes as long. */
export async function renewLink(tx: Tx, link: { userId: string | null; purpose: LinkPurpose; linkHash: Buffer }): Promise<void> {
  await renew(tx, { ...link, hours: LIFETIME_HOURS[link.purpose] })
}

/** The account of a link, and whether the link has expired. */
export interface LinkedAccount {
  email: string
  name: string
  is_expired: boolean
}

const findAccount = statement<{ linkHash: Buffer; purpose: LinkPurpose }, LinkedAccount>(
  (p) => sql`
  select u.email, u.name, l.expires_at <= now() as is_expired
    from ${account_links} l
    join ${users} u on u.id = l.user_id and u.disabled_at is null
   where l.hash = ${p.linkHash} and l.purpose = ${p.purpose}`,
)

/** Returns the account of a link; undefined for one that was used, replaced or never existed. */
export async function findLinkedAccount(tx: Tx, link: { linkHash: Buffer; purpose: LinkPurpose }): Promise<LinkedAccount | undefined> {
  return (await findAccount(tx, link))[0]
}

const lockOwner = statement<{ linkHash: Buffer; purpose: LinkPurpose }, { id: string }>(
  (p) => sql`
  select u.id
    from ${users} u
   where u.id = (select l.user_id from ${account_links} l where l.hash = ${p.linkHash} and l.purpose = ${p.purpose})
     and u.disabled_at is null
     for no key update`,
)

const remove = statement<{ linkHash: Buffer; purpose: LinkPurpose; userId: string }, { user_id: string }>(
  (p) => sql`
  delete from ${account_links}
   where hash = ${p.linkHash} and purpose = ${p.purpose} and user_id = ${p.userId} and expires_at > now()
  returning user_id`,
)

const exists = statement<{ linkHash: Buffer; purpose: LinkPurpose }, { exists: boolean }>(
  (p) => sql`
  select exists (select from ${account_links} where hash = ${p.linkHash} and purpose = ${p.purpose}) as exists`,
)

/** Uses a link up, in a transaction: of any number of callers with the same link exactly one gets its user. */
export async function takeLink(
  tx: Tx,
  link: { linkHash: Buffer; purpose: LinkPurpose },
): Promise<{ outcome: 'taken'; userId: string } | { outcome: Exclude<LinkOutcome, 'taken'> }> {
  // The user is locked before the link, as everywhere that links are written, so that no two callers wait for each other.
  const [owner] = await lockOwner(tx, link)
  const [taken] = owner ? await remove(tx, { ...link, userId: owner.id }) : []
  if (taken) return { outcome: 'taken', userId: taken.user_id }
  return { outcome: onlyOne(await exists(tx, link)).exists ? 'expired' : 'unknown' }
}

const removeAll = statement<{ userId: string }, never>(
  (p) => sql`
  delete from ${account_links}
   where user_id = ${p.userId}`,
)

/** Deletes the account's links. */
export async function deleteLinks(tx: Tx, userId: string): Promise<void> {
  await removeAll(tx, { userId })
}

/** Counts a mail to an account: one of each kind in a minute of the clock, so that nobody can flood a mailbox. */
export async function mayMailAccount(tx: Tx, userId: string, kind: AccountMail): Promise<boolean> {
  const { used } = await countRequest(tx, { subject: `account_mail:${kind}:${userId}`, limit: MAIL_LIMIT })
  return used !== null
}
