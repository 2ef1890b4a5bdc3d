import { z } from 'zod'
import type { FieldError } from '../errors.ts'
import { fixedScales, sizes } from '../limits.ts'
import { HTTP_URL } from '../schemas/primitives.ts'
import type { Question, QuestionInput, QuestionType } from '../schemas/question.ts'
import { type AnswerValue, isShown } from './conditions.ts'

const DATE = /^\d{4}-\d\d-\d\d$/

/** An answer as it is sent. */
export interface GivenAnswer {
  question_id: string
  value: AnswerValue | null
}

/** An answer as it is stored. */
export interface CheckedAnswer {
  question_id: string
  type: QuestionType
  value: AnswerValue
}

interface CheckedAnswers {
  /** In the order of the questions. */
  answers: CheckedAnswer[]
  nps_score: number | null
  /** Empty if all answers are accepted. A field is `answers.<ref of the question>`. */
  errors: FieldError[]
}

/** Why a value is no answer to a question. */
interface Problem {
  code: string
  detail: string
}

type QuestionOf<Type extends QuestionType> = Extract<QuestionInput, { type: Type }>
type Check<Type extends QuestionType> = (value: AnswerValue, question: QuestionOf<Type>) => Problem | undefined

/** One check for each type. */
const checks: { [Type in QuestionType]: Check<Type> } = {
  short_text: (value, { max_length }) => textProblem(value, max_length),
  long_text: (value, { max_length }) => textProblem(value, max_length),
  single_choice: (value, { options }) => (options.some((option) => option.value === value) ? undefined : notAnOption),
  multiple_choice: choicesProblem,
  rating: (value, { max }) => scaleProblem(value, { min: 1, max }),
  nps: (value) => scaleProblem(value, fixedScales.nps),
  csat: (value) => scaleProblem(value, fixedScales.csat),
  ces: (value) => scaleProblem(value, fixedScales.ces),
  boolean: (value) => (typeof value === 'boolean' ? undefined : wrongType('true or false')),
  number: numberProblem,
  date: dateProblem,
  email: (value) => formatProblem(value, sizes.emailCharacters, z.regexes.email, 'an e-mail address'),
  url: (value) => formatProblem(value, sizes.urlCharacters, HTTP_URL.pattern, 'an http or https URL'),
  consent: consentProblem,
  statement: () => problem('not_a_question', 'a statement takes no answer'),
}

const notAnOption = problem('invalid_value', 'must be one of the options')

/**
 * Checks the answers to a survey question by question, from the first to the last: a question that is not shown takes no answer,
 * and a required one that is shown needs one. The same function serves servers and browsers.
 */
export function checkAnswers(questions: readonly Question[], given: readonly GivenAnswer[]): CheckedAnswers {
  const { values, errors } = valuesById(questions, given)
  const shown = new Map<string, AnswerValue>()
  const answers: CheckedAnswer[] = []
  for (const question of questions) {
    const value = values.get(question.id)
    const found = problemOf(question, value, isShown(question, shown))
    if (found) errors.push({ field: `answers.${question.ref}`, ...found })
    else if (value !== undefined) {
      shown.set(question.ref, value)
      answers.push({ question_id: question.id, type: question.type, value })
    }
  }
  const nps = answers.find(({ type }) => type === 'nps')?.value
  return { answers, nps_score: typeof nps === 'number' ? nps : null, errors }
}

/** An answer of null is none. */
function valuesById(questions: readonly Question[], given: readonly GivenAnswer[]) {
  const refs = new Map(questions.map(({ id, ref }) => [id, ref]))
  const values = new Map<string, AnswerValue>()
  const errors: FieldError[] = []
  for (const [index, { question_id, value }] of given.entries()) {
    const ref = refs.get(question_id)
    if (ref === undefined) {
      errors.push({
        field: `answers.${index}.question_id`,
        ...problem('unknown_question', 'is not a question of this version of the survey'),
      })
    } else if (values.has(question_id)) {
      errors.push({ field: `answers.${ref}`, ...problem('duplicate', 'is answered twice') })
    } else if (value !== null) values.set(question_id, value)
  }
  return { values, errors }
}

