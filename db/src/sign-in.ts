import { type SQL, sql } from 'drizzle-orm'
import { countRequest, type Limit } from './access.ts'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { second_factors } from './tables/mfa.ts'
import { rate_windows } from './tables/rate-limits.ts'
import { users } from './tables/users.ts'

/** The account that somebody tries to sign in to. */
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
}

const findByEmail = statement<{ email: string }, SignInRow>((p) => find(sql`lower(u.email) = lower(${p.email})`))
const findById = statement<{ userId: string }, SignInRow>((p) => find(sql`u.id = ${p.userId}`))

/** Finds the account of an address, with one row whether or not there is an account. */
export async function findSignIn(tx: Tx, email: string): Promise<SignInRow> {
  return onlyOne(await findByEmail(tx, { email }))
}

/** Does the same for a user who is signed in and asked for the password again. */
export async function findOwnSignIn(tx: Tx, userId: string): Promise<SignInRow> {
  return onlyOne(await findById(tx, { userId }))
}

function find(isAccount: SQL): SQL {
  return sql`
    select u.id as user_id, u.email, u.name, u.password_hash,
           u.email_verified_at is not null as is_verified,
           u.mfa_enabled_at is not null as has_second_factor,
           f.sealed as sealed_factor
      from (values (1)) asked
      left join ${users} u on ${isAccount} and u.disabled_at is null
      left join ${second_factors} f on f.user_id = u.id`
}

/** Where tries are counted. */
export interface TryCounter {
  subject: string
  limit: Limit
}

/** A counted try: `used` is null where the limit is reached. */
interface CountedTry {
  used: number | null
  reset_seconds: number
}

/**
 * Counts a try, in advance, so that of any number of tries at once no more than the limit are admitted. Each counter counts
 * what the ones before it admitted, and a try that one of them refuses is counted by none. Returns how long the refusal
 * lasts, or null where the try is admitted.
 */
export async function countTry(tx: Tx, [counter, ...others]: readonly TryCounter[]): Promise<{ resetSeconds: number } | null> {
  if (!counter) return null
  const { used, reset_seconds }: CountedTry = await countRequest(tx, counter)
  if (used === null) return { resetSeconds: reset_seconds }
  const refusal = await countTry(tx, others)
  if (refusal) await uncountTry(tx, [counter])
  return refusal
}

const uncount = statement<{ subject: string; max: number }, never>(
  // Of the tries over the limit only the first was counted.
  (p) => sql`
  update ${rate_windows}
     set used = least(used, ${p.max}::int) - 1
   where subject = ${p.subject} and used > 0`,
)

/** Takes back a try that did not fail. */
export async function uncountTry(tx: Tx, counters: readonly TryCounter[]): Promise<void> {
  await Promise.all(counters.map(({ subject, limit }) => uncount(tx, { subject, max: limit.max })))
}

const replace = statement<{ userId: string; before: string; passwordHash: string }, { id: string }>(
  (p) => sql`
  update ${users}
     set password_hash = ${p.passwordHash}
   where id = ${p.userId} and password_hash = ${p.before}
  returning id`,
)

/** Stores the same password hashed with today's parameters, unless the password was changed meanwhile. Returns what is stored. */
export async function replacePasswordHash(tx: Tx, change: { userId: string; before: string; passwordHash: string }): Promise<string> {
  const isReplaced = (await replace(tx, change)).length === 1
  return isReplaced ? change.passwordHash : change.before
}
