import { ApiError, checkAnswers, type FieldError, type GivenAnswer } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ResponseRow, surveys } from '../tables/surveys.ts'
import { responseTarget } from './responses.ts'
import { type CheckedResponse, type Receipt, storeResponses } from './store-responses.ts'
import { readSurvey, type SurveyToAnswer } from './survey-to-answer.ts'
import type { SurveyRef, SurveyRow } from './surveys.ts'

/** The longest duration that the column holds. */
const MAX_DURATION_MS = 2_147_483_647

/** A response as it is given, its answers unchecked. */
export interface NewResponse {
  answers: readonly GivenAnswer[]
  channel: ResponseRow['channel']
  /** The current version unless given. */
  survey_version?: number | undefined
  respondent?:
    | {
        external_id?: string | null | undefined
        email?: string | null | undefined
        name?: string | null | undefined
        properties?: Record<string, unknown> | undefined
      }
    | undefined
  language?: string | null | undefined
  hidden?: Record<string, unknown> | undefined
  started_at?: string | null | undefined
}

const takePlace = statement<SurveyRef, { id: string }>(
  (p) => sql`
  update ${surveys}
     set response_count = response_count + 1,
         status = case when response_count + 1 >= response_limit then 'closed' else status end
   where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id}
     and status = 'active' and response_count < response_limit
  returning id`,
)

/**
 * Checks and stores a response with its events, and charges the quota. With an actor the audit log records it. Throws
 * `not_found`, `state_conflict` for a survey that takes no responses, `validation_error` with the `ref` of each question whose
 * answer is refused, `already_exists` for a respondent who may answer once, `quota_exceeded`.
 */
export async function createResponse(
  tx: Tx,
  ref: SurveyRef,
  given: NewResponse,
  { actor, id = null }: { actor?: Actor; id?: string | null } = {},
): Promise<ResponseRow> {
  const query = { survey_id: ref.survey_id, version: given.survey_version ?? null, id, fingerprint: null }
  const { isLimited, ...checked } = checkResponse(ref, await readSurvey(tx, { ref, query }), given)
  await transaction(tx, async (tx) => {
    if (actor) await recordAudit(tx, actor, { ...responseTarget(checked.row), action: 'response.created' })
    await storeInPlace(tx, { ...checked, fingerprint: null }, { isLimited })
  })
  return checked.row
}

/** Checks a response to a survey. `isLimited` says that its place must be counted. Throws what `createResponse` throws of these. */
export function checkResponse(
  ref: SurveyRef,
  survey: SurveyToAnswer,
  given: NewResponse,
): Omit<CheckedResponse, 'fingerprint'> & { isLimited: boolean } {
  const checked = requireAnswers(survey, given)
  const isLow = checked.nps_score !== null && checked.nps_score < survey.nps_low_score_threshold
  return { row: rowOf(ref, survey, given, checked), isLow, isLimited: survey.response_limit !== null }
}

/** Stores a response in the caller's transaction, and counts its place where the survey has a limit. */
export async function storeInPlace(tx: Tx, checked: CheckedResponse, { isLimited }: { isLimited: boolean }): Promise<Receipt> {
  const [stored] = await storeResponses(tx, [checked])
  if (!stored) throw new Error('store_responses() returned no row')
  if (stored.refusal) throw stored.refusal
  // Last: all respondents of a survey with a limit wait for each other here, and nobody locks it before the quota.
  if (isLimited && !stored.is_repeat && (await takePlace(tx, checked.row)).length === 0) throw notTaken('closed')
  return stored
}

function requireAnswers({ status, is_past, questions, one_per_respondent }: SurveyToAnswer, { answers: given, respondent }: NewResponse) {
  if (status === null) notFound()
  if (status !== 'active' || is_past) throw notTaken(status === 'active' ? 'closed' : status)
  if (questions === null) throw invalid([{ field: 'survey_version', code: 'unknown_version', detail: 'is not a version of this survey' }])
  const { errors, ...checked } = checkAnswers(questions, given)
  if (errors.length > 0) throw invalid(errors)
  if (one_per_respondent && !respondent?.external_id && !respondent?.email) {
    const detail = 'must have an external_id or an e-mail address, because each respondent answers this survey once'
    throw invalid([{ field: 'respondent', code: 'required', detail }])
  }
  return checked
}

function rowOf(
  { team_id, project_id, survey_id }: SurveyRef,
  survey: SurveyToAnswer,
  { answers: _given, survey_version: _asked, respondent = {}, language = null, hidden = {}, channel, started_at }: NewResponse,
  checked: Pick<ResponseRow, 'answers' | 'nps_score'>,
): ResponseRow {
  const { external_id = null, email = null, name = null, properties = {} } = respondent
  const { asked_version, one_per_respondent, new_id, day, created_at } = survey
  return {
    ...{ team_id, project_id, survey_id, id: new_id, survey_version: asked_version, is_only_one: one_per_respondent },
    ...{ ...checked, language, hidden, channel, day, created_at, updated_at: created_at, deleted_at: null },
    respondent_external_id: external_id,
    respondent_email: email,
    respondent_name: name,
    respondent_properties: properties,
    duration_ms: durationSince(started_at),
  }
}

/** Null for a start that is unknown, in the future or out of range: the clock is the respondent's. */
function durationSince(started_at: string | null | undefined): number | null {
  if (!started_at) return null
  const ms = Date.now() - Date.parse(started_at)
  return ms >= 0 && ms <= MAX_DURATION_MS ? ms : null
}

function notTaken(current_state: SurveyRow['status']): ApiError {
  return new ApiError('state_conflict', { current_state, detail: 'The survey takes no responses.' })
}

function invalid(errors: FieldError[]): ApiError {
  return new ApiError('validation_error', { errors })
}
