import { ApiError } from '@earshot/contracts'
import type { PublicAccessQuery, PublicAccessRow } from '../access.ts'
import { type Tx, transaction } from '../driver/database.ts'
import { batched } from '../sql/batch.ts'
import { checkResponse, type NewResponse, storeInPlace } from './respond.ts'
import { type CheckedResponse, type Receipt, type StoredResponse, storeResponses } from './store-responses.ts'
import { readPublicSurveys, type SurveyToAnswer } from './survey-to-answer.ts'

/** A response from the public plane, with the request that brings it. */
interface PublicResponse {
  publicAccess: PublicAccessQuery
  survey_id: string
  given: NewResponse
  /** Keyed hash of the answers and the address. */
  fingerprint: Buffer
}

/** What became of a response whose request was counted. */
type Outcome = { receipt: Receipt } | { error: unknown }

/** A response that is to be stored; one whose place must be counted is stored with that, by itself. */
interface ToStore {
  checked: CheckedResponse
  isLimited: boolean
}

/** What reading returned, for when a batch is run again item by item: its requests have been counted. */
const read = new WeakMap<PublicResponse, SurveyToAnswer>()

/**
 * Authorizes and stores a response of a visitor. Those that come together share two statements: the first authorizes and counts
 * the requests and reads the surveys, the second stores what they admit, so that no lock is held while answers are checked.
 * The same fingerprint within ten minutes is the first response again: nothing new is stored. `error` is what `createResponse`
 * throws. Throws where the request could not be counted.
 */
export async function receiveResponse(tx: Tx, response: PublicResponse): Promise<PublicAccessRow & Outcome> {
  try {
    const { outcome, ...survey } = await receiveEach(tx, response)
    if (!('checked' in outcome)) return { ...survey, ...outcome }
    return { ...survey, receipt: await transaction(tx, (tx) => storeInPlace(tx, outcome.checked, outcome)) }
  } catch (error) {
    const survey = read.get(response)
    if (!survey) throw error
    return { ...survey, error }
  }
}

const receiveEach = batched<PublicResponse, SurveyToAnswer & { outcome: Outcome | ToStore }>(receiveBatch, { maxBatches: 1 })

async function receiveBatch(tx: Tx, responses: PublicResponse[]): Promise<(SurveyToAnswer & { outcome: Outcome | ToStore })[]> {
  const surveys = await readOnce(tx, responses)
  const outcomes = responses.map((response, index) => check(response, surveys[index] as SurveyToAnswer))
  const toStore = outcomes.flatMap((outcome) => ('checked' in outcome && !outcome.isLimited ? [outcome.checked] : []))
  const stored = (await storeResponses(tx, toStore)).values()
  return surveys.map((survey, index) => {
    const outcome = outcomes[index] as Outcome | ToStore
    if (!('checked' in outcome) || outcome.isLimited) return { ...survey, outcome }
    const receipt = stored.next().value as StoredResponse
    return { ...survey, outcome: receipt.refusal ? { error: receipt.refusal } : { receipt } }
  })
}

function check({ survey_id, given, fingerprint }: PublicResponse, survey: SurveyToAnswer): Outcome | ToStore {
  const { team_id, project_id, repeated_id, repeated_at } = survey
  // Of a request that was refused, too.
  if (team_id === null || project_id === null) return { error: new ApiError('not_found') }
  // When the first one has closed the survey, too.
  if (repeated_id && repeated_at) return { receipt: { id: repeated_id, created_at: repeated_at } }
  try {
    const { isLimited, ...checked } = checkResponse({ team_id, project_id, survey_id }, survey, given)
    return { checked: { ...checked, fingerprint }, isLimited }
  } catch (error) {
    return { error }
  }
}

async function readOnce(tx: Tx, responses: PublicResponse[]): Promise<SurveyToAnswer[]> {
  const known = responses.flatMap((response) => read.get(response) ?? [])
  if (known.length === responses.length) return known
  const surveys = await readPublicSurveys(
    tx,
    responses.map(({ publicAccess, survey_id, given, fingerprint }) => ({
      publicAccess,
      query: { survey_id, version: given.survey_version ?? null, id: null, fingerprint: fingerprint.toString('hex') },
    })),
  )
  for (const [index, response] of responses.entries()) if (surveys[index]) read.set(response, surveys[index])
  return surveys
}
