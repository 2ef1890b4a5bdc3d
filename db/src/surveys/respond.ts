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
import { quotaExceeded } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { batched } from '../sql/batch.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { visitor_fingerprints } from '../tables/submissions.ts'
import { type ResponseRow, survey_versions, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import { type AnswerBucket, answerBuckets } from './answer-buckets.ts'
import { presentResponse, responseTarget } from './responses.ts'
import type { SurveyRef, SurveyRow } from './surveys.ts'

/** The longest duration that the column holds. */
const MAX_DURATION_MS = 2_147_483_647

/** What a visitor learns of a response. */
export type Receipt = Pick<ResponseRow, 'id' | 'created_at'>

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
type SurveyToAnswer = Pick<SurveyRow, 'response_limit' | 'one_per_respondent'> & {
  /** Null, as its status, for a survey that is not there. */
  team_id: string | null
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
}

type SurveyQuery = SurveyRef & { version: number | null; id: string | null }

// A look-up for each request, by indexes: for a join the planner would read whole tables.
const readSurveys = statement<{ requests: string }, SurveyToAnswer>(
  (p) => sql`
  select s.team_id, s.status, s.response_limit, s.one_per_respondent, coalesce(s.closes_at <= now(), false) as is_past, s.asked_version, v.questions,
         t.nps_low_score_threshold, n.id as new_id, uuid_extract_timestamp(n.id) as created_at,
         (uuid_extract_timestamp(n.id) at time zone t.timezone)::date::text as day
    from jsonb_to_recordset(${p.requests}::jsonb) as r (number int, team_id uuid, project_id uuid, survey_id uuid, version int, id uuid)
   cross join lateral (select coalesce(r.id, uuidv7()) as id) n
    left join lateral (
           select s.*, coalesce(r.version, s.version) as asked_version
             from ${surveys} s
            where s.team_id = r.team_id and s.project_id = r.project_id and s.id = r.survey_id and s.deleted_at is null
            limit 1
         ) s on true
    left join lateral (
           select questions
             from ${survey_versions}
            where team_id = r.team_id and project_id = r.project_id and survey_id = r.survey_id and version = s.asked_version
            limit 1
         ) v on true
    left join lateral (
           select nps_low_score_threshold, timezone
             from ${teams}
            where id = r.team_id
            limit 1
         ) t on true
   order by r.number`,
)

/** Reads a survey with its questions; its status is null if there is no such survey. Requests that come together share a statement. */
const readSurvey = batched<SurveyQuery, SurveyToAnswer>(
  (tx, queries) => readSurveys(tx, { requests: JSON.stringify(queries.map((query, index) => ({ ...query, number: index + 1 }))) }),
  { maxBatches: 1 },
)

/** A checked response with what is stored beside it. */
interface NewRow {
  fields: Omit<ResponseRow, 'created_at' | 'deleted_at'>
  buckets: AnswerBucket[]
  payload: { response: SurveyResponse }
  /** Whether its score is below the threshold of the team. */
  is_low: boolean
  /** Hexadecimal. */
  fingerprint: string | null
}

type StoredRow = Receipt & { is_repeat: boolean } & (
    | { quota_max: null }
    | { quota_max: number; quota_used: number; quota_resets_at: string }
  )

const storeEach = statement<{ items: string }, StoredRow>(
  (p) => sql`
  select *
    from store_responses(${p.items}::jsonb)`,
)

/** Stores a response. Requests that come together share a statement. */
const store = batched<NewRow, StoredRow>(
  (tx, rows) => storeEach(tx, { items: JSON.stringify(rows.map((row, index) => ({ ...row, number: index + 1 }))) }),
  { maxBatches: 1 },
)

const findRepeated = statement<Omit<SurveyRef, 'survey_id'> & { fingerprint: Buffer }, Receipt>(
  (p) => sql`
  select record_id as id, uuid_extract_timestamp(record_id) as created_at
    from ${visitor_fingerprints}
   where team_id = ${p.team_id} and project_id = ${p.project_id} and fingerprint = ${p.fingerprint}
     and record_id >= uuid_at(now() - ${sql.raw(`interval '${durations.duplicateSubmissionMinutes} minutes'`)})`,
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
  const { row, ...checked } = await check(tx, ref, given, id)
  await storeChecked(tx, row, { ...checked, fingerprint: null, actor })
  return row
}

/**
 * Stores a response of a visitor. The same fingerprint within ten minutes is the first response again: nothing new is stored.
 * Throws what `createResponse` throws.
 */
export async function receiveResponse(tx: Tx, ref: SurveyRef, given: NewResponse, fingerprint: Buffer): Promise<Receipt> {
  const { team_id, project_id } = ref
  try {
    const { row, ...checked } = await check(tx, ref, given, null)
    return await storeChecked(tx, row, { ...checked, fingerprint })
  } catch (error) {
    // The first one may have closed the survey.
    if (!(error instanceof ApiError) || error.code !== 'state_conflict') throw error
    const [repeated] = await findRepeated(tx, { team_id, project_id, fingerprint })
    if (repeated) return repeated
    throw error
  }
}

interface Checked {
  row: ResponseRow
  /** Whether its place must be counted. */
  isLimited: boolean
  isLow: boolean
}

async function check(tx: Tx, ref: SurveyRef, given: NewResponse, id: string | null): Promise<Checked> {
  const { team_id, project_id, survey_id } = ref
  const survey = await readSurvey(tx, { team_id, project_id, survey_id, version: given.survey_version ?? null, id })
  const checked = requireAnswers(survey, given)
  const isLow = checked.nps_score !== null && checked.nps_score < survey.nps_low_score_threshold
  return { row: rowOf(ref, survey, given, checked), isLimited: survey.response_limit !== null, isLow }
}

/** Stores a response in one statement; where a place is counted or an actor recorded, in a transaction with that. */
async function storeChecked(
  tx: Tx,
  row: ResponseRow,
  { isLimited, isLow, fingerprint, actor }: Omit<Checked, 'row'> & { fingerprint: Buffer | null; actor?: Actor | undefined },
): Promise<Receipt> {
  const { created_at: _derived, deleted_at: _none, ...fields } = row
  const item: NewRow = {
    fields,
    buckets: answerBuckets(row.answers),
    payload: { response: presentResponse(row) },
    is_low: isLow,
    fingerprint: fingerprint?.toString('hex') ?? null,
  }
  const storeOne = async (tx: Tx) => {
    const { is_repeat, id, created_at, ...quota } = await store(tx, item)
    if (quota.quota_max !== null) {
      const resets_at = toTimestamp(quota.quota_resets_at)
      throw quotaExceeded({ quota: 'responses', limit: quota.quota_max, used: quota.quota_used, resets_at })
    }
    return { is_repeat, id, created_at }
  }
  if (!isLimited && !actor) return storeOne(tx)
  return transaction(tx, async (tx) => {
    const stored = await storeOne(tx)
    if (stored.is_repeat) return stored
    if (actor) await recordAudit(tx, actor, { ...responseTarget(row), action: 'response.created' })
    // After the quota: all respondents of a survey with a limit wait for each other here, and nobody locks the two in the other order.
    if (isLimited && (await takePlace(tx, row)).length === 0) throw notTaken('closed')
    return stored
  })
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
