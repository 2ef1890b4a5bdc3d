import type { Channel } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Below, below, rowsBelow } from '../sql/nested-lists.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { type Parameters, statementsByKey } from '../sql/statement.ts'
import { type ResponseRow, survey_responses } from '../tables/surveys.ts'
import { surveyExists } from './responses.ts'
import type { SurveyRef } from './surveys.ts'

export interface ResponseFilters {
  survey_version?: number | undefined
  min_score?: number | undefined
  max_score?: number | undefined
  completed_after?: string | undefined
  completed_before?: string | undefined
  language?: string | undefined
  channel?: Channel | undefined
  external_id?: string | undefined
  question_id?: string | undefined
  value?: string | undefined
}

const FILTERS = ['channel', 'external_id', 'language', 'max_score', 'min_score', 'question_id', 'survey_version', 'value'] as const

/** Whether answers that are e-mail addresses can be searched for. */
interface Reach {
  searchEmail: boolean
}

type Values = SurveyRef & Omit<ResponseFilters, 'completed_after' | 'completed_before'> & PageBounds & Reach

/** Filters without an index of their own. */
const conditions: Record<string, (p: Parameters<Values>) => SQL> = {
  survey_version: (p) => sql`s.survey_version = ${p.survey_version}::int`,
  min_score: (p) => sql`s.nps_score >= ${p.min_score}::int`,
  max_score: (p) => sql`s.nps_score <= ${p.max_score}::int`,
  language: (p) => sql`s.language = ${p.language}`,
  channel: (p) => sql`s.channel = ${p.channel}`,
  question_id: (p) => sql`s.answers @> jsonb_build_array(jsonb_build_object('question_id', ${p.question_id}::text))`,
  value: (p) => sql`exists (${answersWith(p)})`,
  question_id_value: (p) => sql`exists (${answersWith(p)} and a->>'question_id' = ${p.question_id}::text)`,
}

/** A choice of several is an answer too. */
const answersWith = (p: Parameters<Values>) => sql`
             select
               from jsonb_array_elements(s.answers) a
              where (a->>'value' = ${p.value}::text or a->'value' @> to_jsonb(${p.value}::text))
                and (${p.searchEmail}::boolean or a->>'type' <> 'email')`

const list = statementsByKey<Values, Below<Listed<ResponseRow>>>((key, p) => {
  const [span, ...filters] = key.split(',')
  const driver = filters.includes('external_id') ? sql` and s.respondent_external_id = ${p.external_id}` : sql``
  const source = sql`
      from ${survey_responses} s
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.survey_id = ${p.survey_id}${driver}`
  const others = filters.flatMap((name) => conditions[name]?.(p) ?? [])
  const isThere = sql`s.deleted_at is null`
  const columns = columnsOf(survey_responses, 's')
  const walked =
    others.length === 0
      ? indexedList(walkOf(sql`${source} and ${isThere}`, sql`s.id`, span), columns)
      : scannedList(walkOf(source, sql`s.id`, span), [isThere, ...others], columns)
  return below(surveyExists(p), walked)
})

/** Lists the responses to a survey, newest first. Throws `not_found` for an unknown survey. */
export async function listResponses<Item>(
  tx: Tx,
  { team_id, project_id, survey_id, limit, cursor, created_after, created_before, ...given }: PageQuery & ResponseFilters & SurveyRef,
  { searchEmail }: Reach,
  present: (row: ResponseRow) => Item,
): Promise<Page<Item>> {
  const { completed_after, completed_before, ...filters } = given
  // A response arrives complete: the time of its id is both.
  const after = narrowest([created_after, completed_after], Math.max)
  const before = narrowest([created_before, completed_before], Math.min)
  const bounds = pageBounds({ limit, cursor, created_after: after, created_before: before })
  const key = [spanOf({ created_after: after }), ...keysOf(filters)].join(',')
  const rows = await list(key)(tx, { ...filters, ...bounds, searchEmail, team_id, project_id, survey_id })
  return listedPage(rowsBelow(rows), limit, present)
}

/** An answer to a question is one condition, not one on each. */
function keysOf(filters: ResponseFilters): string[] {
  const names = FILTERS.filter((name) => filters[name] !== undefined)
  const isAnswer = filters.question_id !== undefined && filters.value !== undefined
  return isAnswer ? [...names.filter((name) => name !== 'question_id' && name !== 'value'), 'question_id_value'] : names
}

function narrowest(times: (string | undefined)[], pick: (...ms: number[]) => number): string | undefined {
  const known = times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]))
  return known.length === 0 ? undefined : new Date(pick(...known)).toISOString()
}
