import type { Question } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type PublicAccessQuery, type PublicAccessRow, publicAccessRequests, requireInOrder } from '../access.ts'
import type { Tx } from '../driver/database.ts'
import { batched, numbered } from '../sql/batch.ts'
import { statement } from '../sql/statement.ts'
import type { SurveyRef, SurveyRow } from './surveys.ts'

/** A survey with what one of its versions asks; `questions` is null for a version that it does not have. */
export type SurveyToAnswer = PublicAccessRow &
  Pick<SurveyRow, 'response_limit' | 'one_per_respondent'> & {
    number: number
    /** Null, as its team and project, for a survey that is not there. */
    status: SurveyRow['status'] | null
    asked_version: number
    questions: Question[] | null
    is_past: boolean
    nps_low_score_threshold: number
    /** Of the response. */
    new_id: string
    created_at: string
    /** On which the response arrives, in the team's time zone. */
    day: string
    /** The response with the same fingerprint within ten minutes. */
    repeated_id: string | null
    repeated_at: string | null
  }

export interface SurveyQuery {
  survey_id: string
  /** The current one when null. */
  version: number | null
  /** Of the response; a new one when null. */
  id: string | null
  /** Hexadecimal. */
  fingerprint: string | null
}

const readSurveys = statement<{ items: string; accesses: string }, SurveyToAnswer>(
  (p) => sql`
  select *
    from surveys_to_answer(
      ${p.items}::jsonb, array(select a from jsonb_populate_recordset(null::public_access_row, ${p.accesses}::jsonb) a)
    )`,
)

/** Reads a survey of a team, with its questions. Requests that come together share a statement. */
export const readSurvey = batched<{ ref: SurveyRef; query: SurveyQuery }, SurveyToAnswer>(
  (tx, requests) =>
    readSurveys(tx, {
      items: numbered(requests.map(({ query }) => query)),
      accesses: numbered(requests.map(({ ref }) => ref)),
    }),
  { maxBatches: 1 },
)

const authorizeAndRead = statement<{ items: string; requests: string }, SurveyToAnswer>(
  (p) => sql`
  select *
    from surveys_to_answer(${p.items}::jsonb, array(select a from public_access(${p.requests}::jsonb) a))`,
)

/** Authorizes and counts requests of respondents, and reads the survey of each, in one round trip. */
export async function readPublicSurveys(
  tx: Tx,
  requests: readonly { publicAccess: PublicAccessQuery; query: SurveyQuery }[],
): Promise<SurveyToAnswer[]> {
  const rows = await authorizeAndRead(tx, {
    items: numbered(requests.map(({ query }) => query)),
    requests: JSON.stringify(publicAccessRequests(requests.map(({ publicAccess }) => publicAccess))),
  })
  requireInOrder(rows)
  return rows
}
