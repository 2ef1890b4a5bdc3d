import { sql } from 'drizzle-orm'
import type { Limit } from './access.ts'
import type { Tx } from './database.ts'
import { onlyOne } from './rows.ts'
import { statement } from './statement.ts'
import { users } from './tables/people.ts'

/** What is known of an address that somebody signs in with, and where the tries stand. */
export interface SignInAnswer {
  /** Null = no such account, or it was disabled. */
  user_id: string | null
  password_hash: string | null
  is_verified: boolean
  has_second_factor: boolean
  /** Tries from this address; null = over the limit. */
  used: number | null
  reset_seconds: number
  /** Tries from all addresses; null = over the limit. */
  used_everywhere: number | null
  reset_seconds_everywhere: number
}

export interface SignInQuestion {
  email: string
  /** Names the account from this address, and from everywhere, without telling which it is. */
  subject: string
  limit: Limit
  accountSubject: string
  accountLimit: Limit
}

const { placeholder } = sql

const ask = statement<object, SignInAnswer>(sql`
  select nearby.used, nearby.reset_seconds, everywhere.used as used_everywhere, everywhere.reset_seconds as reset_seconds_everywhere,
         u.id as user_id, u.password_hash,
         u.email_verified_at is not null as is_verified,
         u.mfa_enabled_at is not null as has_second_factor
    from count_request(${placeholder('accountSubject')}, ${placeholder('accountMax')}, ${placeholder('accountWindowSeconds')}) everywhere
   cross join count_request(${placeholder('subject')}, ${placeholder('max')}, ${placeholder('windowSeconds')}) nearby
    left join ${users} u on lower(u.email) = lower(${placeholder('email')}) and u.disabled_at is null`)

/** Counts a try to sign in and finds the account: one round trip, whether or not there is one. */
export async function findSignIn(tx: Tx, { limit, accountLimit, ...values }: SignInQuestion): Promise<SignInAnswer> {
  const account = { accountMax: accountLimit.max, accountWindowSeconds: accountLimit.windowSeconds }
  return onlyOne(await ask(tx, { ...values, ...limit, ...account }))
}

const replace = statement<{ userId: string; before: string; passwordHash: string }, never>(sql`
  update ${users}
     set password_hash = ${placeholder('passwordHash')}
   where id = ${placeholder('userId')} and password_hash = ${placeholder('before')}`)

/** The same password under the parameters of today, unless it was changed meanwhile. */
export async function replacePasswordHash(tx: Tx, change: { userId: string; before: string; passwordHash: string }): Promise<void> {
  await replace(tx, change)
}
