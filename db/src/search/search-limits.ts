import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { isCancelled } from '../driver/errors.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'

const TIMEOUT_MS = 500

/** All statements of a search see the same segments: positions in one are not those in the next. */
const beginSnapshot = statement<Record<never, never>, never>(sql`set transaction isolation level repeatable read, read only`)

// Two locks of the team, held until the search ends: they count searches over all processes.
const begin = statement<{ team_id: string }, { is_granted: boolean }>(
  (p) => sql`
  select case
           when set_config('statement_timeout', ${sql.raw(`'${TIMEOUT_MS}ms'`)}, true) is null then false
           when pg_try_advisory_xact_lock(hashtextextended('search 1 ' || ${p.team_id}::text, 0)) then true
           else pg_try_advisory_xact_lock(hashtextextended('search 2 ' || ${p.team_id}::text, 0))
         end as is_granted`,
)

/**
 * Runs a search, which reads texts row by row, without taking PostgreSQL's processor from everybody else: at most two at once
 * per team, and 500 ms each. Throws `rate_limited` and `dependency_unavailable`.
 */
export async function withinSearchLimits<Result>(tx: Tx, team_id: string, search: (tx: Tx) => Promise<Result>): Promise<Result> {
  return transaction(tx, async (tx) => {
    await beginSnapshot(tx, {})
    const { is_granted } = onlyOne(await begin(tx, { team_id }))
    if (!is_granted) throw new ApiError('rate_limited', { detail: 'The team has two searches running. Try again.', retryAfterSeconds: 1 })
    return search(tx).catch((error) => {
      throw isCancelled(error) ? tookTooLong() : error
    })
  })
}

function tookTooLong(): ApiError {
  return new ApiError('dependency_unavailable', {
    detail: `The search took longer than ${TIMEOUT_MS} ms. Narrow it with filters, or try again.`,
    retryAfterSeconds: 1,
  })
}
