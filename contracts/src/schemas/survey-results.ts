import { z } from 'zod'
import { day, Nps, Percent } from './figures.ts'
import { Id, strangersWords, timestamp } from './primitives.ts'
import { QuestionType } from './question.ts'

const Choice = z
  .object({
    value: z.string().meta({ description: 'The answer: the value of an option, a number of a scale, `true` or `false`.', example: 'docs' }),
    label: z.string().meta({ description: 'Its label; the value where it has none.', example: 'The documentation' }),
    count: z.int().meta({ description: 'Number of responses that give this answer.', example: 5 }),
    percent: Percent.meta({ description: 'Their share of those that answer the question, with one decimal.', example: 62.5 }),
  })
  .meta({ id: 'ChoiceResult', description: 'One possible answer to a question, and how often it was given.' })

const Quantiles = z
  .object({
    min: z.number().meta({ description: 'Smallest answer.', example: 1 }),
    p25: z.number().meta({ description: 'A quarter of the answers are at most this.', example: 4 }),
    median: z.number().meta({ description: 'Half of the answers are at most this.', example: 9 }),
    p75: z.number().meta({ description: 'Three quarters of the answers are at most this.', example: 25 }),
    max: z.number().meta({ description: 'Largest answer.', example: 900 }),
  })
  .meta({ id: 'Quantiles', description: 'Quantiles of numbers, each rounded to three significant digits.' })

const TextAnswer = z
  .object({
    response_id: Id.meta({ description: 'The response.' }),
    value: z.string().meta({ description: 'The answer.', example: 'The import was quick.' }).register(strangersWords),
    completed_at: timestamp('Time of the response.'),
  })
  .meta({ id: 'TextAnswer', description: 'The answer to a question of type short_text, long_text, date or url.' })

const TextAnswers = z
  .object({
    results: z.array(TextAnswer).meta({ description: 'Answers, newest first.' }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Pass it as `texts_cursor`, with `question_id`, to get older answers. Null at the end.' }),
  })
  .meta({ id: 'TextAnswers', description: 'A page of text answers.' })

export const QuestionResults = z
  .object({
    question_id: Id.meta({ description: 'The question.' }),
    ref: z.string().meta({ description: 'Your name for the question.', example: 'recommend' }),
    type: QuestionType,
    title: z.string().meta({ description: 'The question, in the language of the survey.', example: 'How likely are you to recommend us?' }),
    answered: z.int().meta({ description: 'Number of responses that answer it.', example: 8 }),
    choices: z.array(Choice).nullable().meta({ description: 'For choices, scales, boolean and consent: every possible answer, in order.' }),
    average: z.number().nullable().meta({ description: 'For rating, csat, ces and number: the mean, with two decimals.', example: 4.25 }),
    nps: Nps.nullable(),
    quantiles: Quantiles.nullable(),
    texts: TextAnswers.nullable(),
  })
  .meta({
    id: 'QuestionResults',
    description:
      'The results of one question. `nps` is there for nps, `quantiles` for number, `texts` for short_text, long_text, date and url; without answers, `average` and `quantiles` are null.',
  })
export type QuestionResults = z.infer<typeof QuestionResults>

export const SurveyResults = z
  .object({
    survey_id: Id.meta({ description: 'The survey.' }),
    survey_version: z.int().meta({ description: 'The version whose questions are shown.', example: 3 }),
    from: day('First day, if you named one.').nullable(),
    to: day('Last day, if you named one.').nullable(),
    responses: z.int().meta({ description: 'Number of responses.', example: 8 }),
    questions: z.array(QuestionResults).meta({ description: 'Results by question, in their order, without statements.' }),
  })
  .meta({ id: 'SurveyResults', description: 'What the responses to a survey say, question by question.' })
export type SurveyResults = z.infer<typeof SurveyResults>

export const SurveySummary = z
  .object({
    survey_id: Id.meta({ description: 'The survey.' }),
    responses: z.int().meta({ description: 'Number of responses.', example: 8 }),
    score: z
      .object({
        question_id: Id.meta({ description: 'The question.' }),
        type: z.enum(['nps', 'rating', 'csat', 'ces']).meta({ id: 'ScoreType', description: 'Type of a question with a score.' }),
        value: z.number().meta({ description: 'The Net Promoter Score, -100 to 100; the mean for the other types.', example: 42 }),
      })
      .meta({ id: 'SurveyScore', description: 'The score of a question.' })
      .nullable()
      .meta({ description: 'The first question of type nps, rating, csat or ces that has answers; null if there is none.' }),
  })
  .meta({ id: 'SurveySummary', description: 'How many responded to a survey, and its main score.' })
