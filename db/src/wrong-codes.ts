import { wrongCodes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { queueMail } from './mails.ts'
import { columnsOf } from './sql/columns.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { wrong_codes } from './tables/mfa.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

/** A code that somebody gives for a user's second factor. */
export interface CodeTry {
  userId: string
  /** The sign-in step that it belongs to; null where each code comes with the password, or from somebody who is signed in. */
  stepId: string | null
  /** Whether codes of its kind are few enough to be guessed. */
  isGuessable: boolean
  /** How many wrong codes a user may give in any 24 hours. */
  maxPerDay: number
}

/** `over`: the sign-in step ended before. `limited`: not checked, after too many wrong codes. */
export type CodeOutcome<Result> =
  | { outcome: 'right'; result: Result }
  | { outcome: 'wrong'; isStepOver: boolean }
  | { outcome: 'over' }
  | { outcome: 'limited'; resetSeconds: number }

const lockUser = statement<{ userId: string }, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where id = ${p.userId}
     for no key update`,
)

interface CountedCodes {
  today: number
  in_step: number
  was_mailed: boolean
  reset_seconds: number
}

const count = statement<Pick<CodeTry, 'userId' | 'stepId' | 'maxPerDay'>, CountedCodes>(
  (p) => sql`
  select count(*)::int as today,
         count(*) filter (where step_id = ${p.stepId}::uuid)::int as in_step,
         coalesce(bool_or(is_mailed), false) as was_mailed,
         coalesce(ceil(extract(epoch from (array_agg(created_at order by id desc))[${p.maxPerDay}::int] + interval '1 day' - now()))::int, 0) as reset_seconds
    from ${wrong_codes}
   where user_id = ${p.userId} and id >= uuid_at(now() - interval '1 day')`,
)

const insert = statement<Pick<CodeTry, 'userId' | 'stepId'> & { isMailed: boolean }, never>(
  (p) => sql`
  insert into ${wrong_codes} (user_id, step_id, is_mailed)
  values (${p.userId}, ${p.stepId}::uuid, ${p.isMailed})`,
)

/**
 * Uses a code by `use`, which returns null for a wrong one. Wrong codes are counted per user, whatever they were given for,
 * and the fifth within a day mails the owner. `use` joins the transaction.
 */
export async function tryCode<Result>(tx: Tx, codeTry: CodeTry, use: (tx: Tx) => Promise<Result | null>): Promise<CodeOutcome<Result>> {
  const { userId, stepId, isGuessable, maxPerDay } = codeTry
  return transaction(tx, async (tx) => {
    // A user's codes are checked one after the other, so that no more than the limit are, and each sees those before it.
    const user = onlyOne(await lockUser(tx, { userId }))
    const { today, in_step, was_mailed, reset_seconds } = onlyOne(await count(tx, codeTry))
    if (in_step >= wrongCodes.perSignInStep) return { outcome: 'over' }
    if (isGuessable && today >= maxPerDay) return { outcome: 'limited', resetSeconds: reset_seconds }
    const result = await use(tx)
    if (result !== null) return { outcome: 'right', result }

    const isMailed = today + 1 >= wrongCodes.mailed && !was_mailed
    await insert(tx, { userId, stepId, isMailed })
    if (isMailed) await queueMail(tx, { recipient: user.email, template: 'wrong-codes', fields: { name: user.name }, sealed: null })
    return { outcome: 'wrong', isStepOver: in_step + 1 >= wrongCodes.perSignInStep }
  })
}
