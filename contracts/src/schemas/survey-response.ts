import { z } from 'zod'
import { sizes } from '../limits.ts'
import {
  ContactEmail,
  CreatedAt,
  EmailInput,
  Id,
  instant,
  Language,
  Metadata,
  Name,
  strangersWords,
  text,
  timestamp,
  UpdatedAt,
} from './primitives.ts'
import { QuestionType, SafeNumber } from './question.ts'
import { Channel } from './submission.ts'

/** A version of a survey, as a caller names it. */
export const SurveyVersion = z.int().min(1).max(2_147_483_647)

const Respondent = z
  .object({
    external_id: z.string().nullable().meta({ description: 'Your own id of the person.' }),
    email: ContactEmail,
    name: z.string().nullable().meta({ description: 'Name of the person.' }).register(strangersWords),
    properties: z.record(z.string(), z.unknown()).meta({ description: 'Your own properties of the person.' }).register(strangersWords),
  })
  .meta({ id: 'Respondent', description: 'The person who answered.' })

const ofQuestion = { question_id: Id.meta({ description: 'The question.' }) }

const EmailAnswer = z
  .object({ ...ofQuestion, type: z.literal('email').meta({ description: 'Type of the question.' }), value: ContactEmail })
  .meta({ id: 'EmailAnswer', description: 'An e-mail address that the respondent gave as an answer.' })

const AnswerValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).meta({
  id: 'AnswerValue',
  description: 'Text, a number, true or false, or a list of choices, depending on the type of the question.',
})

const OtherAnswer = z
  .object({
    ...ofQuestion,
    type: QuestionType.exclude(['email']).meta({ description: 'Type of the question.', example: 'nps' }),
    value: AnswerValue.nullable().register(strangersWords),
  })
  .meta({ id: 'OtherAnswer', description: 'The answer to a question of any other type.' })

const Answer = z.discriminatedUnion('type', [EmailAnswer, OtherAnswer]).meta({ id: 'Answer', description: 'The answer to one question.' })

/** The most characters that a question allows. Its own limit is checked with the answer, so that the error names its `ref`. */
const ANSWER_CHARACTERS = 10_000

const AnswerValueInput = z.union([text(ANSWER_CHARACTERS), SafeNumber, z.boolean(), z.array(text(ANSWER_CHARACTERS))]).meta({
  id: 'AnswerValueInput',
  description: 'Text, a number, true or false, or a list of choices, depending on the type of the question.',
})

const AnswerInput = z
  .strictObject({
    question_id: Id.meta({ description: 'A question of the version that is answered.' }),
    value: AnswerValueInput.nullable().meta({
      description: 'Text, a number, true or false, or a list of choices, depending on the type of the question. Null is no answer.',
      example: 9,
    }),
  })
  .meta({ id: 'AnswerInput', description: 'The answer to one question.' })

const RespondentInput = z
  .strictObject({
    external_id: text(200, 1).nullable().optional().meta({ description: 'Your own id of the person.', example: 'user_42' }),
    email: EmailInput.nullable().optional(),
    name: Name.nullable().optional().meta({ description: 'Name of the person.', example: 'Ada Lovelace' }),
    properties: Metadata.optional().meta({ description: 'Your own properties of the person, at most 16 KB.', example: { plan: 'team' } }),
  })
  .meta({ id: 'RespondentInput', description: 'The person who answers.' })

/** The fields of a new response, on every surface. */
export const newResponse = {
  answers: z.array(AnswerInput).max(sizes.surveyQuestions).meta({
    description:
      'Answers in any order. Questions whose `show_if` does not hold take none, required ones that are shown need one. Errors name the field `answers.<ref>`.',
  }),
  survey_version: SurveyVersion.optional().meta({
    description: 'The version that was shown. Default is the current one; older ones are accepted.',
  }),
  respondent: RespondentInput.optional(),
  language: Language.nullable().optional().meta({ description: 'Language in which the survey was shown.' }),
  hidden: Metadata.optional().meta({ description: 'Hidden fields that the page sends, at most 16 KB.', example: { page: '/pricing' } }),
  started_at: instant('Time when the first question was shown. From it follows `duration_ms`.').nullable().optional(),
}

export const SurveyResponse = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    survey_id: Id.meta({ description: 'The survey.' }),
    survey_version: z.int().meta({ description: 'The version of the survey that was answered.' }),
    respondent: Respondent,
    answers: z.array(Answer).meta({ description: 'Answers, in the order of the questions.' }),
    nps_score: z.int().nullable().meta({ description: 'The answer to the NPS question, 0 to 10.' }),
    language: z.string().nullable().meta({ description: 'BCP 47 language tag.' }),
    channel: Channel,
    hidden: z.record(z.string(), z.unknown()).meta({ description: 'Hidden fields that the page sent.' }).register(strangersWords),
    completed_at: timestamp('Time when the last question was answered.').nullable(),
    duration_ms: z.int().nullable().meta({ description: 'Time from the first question to the last.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'SurveyResponse', description: 'The answers of one person to a survey.' })
export type SurveyResponse = z.infer<typeof SurveyResponse>
