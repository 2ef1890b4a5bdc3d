import { ApiError, durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { knownDay } from '../sql/days.ts'
import type { Parameters } from '../sql/statement.ts'
import { teams } from '../tables/teams.ts'

/** The days that a caller asks for. */
export interface RangeQuery {
  from?: string | undefined
  to?: string | undefined
}

/** The days that figures are about, both ends among them, and the time zone in which they begin. */
export interface Range {
  from: string
  to: string
  timezone: string
}

interface RangeValues {
  team_id: string
  from: string | null
  to: string | null
}

/** Returns the parameters of `rangeOf`. Throws `validation_error` for a range that ends before it begins. */
export function rangeValues({ from, to }: RangeQuery) {
  if (from !== undefined && to !== undefined && from > to) throw invalidRange('must not be before from')
  return { from: from === undefined ? null : knownDay(from), to: to === undefined ? null : knownDay(to) }
}

/** Selects the range as `first` and `last`: none if it is too long or ends before it begins. */
export function rangeOf(p: Parameters<RangeValues>): SQL {
  return sql`
    select r.*
      from (
             select t.id as team_id, t.timezone, coalesce(${p.from}::date, d.last - ${sql.raw(String(durations.analyticsDays - 1))}) as first, d.last
               from ${teams} t
              cross join lateral (select coalesce(${p.to}::date, (now() at time zone t.timezone)::date) as last) d
              where t.id = ${p.team_id}
           ) r
     where r.last - r.first between 0 and ${sql.raw(String(durations.analyticsMaxDays - 1))}`
}

/** Returns the rows that were read for a range. Throws `validation_error` if there is no such range. */
export function requireRange<Row>(rows: Row[]): [Row, ...Row[]] {
  const [first, ...others] = rows
  if (first === undefined) throw invalidRange(`must not be before from, and at most ${durations.analyticsMaxDays - 1} days after it`)
  return [first, ...others]
}

function invalidRange(detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'to', code: 'custom', detail }] })
}