function problemOf(question: Question, value: AnswerValue | undefined, isShown: boolean): Problem | undefined {
  if (value === undefined) {
    const isMissing = isShown && question.type !== 'statement' && question.required
    return isMissing ? problem('required', 'must be answered') : undefined
  }
  if (!isShown) return problem('not_shown', 'must not be answered: the answers before it hide it')
  return problemWith(question, value)
}

/** Returns why a value is no answer to a question, whether it is shown or not; undefined if it is one. */
export function problemWith(question: QuestionInput, value: AnswerValue): Problem | undefined {
  // Proven: the check and the question are of one type.
  return (checks[question.type] as Check<QuestionType>)(value, question)
}

function consentProblem(value: AnswerValue, { required }: QuestionOf<'consent'>): Problem | undefined {
  if (typeof value !== 'boolean') return wrongType('true or false')
  return required && !value ? problem('required', 'must be given') : undefined
}

function textProblem(value: AnswerValue, maxCharacters: number): Problem | undefined {
  if (typeof value !== 'string') return wrongType('text')
  if (value === '') return problem('too_small', 'must not be empty')
  return [...value].length > maxCharacters ? problem('too_big', `must be at most ${maxCharacters} characters long`) : undefined
}

function choicesProblem(
  value: AnswerValue,
  { options, required, min_choices, max_choices }: QuestionOf<'multiple_choice'>,
): Problem | undefined {
  if (!Array.isArray(value)) return wrongType('a list of options')
  // First, so that no long list is compared with the options.
  const max = max_choices ?? options.length
  if (value.length > max) return problem('too_big', `must have at most ${max} choices`)
  const min = Math.max(min_choices ?? 0, required ? 1 : 0)
  if (value.length < min) return problem('too_small', `must have at least ${min} choices`)
  if (new Set(value).size < value.length) return problem('duplicate', 'must not have a choice twice')
  const known = new Set(options.map((option) => option.value))
  return value.every((choice) => known.has(choice)) ? undefined : notAnOption
}

function scaleProblem(value: AnswerValue, { min, max }: { min: number; max: number }): Problem | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return wrongType(`a whole number from ${min} to ${max}`)
  return rangeProblem(value, min, max)
}

function numberProblem(value: AnswerValue, { min, max, integer }: QuestionOf<'number'>): Problem | undefined {
  if (typeof value !== 'number' || (integer && !Number.isInteger(value))) return wrongType(integer ? 'a whole number' : 'a number')
  return rangeProblem(value, min ?? Number.MIN_SAFE_INTEGER, max ?? Number.MAX_SAFE_INTEGER)
}

function dateProblem(value: AnswerValue, { min, max }: QuestionOf<'date'>): Problem | undefined {
  if (typeof value !== 'string' || !isDate(value)) return problem('invalid_format', 'must be a date, such as 2026-11-20')
  return rangeProblem(value, min ?? '0001-01-01', max ?? '9999-12-31')
}

/** Refuses 30 February, which Date would take for a day of March. */
function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

function formatProblem(value: AnswerValue, maxCharacters: number, pattern: RegExp, kind: string): Problem | undefined {
  return textProblem(value, maxCharacters) ?? (pattern.test(String(value)) ? undefined : problem('invalid_format', `must be ${kind}`))
}

function rangeProblem<Value extends string | number>(value: Value, min: Value, max: Value): Problem | undefined {
  if (value < min) return problem('too_small', `must be at least ${min}`)
  return value > max ? problem('too_big', `must be at most ${max}`) : undefined
}

function wrongType(expected: string): Problem {
  return problem('invalid_type', `must be ${expected}`)
}

function problem(code: string, detail: string): Problem {
  return { code, detail }
}
