import { z } from 'zod'
import { sizes } from '../limits.ts'
import { CreatedAt, Id, Language, Name, text, timestamp, UpdatedAt } from './primitives.ts'
import { Question, QuestionRef } from './question.ts'
import { fitsAsStoredJson } from './stored-json.ts'

export const SurveyStatus = z
  .enum(['draft', 'active', 'closed'])
  .meta({ id: 'SurveyStatus', description: 'Only an active survey takes responses.', example: 'active' })
export type SurveyStatus = z.infer<typeof SurveyStatus>

export const ThankYouText = text(2_000).meta({ description: 'Shown after the last question.', example: 'Thank you!' })

export const QuestionTexts = z
  .strictObject({
    title: text(500, 1).optional().meta({ description: 'The question.' }),
    description: text(2_000).optional().meta({ description: 'Explanation below the question.' }),
    low_label: text(100).optional().meta({ description: 'Label of the lowest value.' }),
    high_label: text(100).optional().meta({ description: 'Label of the highest value.' }),
    options: z.record(text(100, 1), text(200, 1)).optional().meta({ description: 'Labels by value of the option.' }),
  })
  .meta({ id: 'QuestionTexts', description: 'Texts of a question in another language. What is absent stays in the first language.' })

export type QuestionTexts = z.infer<typeof QuestionTexts>

const SurveyTexts = z
  .strictObject({
    questions: z.record(QuestionRef, QuestionTexts).optional().meta({ description: 'Texts by `ref` of the question.' }),
    thank_you_text: ThankYouText.optional(),
  })
  .meta({ id: 'SurveyTexts', description: 'The texts of a survey in another language.' })

export const Translations = z
  .record(Language, SurveyTexts)
  .refine((value) => Object.keys(value).length <= sizes.surveyLanguages, `must be at most ${sizes.surveyLanguages} languages`)
  .refine((value) => fitsAsStoredJson(value, sizes.surveyBytes), `must be at most ${sizes.surveyBytes} bytes of JSON`)
  .meta({ description: 'Texts in other languages, by BCP 47 language tag. A respondent gets the best match.' })
export type Translations = z.infer<typeof Translations>

export const Survey = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    name: Name.meta({ description: 'Name for your team.', example: 'NPS after onboarding' }),
    status: SurveyStatus,
    version: z.int().meta({ description: 'Version of questions and texts. A change after publication makes the next one.' }),
    questions: z.array(Question).meta({ description: 'Questions in their order.' }),
    language: Language.meta({ description: 'Language of the texts in `questions`.' }),
    translations: Translations,
    thank_you_text: ThankYouText.nullable(),
    closes_at: timestamp('Time when it stops taking responses.').nullable(),
    response_limit: z.int().nullable().meta({ description: 'Number of responses after which it closes.' }),
    one_per_respondent: z.boolean().meta({ description: 'Whether a respondent, by external id or e-mail address, answers only once.' }),
    response_count: z
      .int()
      .nullable()
      .meta({ description: 'Number of responses that count towards `response_limit`; null without a limit.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Survey', description: 'A survey with its current questions.' })
export type Survey = z.infer<typeof Survey>
