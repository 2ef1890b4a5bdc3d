import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from './access.ts'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { second_factors } from './tables/mfa.ts'
import { users } from './tables/users.ts'

/** What is known of an account that somebody says is theirs, and where the tries stand. */
export interface SignInRow {
  /** Null = no such account, or it was disabled. */
  user_id: string | null
  email: string | null
  name: string | null
  password_hash: string | null
  is_verified: boolean
  has_second_factor: boolean
  /** Its secret; also one that waits to be confirmed. */
  sealed_factor: Buffer | null
  /** Tries from this address; null = over the limit. */
  used: number | null
  reset_seconds: number
  /** Tries from all addresses; null = over the limit. */
  used_everywhere: number | null
  reset_seconds_everywhere: number
}

/** What is counted: tries at the account from this address, and from everywhere. */
export interface SignInTry {
  /** Names the account without telling which it is. */
  subject: string
  limit: Limit
  accountSubject: string
  accountLimit: Limit
}

const { placeholder } = sql

const askByEmail = askWhere(sql`lower(u.email) = lower(${placeholder('email')})`)
const askById = askWhere(sql`u.id = ${placeholder('userId')}`)

/** Counts a try to sign in and finds the account: one round trip, whether or not there is one. */
export async function findSignIn(tx: Tx, email: string, question: SignInTry): Promise<SignInRow> {
  return onlyOne(await askByEmail(tx, { email, ...valuesOf(question) }))
}

/** The same for somebody who is signed in, and is asked again. */
export async function findOwnSignIn(tx: Tx, userId: string, question: SignInTry): Promise<SignInRow> {
  return onlyOne(await askById(tx, { userId, ...valuesOf(question) }))
}

function askWhere(whose: SQL) {
  return statement<object, SignInRow>(sql`
    select nearby.used, nearby.reset_seconds, everywhere.used as used_everywhere, everywhere.reset_seconds as reset_seconds_everywhere,
           u.id as user_id, u.email, u.name, u.password_hash,
           u.email_verified_at is not null as is_verified,
           u.mfa_enabled_at is not null as has_second_factor,
           f.sealed as sealed_factor
      from count_request(${placeholder('accountSubject')}, ${placeholder('accountMax')}, ${placeholder('accountWindowSeconds')}) everywhere
     cross join count_request(${placeholder('subject')}, ${placeholder('max')}, ${placeholder('windowSeconds')}) nearby
      left join ${users} u on ${whose} and u.disabled_at is null
      left join ${second_factors} f on f.user_id = u.id`)
}

function valuesOf({ subject, limit, accountSubject, accountLimit }: SignInTry) {
  return { subject, ...limit, accountSubject, accountMax: accountLimit.max, accountWindowSeconds: accountLimit.windowSeconds }
}

const replace = statement<{ userId: string; before: string; passwordHash: string }, never>(sql`
  update ${users}
     set password_hash = ${placeholder('passwordHash')}
   where id = ${placeholder('userId')} and password_hash = ${placeholder('before')}`)

/** The same password under the parameters of today, unless it was changed meanwhile. */
export async function replacePasswordHash(tx: Tx, change: { userId: string; before: string; passwordHash: string }): Promise<void> {
  await replace(tx, change)
}
