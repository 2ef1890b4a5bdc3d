import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from './access.ts'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { second_factors } from './tables/mfa.ts'
import { users } from './tables/users.ts'

/** The account that somebody tries to sign in to, and where its rate limits stand. */
export interface SignInRow {
  /** Null: there is no such account, or it is disabled. */
  user_id: string | null
  email: string | null
  name: string | null
  password_hash: string | null
  is_verified: boolean
  has_second_factor: boolean
  /** The secret of the second factor, also of one that waits to be confirmed. */
  sealed_factor: Buffer | null
  /** Attempts from this address; null = over the limit. */
  used: number | null
  reset_seconds: number
  /** Attempts from all addresses; null = over the limit. */
  used_everywhere: number | null
  reset_seconds_everywhere: number
}

/** What is counted: attempts at the account from this address, and from all addresses. */
export interface SignInTry {
  /** Stands for the account without naming it. */
  subject: string
  limit: Limit
  accountSubject: string
  accountLimit: Limit
}

interface TryValues extends Limit {
  subject: string
  accountSubject: string
  accountMax: number
  accountWindowSeconds: number
}

const countAndFindByEmail = statement<TryValues & { email: string }, SignInRow>((p) =>
  countAndFind(p, sql`lower(u.email) = lower(${p.email})`),
)
const countAndFindById = statement<TryValues & { userId: string }, SignInRow>((p) => countAndFind(p, sql`u.id = ${p.userId}`))

/** Counts an attempt to sign in and finds the account, in one round trip whether or not there is an account. */
export async function findSignIn(tx: Tx, email: string, attempt: SignInTry): Promise<SignInRow> {
  return onlyOne(await countAndFindByEmail(tx, { email, ...valuesOf(attempt) }))
}

/** Does the same for a user who is signed in and asked for the password again. */
export async function findOwnSignIn(tx: Tx, userId: string, attempt: SignInTry): Promise<SignInRow> {
  return onlyOne(await countAndFindById(tx, { userId, ...valuesOf(attempt) }))
}

function countAndFind(p: Parameters<TryValues>, isAccount: SQL): SQL {
  return sql`
    select nearby.used, nearby.reset_seconds, everywhere.used as used_everywhere, everywhere.reset_seconds as reset_seconds_everywhere,
           u.id as user_id, u.email, u.name, u.password_hash,
           u.email_verified_at is not null as is_verified,
           u.mfa_enabled_at is not null as has_second_factor,
           f.sealed as sealed_factor
      from count_request(${p.accountSubject}, ${p.accountMax}, ${p.accountWindowSeconds}) everywhere
     cross join count_request(${p.subject}, ${p.max}, ${p.windowSeconds}) nearby
      left join ${users} u on ${isAccount} and u.disabled_at is null
      left join ${second_factors} f on f.user_id = u.id`
}

function valuesOf({ subject, limit, accountSubject, accountLimit }: SignInTry): TryValues {
  return { subject, ...limit, accountSubject, accountMax: accountLimit.max, accountWindowSeconds: accountLimit.windowSeconds }
}

const replace = statement<{ userId: string; before: string; passwordHash: string }, never>(
  (p) => sql`
  update ${users}
     set password_hash = ${p.passwordHash}
   where id = ${p.userId} and password_hash = ${p.before}`,
)

/** Stores the same password hashed with today's parameters, unless the password was changed meanwhile. */
export async function replacePasswordHash(tx: Tx, change: { userId: string; before: string; passwordHash: string }): Promise<void> {
  await replace(tx, change)
}
