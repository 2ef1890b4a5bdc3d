import type { Tx } from '../driver/database.ts'
import { checkResponse, type NewResponse } from './respond.ts'
import { storeResponses } from './store-responses.ts'
import { readSurvey } from './survey-to-answer.ts'
import type { SurveyRef } from './surveys.ts'

/** How many responses a statement stores. */
const BATCH = 100

/** A response with the id that it gets, which begins with the time of its arrival. */
export type PastResponse = NewResponse & { id: string }

/** Checks and stores responses of an earlier time, as `createResponse` does with one. Throws what that throws, for the first one refused. */
export async function createPastResponses(tx: Tx, ref: SurveyRef, responses: readonly PastResponse[]): Promise<void> {
  for (let first = 0; first < responses.length; first += BATCH) await storeBatch(tx, ref, responses.slice(first, first + BATCH))
}

async function storeBatch(tx: Tx, ref: SurveyRef, responses: readonly PastResponse[]): Promise<void> {
  const queries = responses.map(({ id, survey_version = null }) => ({
    survey_id: ref.survey_id,
    version: survey_version,
    id,
    fingerprint: null,
  }))
  const surveys = await Promise.all(queries.map((query) => readSurvey(tx, { ref, query })))
  const checked = surveys.map((survey, index) => {
    const { isLimited, ...response } = checkResponse(ref, survey, responses[index] as PastResponse)
    if (isLimited) throw new RangeError('A survey with a limit counts its places one by one')
    return { ...response, fingerprint: null }
  })
  for (const { refusal } of await storeResponses(tx, checked)) if (refusal) throw refusal
}
