import { z } from 'zod'
import { Id, text } from './primitives.ts'

const questionTypes = [
  'short_text',
  'long_text',
  'single_choice',
  'multiple_choice',
  'rating',
  'nps',
  'csat',
  'ces',
  'boolean',
  'number',
  'date',
  'email',
  'url',
  'consent',
  'statement',
] as const
export const QuestionType = z.enum(questionTypes).meta({ id: 'QuestionType', description: 'Type of a question.' })
export type QuestionType = z.infer<typeof QuestionType>

const conditionOperators = ['answered', 'not_answered', 'equals', 'not_equals', 'one_of', 'includes', 'gte', 'lte'] as const

const MAX_OPTIONS = 100
const MAX_RULES = 10

/** The most characters of a text answer, whatever its question allows. */
const answerCharacters = { short_text: 1_000, long_text: 10_000 } as const

/** Beyond it, whole numbers are not exact. */
export const SafeNumber = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER)

export const QuestionRef = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, 'must be at most 50 lower-case letters, digits and underscores, starting with a letter')
  .meta({ description: 'Your name for the question, unique in the survey. Errors and conditions use it.', example: 'recommend' })

const Rule = z
  .strictObject({
    ref: QuestionRef.meta({ description: 'An earlier question.' }),
    op: z.enum(conditionOperators).meta({
      id: 'ConditionOperator',
      description:
        '`answered` and `not_answered` take no value. `one_of` takes a list. `includes` is for multiple_choice; `gte` and `lte` are for scales, numbers and dates. A question without an answer satisfies only `not_answered`.',
    }),
    value: z
      .union([
        text(200),
        SafeNumber,
        z.boolean(),
        z
          .array(z.union([text(200), SafeNumber]))
          .min(1)
          .max(MAX_OPTIONS),
      ])
      .optional()
      .meta({ description: 'What the answer is compared with.', example: 6 }),
  })
  .meta({ id: 'ConditionRule', description: 'A test of an earlier answer.' })
export type ConditionRule = z.infer<typeof Rule>

export const Condition = z
  .strictObject({
    match: z.enum(['all', 'any']).meta({ id: 'ConditionMatch', description: 'Whether all rules must hold, or one.' }),
    rules: z
      .array(Rule)
      .min(1)
      .max(MAX_RULES)
      .meta({ description: `Rules, at most ${MAX_RULES}.` }),
  })
  .meta({ id: 'Condition', description: 'When a question is shown. A question that is not shown has no answer.' })
export type Condition = z.infer<typeof Condition>

const Option = z
  .strictObject({
    value: text(100, 1).meta({ description: 'What is stored. Keep it when you change the label.', example: 'docs' }),
    label: text(200, 1).meta({ description: 'What is shown.', example: 'The documentation' }),
  })
  .meta({ id: 'QuestionOption', description: 'A choice.' })

const options = z
  .array(Option)
  .min(1)
  .max(MAX_OPTIONS)
  .meta({ description: `Choices, at most ${MAX_OPTIONS}; values are unique.` })
const labels = {
  low_label: text(100).nullable().default(null).meta({ description: 'Label of the lowest value.', example: 'Not at all likely' }),
  high_label: text(100).nullable().default(null).meta({ description: 'Label of the highest value.', example: 'Extremely likely' }),
}
const DateText = z.iso.date().meta({ description: 'A date.', example: '2026-11-20' })

/** Every question, whatever its type. */
const common = {
  ref: QuestionRef,
  title: text(500, 1).meta({ description: 'The question.', example: 'How likely are you to recommend us?' }),
  description: text(2_000).nullable().default(null).meta({ description: 'Explanation below the question.' }),
  show_if: Condition.nullable().default(null),
}
const required = { required: z.boolean().default(false).meta({ description: 'Whether it must be answered when it is shown.' }) }

function literal<const Type extends QuestionType>(type: Type) {
  return z.literal(type).meta({ description: 'Type of the question.' })
}

