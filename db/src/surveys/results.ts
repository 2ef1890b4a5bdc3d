import { ApiError, type Question } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type DaySpan, knownDay, splitRange } from '../sql/days.ts'
import { encodeCursor, type Page, pageBounds } from '../sql/pages.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { answer_totals, response_changes, response_days, survey_responses, survey_versions, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import { changeOfAnswers } from './response-figures.ts'
import type { SurveyRef } from './surveys.ts'

/** The most responses that one request reads for text answers. */
const WALK_ROWS = 1_000
/** Text answers of each question, unless one question is asked for. */
const NEWEST_TEXTS = 5

export interface ResultsQuery {
  from?: string | undefined
  to?: string | undefined
  survey_version?: number | undefined
  language?: string | undefined
  question_id?: string | undefined
  texts_cursor?: string | undefined
  texts_limit: number
}

/** How many answers to a question are in a bucket, and the sum of the numbers among them. */
export interface AnswerTotal {
  question_id: string
  bucket: string
  count: number
  sum: number
}

interface TextRow {
  question_id: string
  id: string
  value: string
  created_at: string
  position: number
}

interface ResultsRow {
  team_id: string
  survey_version: number
  /** Null for a version that the survey does not have. */
  questions: Question[] | null
  responses: number
  totals: AnswerTotal[]
  texts: TextRow[]
  /** The last response that was read for texts, while there may be more. */
  walked_to: string | null
}

/** A page of text answers to one question. */
type TextPage = Page<{ response_id: string; value: string; completed_at: string }>

export interface Results {
  survey_version: number
  questions: Question[]
  responses: number
  totals: AnswerTotal[]
  textsOf: (question: Question) => TextPage
}

type Values = SurveyRef & {
  version: number | null
  language: string | null
  question_id: string | null
  before: string
  take: number
  first: string | null
  last: string | null
} & Record<`${'months' | 'before_months' | 'after_months'}_${'from' | 'until'}`, string>

