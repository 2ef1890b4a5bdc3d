import { z } from 'zod'
import { fixedScales } from '../limits.ts'
import { NoContent, operation } from '../operation.ts'
import { EXPORTING, exported } from '../schemas/export.ts'
import { createdSpan, Id, instant, Language, listOf, SEARCHING, Search, TimedPage, text } from '../schemas/primitives.ts'
import { Channel } from '../schemas/submission.ts'
import { newResponse, SurveyResponse, SurveyVersion } from '../schemas/survey-response.ts'
import { SURVEY, SurveyRef } from './paths.ts'

const RESPONSE = `${SURVEY}/responses/{response_id}` as const
const ResponseRef = SurveyRef.extend({ response_id: Id.meta({ description: 'The response.' }) })

const score = z.int().min(fixedScales.nps.min).max(fixedScales.nps.max).optional()

/** What a list and an export can be narrowed to. */
const filters = {
  survey_version: SurveyVersion.optional().meta({ description: 'Only responses to this version.' }),
  min_score: score.meta({ description: 'Only responses with at least this NPS score.', example: 9 }),
  max_score: score.meta({ description: 'Only responses with at most this NPS score.', example: 6 }),
  completed_after: instant('Only responses completed at or after this time.').optional(),
  completed_before: instant('Only responses completed before this time.').optional(),
  language: Language.optional().meta({ description: 'Only responses in this language.' }),
  channel: Channel.optional(),
  external_id: text(200, 1).optional().meta({ description: 'Only responses of the respondent with this external id.' }),
  question_id: Id.optional().meta({ description: 'Only responses that answer this question.' }),
  search: Search.optional().meta({
    description: `Only responses with all these words, or parts of words, in the answers or in the name of the respondent. ${SEARCHING}`,
  }),
  value: text(200).optional().meta({
    description:
      'With `question_id`: only responses that give this answer, or choose this option. Answers that are e-mail addresses are found only with read:contacts.',
  }),
}

export const responses = {
  list: operation({
    method: 'GET',
    path: `${SURVEY}/responses/`,
    summary: 'List the responses to a survey',
    description:
      'Newest first. With a selective filter or a search, a page can be short, even empty, before the last page, because each request examines a limited number of records.',
    scope: 'read:responses',
    role: 'viewer',
    input: SurveyRef.extend({
      ...TimedPage.shape,
      ...filters,
    }),
    output: listOf('SurveyResponse', SurveyResponse),
  }),
  export: operation({
    method: 'GET',
    path: `${SURVEY}/responses/export/`,
    stream: 'records',
    summary: 'Export the responses to a survey',
    description: `With the filters of the list. ${EXPORTING} Each question of the survey is a column \`answers.<ref>\`.`,
    scope: 'read:responses',
    role: 'member',
    input: SurveyRef.extend({ ...exported, ...createdSpan, ...filters }),
    output: SurveyResponse,
  }),
  create: operation({
    method: 'POST',
    path: `${SURVEY}/responses/`,
    status: 201,
    summary: 'Record a response to a survey',
    description:
      'For answers that you collected elsewhere, such as by telephone. Sends `survey.response.created`, and `nps.low_score` for a score below the threshold of the team. Returns 409 `state_conflict` for a survey that takes no responses, and 409 `already_exists` for a respondent who has answered a survey with `one_per_respondent`.',
    scope: 'write:responses',
    role: 'member',
    quota: 'responses',
    errors: ['state_conflict', 'already_exists'],
    input: SurveyRef.extend(newResponse),
    output: SurveyResponse,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${RESPONSE}/`,
    summary: 'Retrieve a response',
    scope: 'read:responses',
    role: 'viewer',
    input: ResponseRef,
    output: SurveyResponse,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${RESPONSE}/`,
    summary: 'Delete a response',
    description:
      'The response disappears at once from lists and figures. Its place towards `response_limit` becomes free; a closed survey stays closed.',
    scope: 'write:responses',
    role: 'member',
    input: ResponseRef,
    output: NoContent,
  }),
}
