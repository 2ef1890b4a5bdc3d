import { createPastResponses, createSurvey, publishSurvey, type SurveyRow, type Tx } from '@earshot/db'
import { makeId } from '@earshot/server'
import { npsResponses, npsSurvey } from './nps-survey.ts'
import type { DemoPlace } from './place.ts'
import { draftSurvey, productResponses, productSurvey } from './product-survey.ts'

/** Adds two surveys with their responses, and a draft. */
export async function fillSurveys({ tx, ...place }: DemoPlace): Promise<void> {
  const { ids, admin, member } = place
  await answer(tx, place, await createSurvey(tx, admin, ids, { fields: npsSurvey, makeId }), npsResponses)
  await answer(tx, place, await createSurvey(tx, admin, ids, { fields: productSurvey, makeId }), productResponses)
  await createSurvey(tx, member, ids, { fields: draftSurvey, makeId })
}

async function answer(tx: Tx, { ids, admin }: Omit<DemoPlace, 'tx'>, survey: SurveyRow, responsesTo: typeof npsResponses): Promise<void> {
  const ref = { ...ids, survey_id: survey.id }
  await publishSurvey(tx, admin, ref)
  await createPastResponses(tx, ref, responsesTo(survey))
}
