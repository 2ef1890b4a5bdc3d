import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { account_links } from './tables/accounts.ts'
import { users } from './tables/users.ts'

/** A link that is to be sent: what the database keeps of it, and the mail's secret, sealed. */
export interface NewLink {
  linkHash: Buffer
  sealed: Buffer
}

export interface SignUp {
  email: string
  name: string
  passwordHash: string
  linkHash: Buffer
  /** The link once more for each mail that may go: the seal is bound to the template. */
  sealedVerify: Buffer
  sealedReset: Buffer
}

/** What came of a link: it counted, its time was over, or it was used, replaced or never given out. */
export type LinkOutcome = 'taken' | 'expired' | 'unknown'

const { placeholder } = sql

const signUpOnce = statement<SignUp, never>(sql`
  select sign_up(${placeholder('email')}, ${placeholder('name')}, ${placeholder('passwordHash')}, ${placeholder('linkHash')},
                 ${placeholder('sealedVerify')}, ${placeholder('sealedReset')})`)

/** Makes an account that is not verified, or tells the owner of the address; the caller hears nothing of it. */
export async function signUp(tx: Tx, values: SignUp): Promise<void> {
  await signUpOnce(tx, values)
}

const askVerification = statement<NewLink & { userId: string }, never>(sql`
  select request_verification(${placeholder('userId')}, ${placeholder('linkHash')}, ${placeholder('sealed')})`)

/** Another mail to confirm the address, unless one went just now. */
export async function requestVerification(tx: Tx, userId: string, link: NewLink): Promise<void> {
  await askVerification(tx, { userId, ...link })
}

const verify = statement<{ linkHash: Buffer }, { outcome: LinkOutcome }>(sql`
  select verify_email(${placeholder('linkHash')}) as outcome`)

export async function verifyEmail(tx: Tx, linkHash: Buffer): Promise<LinkOutcome> {
  return onlyOne(await verify(tx, { linkHash })).outcome
}

const askReset = statement<NewLink & { email: string }, never>(sql`
  select request_password_reset(${placeholder('email')}, ${placeholder('linkHash')}, ${placeholder('sealed')})`)

/** Sends a link to choose a new password, if the address has an account; the caller hears nothing of it. */
export async function requestPasswordReset(tx: Tx, email: string, link: NewLink): Promise<void> {
  await askReset(tx, { email, ...link })
}

/** Whose link it is. */
export interface LinkedAccount {
  email: string
  name: string
  is_expired: boolean
}

const findReset = statement<{ linkHash: Buffer }, LinkedAccount>(sql`
  select u.email, u.name, l.expires_at <= now() as is_expired
    from ${account_links} l
    join ${users} u on u.id = l.user_id and u.disabled_at is null
   where l.hash = ${placeholder('linkHash')} and l.purpose = 'reset'`)

/** Undefined for a link that was used, replaced or never given out. */
export async function findPasswordReset(tx: Tx, linkHash: Buffer): Promise<LinkedAccount | undefined> {
  return (await findReset(tx, { linkHash }))[0]
}

const reset = statement<{ linkHash: Buffer; passwordHash: string; ip: string }, { outcome: LinkOutcome }>(sql`
  select reset_password(${placeholder('linkHash')}, ${placeholder('passwordHash')}, ${placeholder('ip')}::inet) as outcome`)

/** Uses up the link and sets the password; whoever is signed in to the account is signed out. */
export async function resetPassword(tx: Tx, change: { linkHash: Buffer; passwordHash: string; ip: string }): Promise<LinkOutcome> {
  return onlyOne(await reset(tx, change)).outcome
}

interface PasswordChange {
  /** The hash against which the old one was proven. */
  before: string
  passwordHash: string
  /** Of the id under which the session that asks goes on. */
  sessionHash: Buffer
}

const change = statement<object, { changed: boolean }>(sql`
  select change_password(${actorParameter}, ${placeholder('before')}, ${placeholder('passwordHash')}, ${placeholder('sessionHash')}) as changed`)

/** The actor's own; whoever else is signed in is signed out. False when the password is another by now. */
export async function changePassword(tx: Tx, actor: Actor, values: PasswordChange): Promise<boolean> {
  return onlyOne(await change(tx, { ...actorValues(actor), ...values })).changed
}