const ofSurvey = (p: Parameters<Values>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = ${p.survey_id}`
const isAsked = (p: Parameters<Values>) => sql`(${p.version}::int is null or survey_version = ${p.version}::int)
            and (${p.language}::text is null or language = ${p.language}::text)`
const isInRange = (p: Parameters<Values>) => sql`(${p.first}::date is null or day >= ${p.first}::date)
            and (${p.last}::date is null or day <= ${p.last}::date)`

/** Totals of whole months, of the days around them, and of what is not folded yet. */
function totals(p: Parameters<Values>): SQL {
  const folded = (period: string, from: SQL, until: SQL) => sql`
         select question_id, bucket, count, sum
           from ${answer_totals}
          where ${ofSurvey(p)} and period = ${sql.raw(`'${period}'`)} and start >= ${from}::date and start < ${until}::date
            and ${isAsked(p)}`
  return sql.join(
    [
      folded('month', sql`${p.months_from}`, sql`${p.months_until}`),
      folded('day', sql`${p.before_months_from}`, sql`${p.before_months_until}`),
      folded('day', sql`${p.after_months_from}`, sql`${p.after_months_until}`),
      sql`
         select a.question_id, a.bucket, c.amount, coalesce(c.amount * a.number, 0)
           from ${response_changes} c${changeOfAnswers}
          where ${ofSurvey(p)}
            and ${isAsked(p)}
            and ${isInRange(p)}`,
    ],
    sql`
          union all`,
  )
}

const readResults = statement<Values, ResultsRow>(
  (p) => sql`
  with walked as materialized (
    select id, answers, day, survey_version, language, deleted_at
      from ${survey_responses}
     where ${ofSurvey(p)}
       -- The range's end as an id, so that the walk begins there. Days alone decide what is in it.
       and id < least(${p.before}::uuid, (
             select uuid_at((${p.last}::date + 2)::timestamp at time zone t.timezone)
               from ${teams} t
              where t.id = ${p.team_id} and ${p.last}::date is not null
           ))
     order by id desc
     limit ${sql.raw(String(WALK_ROWS))}
  ),
  texts as (
    select t.*, row_number() over (partition by t.question_id order by t.id desc) as position
      from (
             select (a->>'question_id')::uuid as question_id, w.id, a->>'value' as value,
                    uuid_extract_timestamp(w.id)::text as created_at
               from walked w
              cross join lateral jsonb_array_elements(w.answers) a
              where w.deleted_at is null
                and ${isAsked(p)}
                and ${isInRange(p)}
                and a->>'type' in ('short_text', 'long_text', 'date', 'url')
           ) t
     where ${p.question_id}::uuid is null or t.question_id = ${p.question_id}::uuid
  )
  select s.team_id, coalesce(${p.version}::int, s.version) as survey_version, v.questions,
         (
           select coalesce(sum(d.responses), 0)::int
             from (
                    select responses
                      from ${response_days}
                     where ${ofSurvey(p)}
                       and ${isAsked(p)}
                       and ${isInRange(p)}
                     union all
                    select amount
                      from ${response_changes}
                     where ${ofSurvey(p)}
                       and ${isAsked(p)}
                       and ${isInRange(p)}
                  ) d
         ) as responses,
         (
           select coalesce(json_agg(f), '[]')
             from (
                    select t.question_id, t.bucket, sum(t.count)::int as count, sum(t.sum) as sum
                      from (${totals(p)}
                           ) t
                     where ${p.question_id}::uuid is null or t.question_id = ${p.question_id}::uuid
                     group by t.question_id, t.bucket
                    having sum(t.count) > 0
                  ) f
         ) as totals,
         (
           select coalesce(json_agg(t order by t.id desc), '[]')
             from texts t
            where t.position <= ${p.take}::int
         ) as texts,
         (
           select (array_agg(id order by id))[1]
             from walked
           having count(*) = ${sql.raw(String(WALK_ROWS))} and (${p.first}::date is null or min(day) >= ${p.first}::date)
         ) as walked_to
    from ${surveys} s
    left join ${survey_versions} v
      on v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = coalesce(${p.version}::int, s.version)
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = ${p.survey_id} and s.deleted_at is null`,
)

/**
 * Reads what the responses to a survey say, by question. Throws `not_found`, and `validation_error` for a version or a question
 * that the survey does not have.
 */
export async function findResults(tx: Tx, ref: SurveyRef, query: ResultsQuery): Promise<Results> {
  const { from, to, survey_version = null, language = null, question_id = null, texts_cursor, texts_limit } = query
  if (from !== undefined && to !== undefined && from > to) throw invalid('to', 'must not be before from')
  if (texts_cursor !== undefined && question_id === null) throw invalid('texts_cursor', 'belongs to one question: name it in question_id')
  const { before } = pageBounds({ cursor: texts_cursor, limit: texts_limit })
  const shown = question_id === null ? NEWEST_TEXTS : texts_limit
  const { months, before: head, after: tail } = splitRange({ from, to })
  const values = {
    ...{ team_id: ref.team_id, project_id: ref.project_id, survey_id: ref.survey_id },
    ...{ version: survey_version, language, question_id, before, take: shown + 1 },
    ...{ first: from === undefined ? null : knownDay(from), last: to === undefined ? null : knownDay(to) },
    ...namedSpan('months', months),
    ...namedSpan('before_months', head),
    ...namedSpan('after_months', tail),
  }
  const row = (await readResults(tx, values))[0] ?? notFound()
  if (row.questions === null) throw invalid('survey_version', 'is not a version of this survey')
  const questions = row.questions.filter(({ id }) => question_id === null || id === question_id)
  if (question_id !== null && questions.length === 0) throw invalid('question_id', 'is not a question of this version of the survey')
  const { responses, totals } = row
  return { survey_version: row.survey_version, questions, responses, totals, textsOf: ({ id }) => textPage(row, id, shown) }
}

/** The page of a question ends with its last answer, or where the walk over the responses ended. */
function textPage({ texts, walked_to }: ResultsRow, questionId: string, limit: number): TextPage {
  const found = texts.filter(({ question_id }) => question_id === questionId)
  const results = found
    .slice(0, limit)
    .map(({ id, value, created_at }) => ({ response_id: id, value, completed_at: toTimestamp(created_at) }))
  const last = found.length > limit ? results.at(-1)?.response_id : walked_to
  return { results, next_cursor: last ? encodeCursor(last) : null }
}

function namedSpan<Name extends string>(name: Name, { from, until }: DaySpan): Record<`${Name}_${'from' | 'until'}`, string> {
  // The two names are those of the type.
  return { [`${name}_from`]: from, [`${name}_until`]: until } as Record<`${Name}_${'from' | 'until'}`, string>
}

function invalid(field: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field, code: 'custom', detail }] })
}