function textQuestion(type: 'short_text' | 'long_text') {
  const most = answerCharacters[type]
  const max_length = z.int().min(1).max(most).default(most).meta({ description: 'Maximum length of the answer, in characters.' })
  return { type: literal(type), ...common, ...required, max_length }
}

const choices = z.int().min(0).max(MAX_OPTIONS).nullable().default(null)

/** The fields of each type. */
const fields = {
  short_text: textQuestion('short_text'),
  long_text: textQuestion('long_text'),
  single_choice: { type: literal('single_choice'), ...common, ...required, options },
  multiple_choice: {
    type: literal('multiple_choice'),
    ...common,
    ...required,
    options,
    min_choices: choices.meta({ description: 'Minimum number of choices.' }),
    max_choices: choices.meta({ description: 'Maximum number of choices.' }),
  },
  rating: {
    type: literal('rating'),
    ...common,
    ...required,
    ...labels,
    max: z.int().min(3).max(10).default(5).meta({ description: 'Highest value; the lowest is 1.' }),
  },
  nps: { type: literal('nps'), ...common, ...required, ...labels },
  csat: { type: literal('csat'), ...common, ...required, ...labels },
  ces: { type: literal('ces'), ...common, ...required, ...labels },
  boolean: { type: literal('boolean'), ...common, ...required },
  number: {
    type: literal('number'),
    ...common,
    ...required,
    min: SafeNumber.nullable().default(null).meta({ description: 'Smallest value.' }),
    max: SafeNumber.nullable().default(null).meta({ description: 'Largest value.' }),
    integer: z.boolean().default(false).meta({ description: 'Whether fractions are refused.' }),
  },
  date: {
    type: literal('date'),
    ...common,
    ...required,
    min: DateText.nullable().default(null).meta({ description: 'Earliest date.' }),
    max: DateText.nullable().default(null).meta({ description: 'Latest date.' }),
  },
  email: { type: literal('email'), ...common, ...required },
  url: { type: literal('url'), ...common, ...required },
  consent: { type: literal('consent'), ...common, ...required },
  statement: { type: literal('statement'), ...common },
} as const

const inputId = { id: Id.optional().meta({ description: 'The id of the current question, needed only to change its `ref`.' }) }

function inputOf<const Type extends QuestionType>(type: Type) {
  return z
    .strictObject({ ...inputId, ...fields[type] })
    .meta({ id: `${nameOf(type)}QuestionInput`, description: `A question of the type \`${type}\`.` })
}

function outputOf<const Type extends QuestionType>(type: Type) {
  return z
    .strictObject({ id: Id, ...fields[type] })
    .meta({ id: `${nameOf(type)}Question`, description: `A question of the type \`${type}\`, as stored.` })
}

/** Returns a type as a name: `ShortText`. */
function nameOf(type: QuestionType): string {
  return type.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

export const QuestionInput = z
  .discriminatedUnion('type', [
    inputOf('short_text'),
    inputOf('long_text'),
    inputOf('single_choice'),
    inputOf('multiple_choice'),
    inputOf('rating'),
    inputOf('nps'),
    inputOf('csat'),
    inputOf('ces'),
    inputOf('boolean'),
    inputOf('number'),
    inputOf('date'),
    inputOf('email'),
    inputOf('url'),
    inputOf('consent'),
    inputOf('statement'),
  ])
  .meta({ id: 'QuestionInput', description: 'A question of a survey.' })
export type QuestionInput = z.infer<typeof QuestionInput>

export const Question = z
  .discriminatedUnion('type', [
    outputOf('short_text'),
    outputOf('long_text'),
    outputOf('single_choice'),
    outputOf('multiple_choice'),
    outputOf('rating'),
    outputOf('nps'),
    outputOf('csat'),
    outputOf('ces'),
    outputOf('boolean'),
    outputOf('number'),
    outputOf('date'),
    outputOf('email'),
    outputOf('url'),
    outputOf('consent'),
    outputOf('statement'),
  ])
  .meta({ id: 'Question', description: 'A question of a survey, as stored.' })
export type Question = z.infer<typeof Question>
