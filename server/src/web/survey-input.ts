import { type AnswerValue, type FieldError, isShown, type Question } from '@earshot/contracts'
import type { Form } from '../pages/form.ts'
import { count, fill, type Locale } from './visitor-language.ts'

/** What a question says when its answer is refused. */
export interface QuestionProblems {
  empty: string
  /** Fewer, less or earlier than allowed. */
  low: string
  high: string
  invalid: string
}

/** Returns the name of the input of a question. A checkbox has one for each option, because no field of a form comes twice. */
export function inputName(ref: string, option?: number): string {
  return option === undefined ? `q.${ref}` : `q.${ref}.${option}`
}

/**
 * Returns the answers of a form that was filled in without script. It showed all questions, so answers to those that the answers
 * before them hide are left out.
 */
export function answersOf(questions: readonly Question[], form: Form): { question_id: string; value: AnswerValue }[] {
  const values = new Map<string, AnswerValue>()
  return questions.flatMap((question) => {
    const value = isShown(question, values) ? givenValue(question, form) : null
    if (value === null) return []
    values.set(question.ref, value)
    return [{ question_id: question.id, value }]
  })
}

/** Returns what is wrong with which question, by its `ref`. An empty one stands for what is about no question that is there. */
export function answerProblems(errors: readonly FieldError[], questions: readonly Question[], locale: Locale): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const { field, code } of errors) {
    const question = questions.find(({ ref }) => field === `answers.${ref}`)
    if (question) problems[question.ref] ??= wordsOf(questionProblems(question, locale), code)
    else problems[''] ??= field === 'form_token' ? locale.messages.error.formToken : locale.messages.survey.changed
  }
  return problems
}

/** Returns the words for the problems of a question: the script shows the same. */
export function questionProblems(question: Question, locale: Locale): QuestionProblems {
  const { survey, error } = locale.messages
  const number = (value: number) => new Intl.NumberFormat(locale.language).format(value)
  const words = { empty: survey.answer, low: error.invalid, high: error.invalid, invalid: error.invalid }
  switch (question.type) {
    case 'short_text':
    case 'long_text':
      return { ...words, high: fill(error.tooLong, { max: number(question.max_length) }) }
    case 'multiple_choice': {
      const { min_choices, max_choices, options } = question
      return {
        ...words,
        low: count(locale, survey.atLeast, min_choices ?? 1),
        high: count(locale, survey.atMost, max_choices ?? options.length),
      }
    }
    case 'number': {
      const { min, max, integer } = question
      const [low, high] = [
        min === null ? '' : fill(survey.min, { min: number(min) }),
        max === null ? '' : fill(survey.max, { max: number(max) }),
      ]
      return { ...words, low, high, invalid: integer ? survey.integer : survey.number }
    }
    case 'date':
      return {
        ...words,
        low: fill(survey.min, { min: question.min ?? '' }),
        high: fill(survey.max, { max: question.max ?? '' }),
        invalid: survey.date,
      }
    case 'email':
      return { ...words, invalid: error.email }
    case 'url':
      return { ...words, invalid: survey.url }
    default:
      return words
  }
}

function wordsOf({ empty, low, high, invalid }: QuestionProblems, code: string): string {
  if (code === 'required') return empty
  if (code === 'too_small') return low
  return code === 'too_big' ? high : invalid
}

/** Null without an answer. What is no number stays as it is, for the operation to refuse. */
function givenValue(question: Question, form: Form): AnswerValue | null {
  const text = (form[inputName(question.ref)] ?? '').replaceAll('\r\n', '\n').trim()
  switch (question.type) {
    case 'statement':
      return null
    case 'multiple_choice': {
      const chosen = question.options.flatMap(({ value }, index) => (form[inputName(question.ref, index)] === undefined ? [] : [value]))
      return chosen.length === 0 ? null : chosen
    }
    case 'boolean':
      return text === '' ? null : text === 'yes'
    case 'consent':
      return text === 'yes' ? true : null
    case 'rating':
    case 'nps':
    case 'csat':
    case 'ces':
    case 'number': {
      if (text === '') return null
      return Number.isNaN(Number(text)) ? text : Number(text)
    }
    default:
      return text === '' ? null : text
  }
}
