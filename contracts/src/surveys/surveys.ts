import { z } from 'zod'
import { sizes } from '../limits.ts'
import { NoContent, operation } from '../operation.ts'
import { PROJECT, ProjectRef } from '../paths.ts'
import { dayRange } from '../schemas/figures.ts'
import { Cursor, Id, instant, Language, listOf, Name, Page } from '../schemas/primitives.ts'
import { QuestionInput } from '../schemas/question.ts'
import { fitsAsStoredJson } from '../schemas/stored-json.ts'
import { Survey, SurveyStatus, ThankYouText, Translations } from '../schemas/survey.ts'
import { SurveyVersion } from '../schemas/survey-response.ts'
import { SurveyResults, SurveySummary } from '../schemas/survey-results.ts'
import { faultsOf } from './definition.ts'
import { SURVEY, SurveyRef } from './paths.ts'

const MAX_RESPONSES = 10_000_000

const QuestionsInput = z
  .array(QuestionInput)
  .max(sizes.surveyQuestions)
  .superRefine((questions, ctx) => {
    for (const { path, detail } of faultsOf(questions)) ctx.addIssue({ code: 'custom', path, message: detail })
    if (!fitsAsStoredJson(questions, sizes.surveyBytes)) {
      ctx.addIssue({ code: 'custom', message: `must be at most ${sizes.surveyBytes} bytes of JSON` })
    }
  })
  .meta({ description: `Questions in their order, at most ${sizes.surveyQuestions} and 64 KB. Replaces the whole list.` })

const name = Name.meta({ description: 'Name for your team.', example: 'NPS after onboarding' })
const settings = {
  language: Language.optional().meta({ description: 'Language of the texts in `questions`. Default `en`.' }),
  translations: Translations.optional(),
  thank_you_text: ThankYouText.nullable().optional(),
  closes_at: instant('Time when it stops taking responses.').nullable().optional(),
  response_limit: z
    .int()
    .min(1)
    .max(MAX_RESPONSES)
    .nullable()
    .optional()
    .meta({ description: 'Number of responses after which it closes; responses that it has already count.', example: 500 }),
  one_per_respondent: z.boolean().optional().meta({
    description: 'Whether a respondent, by external id or e-mail address, answers only once (409 `already_exists`), from now on.',
  }),
}

const summaries = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/surveys/summaries/`,
    summary: 'List the figures of all surveys',
    description:
      'How many responded to each survey of a project, and its main score, exact at the moment of the request. Surveys come in the order of `surveys.list`, and the cursors of both lists are the same.',
    scope: 'read:surveys',
    role: 'viewer',
    input: ProjectRef.extend({ ...Page.shape, status: SurveyStatus.optional() }),
    output: listOf('SurveySummary', SurveySummary),
  }),
}

export const surveys = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/surveys/`,
    summary: 'List the surveys of a project',
    scope: 'read:surveys',
    role: 'viewer',
    input: ProjectRef.extend({ ...Page.shape, status: SurveyStatus.optional() }),
    output: listOf('Survey', Survey),
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/surveys/`,
    status: 201,
    summary: 'Create a survey',
    description: 'A new survey is a draft. Publish it to take responses.',
    scope: 'write:surveys',
    role: 'member',
    input: ProjectRef.extend({ name, questions: QuestionsInput.optional(), ...settings }),
    output: Survey,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${SURVEY}/`,
    summary: 'Retrieve a survey',
    scope: 'read:surveys',
    role: 'viewer',
    input: SurveyRef,
    output: Survey,
  }),
  update: operation({
    method: 'PATCH',
    path: `${SURVEY}/`,
    summary: 'Update a survey',
    description:
      'Only the given fields change; `questions` and `translations` are replaced as a whole. A question keeps its id, and its results, while its `ref` or `id` and its type stay the same. Changing questions or texts after publication makes a new version; responses keep the version that they answered. With `expected_updated_at`, the survey changes only if nobody else changed it since.',
    scope: 'write:surveys',
    role: 'member',
    errors: ['state_conflict'],
    input: SurveyRef.extend({
      name: name.optional(),
      questions: QuestionsInput.optional(),
      ...settings,
      expected_updated_at: instant(
        'The `updated_at` that you read. If the survey changed since, the request returns 409 `state_conflict` with its present `updated_at`.',
      ).optional(),
    }),
    output: Survey,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${SURVEY}/`,
    summary: 'Delete a survey',
    description: 'The survey and its responses disappear at once.',
    scope: 'write:surveys',
    role: 'member',
    input: SurveyRef,
    output: NoContent,
  }),
  publish: operation({
    method: 'POST',
    path: `${SURVEY}/publish/`,
    summary: 'Publish a survey',
    description:
      'The survey takes responses. A closed one is opened again. Repeating the request has no effect. Returns 409 `state_conflict` for a survey without questions, and while `closes_at` is past or `response_limit` is reached.',
    scope: 'write:surveys',
    role: 'member',
    errors: ['state_conflict'],
    input: SurveyRef,
    output: Survey,
  }),
  close: operation({
    method: 'POST',
    path: `${SURVEY}/close/`,
    summary: 'Close a survey',
    description: 'The survey takes no more responses. Repeating the request has no effect. Returns 409 `state_conflict` for a draft.',
    scope: 'write:surveys',
    role: 'member',
    errors: ['state_conflict'],
    input: SurveyRef,
    output: Survey,
  }),
  results: operation({
    method: 'GET',
    path: `${SURVEY}/results/`,
    summary: 'Retrieve the results of a survey',
    description:
      'Exact at the moment of the request. Without `from` and `to`, all responses count. The questions are those of the current version, or of `survey_version`; a question keeps its results over versions. Text answers come newest first: the latest of each question, or with `question_id` page by page.',
    scope: 'read:surveys',
    role: 'viewer',
    input: SurveyRef.extend({
      ...dayRange,
      survey_version: SurveyVersion.optional().meta({ description: 'Only responses to this version, and its questions.' }),
      language: Language.optional().meta({ description: 'Only responses in this language.' }),
      question_id: Id.optional().meta({ description: 'Only this question.' }),
      texts_cursor: Cursor.optional().meta({ description: 'The `next_cursor` of the `texts` of this question. Needs `question_id`.' }),
      texts_limit: z
        .int()
        .min(1)
        .max(sizes.pageItems)
        .default(sizes.pageItemsDefault)
        .meta({ description: 'Maximum number of text answers, with `question_id`.' }),
    }),
    output: SurveyResults,
  }),
  summaries,
}
