import {
  ApiError,
  checkAnswers,
  durations,
  type FieldError,
  type GivenAnswer,
  type Question,
  type SurveyResponse,
} from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { emitEvent } from '../emit-event.ts'
import { consumeQuota } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { insertRecord, removeRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { visitor_fingerprints } from '../tables/submissions.ts'
import { survey_responses, survey_versions, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import type { SurveyRef, SurveyRow } from './surveys.ts'

/** The longest duration that the column holds. */
const MAX_DURATION_MS = 2_147_483_647

export type ResponseRow = typeof survey_responses.$inferSelect

/** What a visitor learns of a response. */
export type Receipt = Pick<ResponseRow, 'id' | 'created_at'>

export interface ResponseRef extends SurveyRef {
  response_id: string
}

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

/** A survey with what one of its versions asks; `questions` is null for a version that it does not have. */
type Asked = Pick<SurveyRow, 'status' | 'response_limit' | 'one_per_respondent'> & {
  asked_version: number
  questions: Question[] | null
  is_past: boolean
  nps_low_score_threshold: number
  /** For the response, unless it has one. */
  new_id: string
}

const COLUMNS = [
  'id',
  'team_id',
  'project_id',
  'survey_id',
  'survey_version',
  'respondent_external_id',
  'respondent_email',
  'respondent_name',
  'respondent_properties',
  'answers',
  'nps_score',
  'language',
  'channel',
  'hidden',
  'duration_ms',
  'is_only_one',
] as const

const ofSurvey = (p: Parameters<SurveyRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = ${p.survey_id}`
const here = (p: Parameters<ResponseRef>) => sql`${ofSurvey(p)} and id = ${p.response_id} and deleted_at is null`

/** Whether the survey of a response is there. */
export const surveyExists = (p: Parameters<SurveyRef>) => sql`exists (
         select
           from ${surveys}
          where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id} and deleted_at is null
       )`

const ask = statement<SurveyRef & { version: number | null }, Asked>(
  (p) => sql`
  select s.status, s.response_limit, s.one_per_respondent, coalesce(s.closes_at <= now(), false) as is_past,
         coalesce(${p.version}::int, s.version) as asked_version, v.questions, t.nps_low_score_threshold, uuidv7() as new_id
    from ${surveys} s
    join ${teams} t on t.id = s.team_id
    left join ${survey_versions} v
      on v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = coalesce(${p.version}::int, s.version)
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = ${p.survey_id} and s.deleted_at is null`,
)

const insert = insertRecord<ResponseRow>(survey_responses, COLUMNS)

// Of parallel statements one inserts a fingerprint; the others wait here, and get what it wrote.
const claim = statement<Omit<SurveyRef, 'survey_id'> & { fingerprint: Buffer }, Receipt & { is_repeat: boolean }>(
  (p) => sql`
  insert into ${visitor_fingerprints} as f (team_id, project_id, fingerprint, record_id)
  values (${p.team_id}, ${p.project_id}, ${p.fingerprint}, uuidv7())
  on conflict (team_id, project_id, fingerprint) do update set
    record_id = case
      when f.record_id < uuid_at(now() - ${sql.raw(`interval '${durations.duplicateSubmissionMinutes} minutes'`)}) then excluded.record_id
      else f.record_id
    end
  returning new.record_id as id, uuid_extract_timestamp(new.record_id) as created_at,
            coalesce(old.record_id = new.record_id, false) as is_repeat`,
)

const takePlace = statement<SurveyRef, { id: string }>(
  (p) => sql`
  update ${surveys}
     set response_count = response_count + 1,
         status = case when response_count + 1 >= response_limit then 'closed' else status end
   where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id}
     and status = 'active' and response_count < response_limit
  returning id`,
)

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

/**
 * Checks and stores a response with its events, and charges the quota. With an actor the audit log records it. Throws
 * `not_found`, `state_conflict` for a survey that takes no responses, `validation_error` with the `ref` of each question whose
 * answer is refused, `already_exists` for a respondent who may answer once, `quota_exceeded`.
 */
export function createResponse(
  tx: Tx,
  ref: SurveyRef,
  given: NewResponse,
  { actor, id }: { actor?: Actor; id?: string } = {},
): Promise<ResponseRow> {
  return transaction(tx, async (tx) => {
    const { team_id, project_id, survey_id } = ref
    const survey = (await ask(tx, { team_id, project_id, survey_id, version: given.survey_version ?? null }))[0] ?? notFound()
    const { answers, nps_score } = requireAnswers(survey, given)
    const row = onlyOne(
      await insert(tx, { ...columnsFor(survey, given), id: id ?? survey.new_id, team_id, project_id, survey_id, answers, nps_score }),
    )
    const response = presentResponse(row)
    await emitEvent(tx, { team_id, project_id, type: 'survey.response.created', data: { response } })
    if (nps_score !== null && nps_score < survey.nps_low_score_threshold) {
      await emitEvent(tx, { team_id, project_id, type: 'nps.low_score', data: { response } })
    }
    if (actor) await recordAudit(tx, actor, { ...target(row), action: 'response.created' })
    // Near the end of the transaction: all respondents of a survey with a limit meet at its row, all of a team at the quota's.
    if (survey.response_limit !== null && (await takePlace(tx, { team_id, project_id, survey_id })).length === 0) throw notTaken('closed')
    await consumeQuota(tx, team_id, 'responses')
    return row
  })
}

/**
 * Stores a response of a visitor. The same fingerprint within ten minutes is the first response again: nothing new is stored.
 * Throws what `createResponse` throws.
 */
export function receiveResponse(tx: Tx, ref: SurveyRef, given: NewResponse, fingerprint: Buffer): Promise<Receipt> {
  return transaction(tx, async (tx) => {
    const { team_id, project_id } = ref
    const { is_repeat, ...receipt } = onlyOne(await claim(tx, { team_id, project_id, fingerprint }))
    if (!is_repeat) await createResponse(tx, ref, given, { id: receipt.id })
    return receipt
  })
}

function requireAnswers({ status, is_past, questions, one_per_respondent }: Asked, { answers: given, respondent }: NewResponse) {
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

function columnsFor(
  { asked_version, one_per_respondent }: Asked,
  { respondent = {}, language = null, hidden = {}, channel, started_at }: NewResponse,
) {
  const { external_id = null, email = null, name = null, properties = {} } = respondent
  return {
    ...{ survey_version: asked_version, is_only_one: one_per_respondent, language, hidden, channel },
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

/** Finds a response. Throws `not_found`. */
export async function findResponse(tx: Tx, ref: ResponseRef): Promise<ResponseRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/** Hides a response at once and frees its place; a job removes it for good. Throws `not_found`. */
export function deleteResponse(tx: Tx, actor: Actor, ref: ResponseRef): Promise<void> {
  return transaction(tx, async (tx) => {
    const row = (await remove(tx, ref))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(row), action: 'response.deleted' })
    await freePlace(tx, ref)
  })
}

function target({ team_id, project_id, id }: ResponseRow) {
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
    answers: row.answers,
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
