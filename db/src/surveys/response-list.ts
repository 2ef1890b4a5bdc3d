import type { Channel } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { responseText } from '../search/lists.ts'
import { candidates, type Picked, type SearchValues, search } from '../search/search.ts'
import { foundIn, foundPage, indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Below, below, rowsBelow } from '../sql/nested-lists.ts'
import { type Page, type PageQuery, pageBounds } from '../sql/pages.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement, statementsByKey } from '../sql/statement.ts'
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
  search?: string | undefined
}

const FILTERS = [
  'channel',
  'external_id',
  'language',
  'max_score',
  'min_score',
  'question_id',
  'search',
  'survey_version',
  'value',
] as const

/** Whether e-mail addresses can be searched for. */
interface Reach {
  searchEmail: boolean
}

type Values = SurveyRef & Omit<ResponseFilters, 'completed_after' | 'completed_before'> & SearchValues & Reach

/** Of the respondent; it has an index. */
const ofRespondent = (p: Parameters<Values>) => sql`s.respondent_external_id = ${p.external_id}`

/** Filters without an index of their own. */
const conditions: Record<string, (p: Parameters<Values>) => SQL> = {
  survey_version: (p) => sql`s.survey_version = ${p.survey_version}::int`,
  min_score: (p) => sql`s.nps_score >= ${p.min_score}::int`,
  max_score: (p) => sql`s.nps_score <= ${p.max_score}::int`,
  language: (p) => sql`s.language = ${p.language}`,
  channel: (p) => sql`s.channel = ${p.channel}`,
  question_id: (p) => sql`s.answers @> jsonb_build_array(jsonb_build_object('question_id', ${p.question_id}::text))`,
  value: (p) => sql`exists (${answersWith(p)})`,
  search: (p) => sql`search_fold(${responseText({ withEmail: false })}) like all (${p.patterns}::text[])`,
  searchEmail: (p) => sql`search_fold(${responseText({ withEmail: true })}) like all (${p.patterns}::text[])`,
  question_id_value: (p) => sql`exists (${answersWith(p)} and a->>'question_id' = ${p.question_id}::text)`,
}

/** A choice of several is an answer too. */
const answersWith = (p: Parameters<Values>) => sql`
             select
               from jsonb_array_elements(s.answers) a
              where (a->>'value' = ${p.value}::text or a->'value' @> to_jsonb(${p.value}::text))
                and (${p.searchEmail}::boolean or a->>'type' <> 'email')`

const findParent = statement<SurveyRef, { parent_exists: boolean }>((p) => sql`select ${surveyExists(p)} as parent_exists`)

const isThere = sql`s.deleted_at is null`
const columns = columnsOf(survey_responses, 's')

const list = statementsByKey<Values, Below<Listed<ResponseRow>>>((key, p) => {
  const [span, ...filters] = key.split(',')
  const driver = filters.includes('external_id') ? sql` and ${ofRespondent(p)}` : sql``
  const source = sql`
      from ${survey_responses} s
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.survey_id = ${p.survey_id}${driver}`
  const others = filters.flatMap((name) => conditions[name]?.(p) ?? [])
  const max = filters.some((name) => name.startsWith('search')) ? sql`${p.walked}::int` : undefined
  const walked =
    others.length === 0
      ? indexedList(walkOf(sql`${source} and ${isThere}`, sql`s.id`, span), columns)
      : scannedList(walkOf(source, sql`s.id`, span), [isThere, ...others], columns, max)
  return below(surveyExists(p), walked)
})

/** The candidates of a search that match, and the last one. */
const pick = statementsByKey<Values, Picked<ResponseRow>>((key, p) => {
  const [, ...filters] = key.split(',')
  const others = filters.flatMap((name) => (name === 'external_id' ? ofRespondent(p) : (conditions[name]?.(p) ?? [])))
  return sql`
    select ${columns}, c.id as candidate_id, s.id is not null as matches${candidates(p, sql`${p.survey_id}`)}
      left join lateral (
             select s.*
               from ${survey_responses} s
              where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.survey_id = ${p.survey_id} and s.id = c.id
              limit 1
           ) s on ${sql.join([isThere, sql`s.id >= ${p.after}`, ...others], sql` and `)}
     where s.id is not null or c.is_last
     order by c.place
     limit ${p.take}`
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
  const key = [spanOf({ created_after: after }), ...keysOf(filters, { searchEmail })].join(',')
  const values = {
    ...filters,
    ...bounds,
    walked: 0,
    patterns: [],
    segments: [],
    positions: [],
    searchEmail,
    team_id,
    project_id,
    survey_id,
  }
  if (filters.search === undefined) return listedPage(rowsBelow(await list(key)(tx, values)), limit, present)
  const { parent_exists } = onlyOne(await findParent(tx, values))
  if (!parent_exists) notFound()
  const found = await search(tx, {
    list: { team_id, project_id, list_id: survey_id },
    ...{ text: filters.search, bounds, isNarrowed: filters.external_id !== undefined },
    walk: async (tx, searched) => foundIn(rowsBelow(await list(key)(tx, { ...values, ...searched }))),
    pick: (tx, searched) => pick(key)(tx, { ...values, ...searched }),
  })
  return foundPage(found, limit, present)
}

/** An answer to a question is one condition, not one on each. */
function keysOf(filters: ResponseFilters, { searchEmail }: Reach): string[] {
  const given = FILTERS.filter((name) => filters[name] !== undefined)
  const names = given.map((name) => (name === 'search' && searchEmail ? 'searchEmail' : name))
  const isAnswer = filters.question_id !== undefined && filters.value !== undefined
  return isAnswer ? [...names.filter((name) => name !== 'question_id' && name !== 'value'), 'question_id_value'] : names
}

function narrowest(times: (string | undefined)[], pick: (...ms: number[]) => number): string | undefined {
  const known = times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]))
  return known.length === 0 ? undefined : new Date(pick(...known)).toISOString()
}
