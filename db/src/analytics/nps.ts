import type { NpsCounts } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { statement } from '../sql/statement.ts'
import { changeOfDay } from '../surveys/response-figures.ts'
import { response_changes, response_days, surveys } from '../tables/surveys.ts'
import { type Range, type RangeQuery, rangeOf, rangeValues, requireRange } from './range.ts'

/** The answers of one period of a range. */
export interface NpsPeriodRow extends NpsCounts, Range {
  team_id: string
  /** The first day of the period, which a range can begin within. */
  start: string
}

interface NpsQuery extends RangeQuery {
  interval: 'day' | 'week' | 'month'
  survey_id?: string | undefined
  language?: string | undefined
}

type Values = ProjectRef & ReturnType<typeof rangeValues> & { interval: string; survey_id: string | null; language: string | null }

const readPeriods = statement<Values, NpsPeriodRow>(
  (p) => sql`
  with range as materialized (${rangeOf(p)}
  ),
  existing as materialized (
    select id
      from ${surveys}
     where team_id = ${p.team_id} and project_id = ${p.project_id} and deleted_at is null
       and (${p.survey_id}::uuid is null or id = ${p.survey_id}::uuid)
  ),
  figures as (
    select date_trunc(${p.interval}, f.day::timestamp) as start, sum(f.promoters) as promoters, sum(f.passives) as passives,
           sum(f.detractors) as detractors
      from (
             select d.day, d.promoters, d.passives, d.detractors
               from existing s
              cross join lateral (
                      select day, promoters, passives, detractors
                        from ${response_days}
                       where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = s.id
                         and day between (select first from range) and (select last from range)
                         and (${p.language}::text is null or language = ${p.language}::text)
                    ) d
              union all
             select c.day, c.promoters, c.passives, c.detractors
               from (
                      select c.*, ${changeOfDay}
                        from ${response_changes} c
                       where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id in (select id from existing)
                         and day between (select first from range) and (select last from range)
                         and (${p.language}::text is null or language = ${p.language}::text)
                    ) c
           ) f
     group by 1
  )
  select r.team_id, r.timezone, r.first::text as "from", r.last::text as "to", s.start::date::text as start,
         coalesce(f.promoters, 0)::int as promoters, coalesce(f.passives, 0)::int as passives, coalesce(f.detractors, 0)::int as detractors
    from range r
   cross join lateral generate_series(
           date_trunc(${p.interval}, r.first::timestamp), r.last::timestamp, ('1 ' || ${p.interval}::text)::interval
         ) s (start)
    left join figures f on f.start = s.start
   order by s.start`,
)

/**
 * Reads the answers to NPS questions in each period of a range, oldest first. Throws `validation_error` for a range that ends
 * before it begins, or is too long.
 */
export async function readNpsPeriods(
  tx: Tx,
  { team_id, project_id }: ProjectRef,
  query: NpsQuery,
): Promise<[NpsPeriodRow, ...NpsPeriodRow[]]> {
  const { interval, survey_id = null, language = null } = query
  return requireRange(await readPeriods(tx, { team_id, project_id, ...rangeValues(query), interval, survey_id, language }))
}
