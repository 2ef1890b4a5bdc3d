import type { SurveyResponse } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { removeRecord } from '../sql/records.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { type ResponseRow, survey_responses, surveys } from '../tables/surveys.ts'
import { noteDeletedResponse } from './response-figures.ts'
import type { SurveyRef } from './surveys.ts'

export interface ResponseRef extends SurveyRef {
  response_id: string
}

const ofSurvey = (p: Parameters<SurveyRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = ${p.survey_id}`
const here = (p: Parameters<ResponseRef>) => sql`${ofSurvey(p)} and id = ${p.response_id} and deleted_at is null`

/** Whether the survey of a response is there. */
export const surveyExists = (p: Parameters<SurveyRef>) => sql`exists (
         select
           from ${surveys}
          where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id} and deleted_at is null
       )`

const freePlace = statement<SurveyRef, never>(
  (p) => sql`
  update ${surveys}
     set response_count = greatest(response_count - 1, 0)
   where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id} and response_limit is not null`,
)

const find = statement<ResponseRef, ResponseRow>(
  (p) => sql`
  select ${columnsOf(survey_responses)}
    from ${survey_responses}
   where ${here(p)} and ${surveyExists(p)}`,
)

const remove = removeRecord<ResponseRef, ResponseRow>(survey_responses, (p) => sql`${here(p)} and ${surveyExists(p)}`)

/** Finds a response. Throws `not_found`. */
export async function findResponse(tx: Tx, ref: ResponseRef): Promise<ResponseRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/** Hides a response at once, takes it out of all figures and frees its place; a job removes it for good. Throws `not_found`. */
export function deleteResponse(tx: Tx, actor: Actor, ref: ResponseRef): Promise<void> {
  return transaction(tx, async (tx) => {
    const row = (await remove(tx, ref))[0] ?? notFound()
    await noteDeletedResponse(tx, row)
    await recordAudit(tx, actor, { ...responseTarget(row), action: 'response.deleted' })
    await freePlace(tx, ref)
  })
}

/** What an audit entry says of a response. */
export function responseTarget({ team_id, project_id, id }: ResponseRow) {
  return { team_id, project_id, target: 'response', target_id: id }
}

/** Presents a response as the API and its events show it. */
export function presentResponse(row: ResponseRow): SurveyResponse {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    survey_id: row.survey_id,
    survey_version: row.survey_version,
    respondent: {
      external_id: row.respondent_external_id,
      email: row.respondent_email,
      name: row.respondent_name,
      properties: row.respondent_properties,
    },
    // They were checked against the questions' types.
    answers: row.answers as SurveyResponse['answers'],
    nps_score: row.nps_score,
    language: row.language,
    channel: row.channel,
    hidden: row.hidden,
    // A response arrives complete.
    completed_at: toTimestamp(row.created_at),
    duration_ms: row.duration_ms,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
