import { z } from 'zod'
import { durations } from '../durations.ts'
import { sizes } from '../limits.ts'
import { operation } from '../operation.ts'
import { PUBLIC } from '../paths.ts'
import { Id, Language, text, timestamp } from '../schemas/primitives.ts'
import { Question } from '../schemas/question.ts'
import { ThankYouText } from '../schemas/survey.ts'
import { newResponse } from '../schemas/survey-response.ts'

const PUBLIC_SURVEY = `${PUBLIC}/surveys/{survey_id}` as const
const PublicSurveyRef = z.strictObject({ survey_id: Id.meta({ description: 'The survey.' }) })

const PublicSurvey = z
  .object({
    id: Id,
    status: z
      .enum(['active', 'closed'])
      .meta({ id: 'PublicSurveyStatus', description: 'Only an active survey takes responses.', example: 'active' }),
    version: z.int().meta({ description: 'Send it as `survey_version` with the answers.' }),
    language: z.string().meta({ description: 'Language of the texts: the best match, or that of the survey.', example: 'en' }),
    languages: z.array(z.string()).meta({ description: 'Languages that the survey has, its own first.', example: ['en', 'de'] }),
    questions: z.array(Question).meta({ description: 'Questions in their order.' }),
    thank_you_text: ThankYouText.nullable(),
    form_token: z.string().meta({ description: 'Send it back with the answers. It proves when the survey was opened.' }),
  })
  .meta({ id: 'PublicSurvey', description: 'What a respondent needs.' })

/** Surveys for respondents, on the public plane. */
export const publicSurveys = {
  retrieve: operation({
    method: 'GET',
    path: `${PUBLIC_SURVEY}/`,
    access: 'public',
    summary: 'Retrieve a survey to answer it',
    description: 'Drafts are not found.',
    input: PublicSurveyRef.extend({
      language: Language.optional().meta({ description: 'Preferred language. The best match is returned, or the language of the survey.' }),
    }),
    output: PublicSurvey,
  }),
}

/** Responses of visitors, on the public plane. */
export const publicResponses = {
  create: operation({
    method: 'POST',
    path: `${PUBLIC_SURVEY}/responses/`,
    access: 'public',
    authorizesWithWork: true,
    status: 201,
    summary: 'Answer a survey',
    description: `Repeating the same answers from the same IP address within ${durations.duplicateSubmissionMinutes} minutes returns the same id and stores nothing new. Leave \`website\` empty: it detects bots. Returns 409 \`state_conflict\` for a closed survey.`,
    quota: 'responses',
    errors: ['state_conflict', 'already_exists'],
    input: PublicSurveyRef.extend({
      ...newResponse,
      form_token: text(512).nullable().optional().meta({ description: 'The `form_token` of the survey.', example: null }),
      website: text(sizes.urlCharacters).nullable().optional().meta({ description: 'Leave it empty.', example: '' }),
    }),
    output: z
      .object({ id: Id, created_at: timestamp('Time of the response.') })
      .meta({ id: 'ResponseReceipt', description: 'Confirmation of a response, for the respondent.' }),
  }),
}
