import type { NpsCounts } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { type Dimension, figuresOfChange } from '../submissions/day-figures.ts'
import { changeOfDay } from '../surveys/response-figures.ts'
import { submission_changes, submission_days } from '../tables/submissions.ts'
import { response_changes, response_days, surveys } from '../tables/surveys.ts'
import { type RangeQuery, rangeOf, rangeValues, requireRange } from './range.ts'

/** How many submissions of a range have a value, and the milliseconds from their arrival to a decision. */
interface SubmissionFigure {
  dimension: Dimension
  value: string
  count: number
  sum: number
}

/** The figures of a range of days. */
export interface RangeFigures {
  from: string
  to: string
  submissions: SubmissionFigure[]
  responses: NpsCounts & { responses: number }
}

/** The figures of a range, and of as many days before it. */
export interface OverviewRow {
  team_id: string
  timezone: string
  current: RangeFigures
  previous: RangeFigures
  days: { day: string; submissions: number; responses: number }[]
}

type Values = ProjectRef & ReturnType<typeof rangeValues>
type P = Parameters<Values>

const ofProject = (p: P) => sql`team_id = ${p.team_id} and project_id = ${p.project_id}`
/** The days of both ranges. */
const isInRanges = sql`day between (select previous_first from range) and (select last from range)`

const submissionFigures = (p: P): SQL => sql`
           select day, dimension, value, count, sum
             from ${submission_days}
            where ${ofProject(p)} and ${isInRanges}
            union all
           select c.day, f.dimension, f.value, c.amount, c.amount * f.number
             from ${submission_changes} c${figuresOfChange}
            where ${ofProject(p)} and ${isInRanges}`

const responseFigures = (p: P): SQL => sql`
           select d.*
             from existing s
            cross join lateral (
                    select day, responses, promoters, passives, detractors
                      from ${response_days}
                     where ${ofProject(p)} and survey_id = s.id and ${isInRanges}
                  ) d
            union all
           select c.day, c.responses, c.promoters, c.passives, c.detractors
             from (
                    select c.*, ${changeOfDay}
                      from ${response_changes} c
                     where ${ofProject(p)} and survey_id in (select id from existing) and ${isInRanges}
                  ) c`

/** The figures of one of the two ranges, as JSON. */
const figuresOf = (first: SQL, last: SQL): SQL => sql`json_build_object(
           'from', ${first}::text,
           'to', ${last}::text,
           'submissions', (
             select coalesce(json_agg(f), '[]')
               from (
                      select dimension, value, sum(count) as count, sum(sum) as sum
                        from submission_figures
                       where day between ${first} and ${last}
                       group by dimension, value
                    ) f
           ),
           'responses', (
             select json_build_object(
                      'responses', coalesce(sum(responses), 0), 'promoters', coalesce(sum(promoters), 0),
                      'passives', coalesce(sum(passives), 0), 'detractors', coalesce(sum(detractors), 0)
                    )
               from response_figures
              where day between ${first} and ${last}
           )
         )`

const read = statement<Values, OverviewRow>(
  (p) => sql`
  with range as materialized (
    select r.*, r.first - (r.last - r.first + 1) as previous_first
      from (${rangeOf(p)}
           ) r
  ),
  existing as materialized (
    select id
      from ${surveys}
     where ${ofProject(p)} and deleted_at is null
  ),
  submission_figures as materialized (${submissionFigures(p)}
  ),
  response_figures as materialized (${responseFigures(p)}
  )
  select r.team_id, r.timezone,
         ${figuresOf(sql`r.first`, sql`r.last`)} as current,
         ${figuresOf(sql`r.previous_first`, sql`(r.first - 1)`)} as previous,
         (
           select json_agg(json_build_object('day', d.day::date, 'submissions', coalesce(s.count, 0), 'responses', coalesce(a.count, 0)) order by d.day)
             from generate_series(r.first::timestamp, r.last::timestamp, interval '1 day') d (day)
             left join (
                    select day, sum(count) as count
                      from submission_figures
                     where dimension = 'all'
                     group by day
                  ) s on s.day = d.day
             left join (
                    select day, sum(responses) as count
                      from response_figures
                     group by day
                  ) a on a.day = d.day
         ) as days
    from range r`,
)

/**
 * Reads the figures of a project for a range of days and for as many days before. Throws `validation_error` for a range that
 * ends before it begins, or is too long.
 */
export async function readOverview(tx: Tx, { team_id, project_id }: ProjectRef, query: RangeQuery): Promise<OverviewRow> {
  return requireRange(await read(tx, { team_id, project_id, ...rangeValues(query) }))[0]
}
