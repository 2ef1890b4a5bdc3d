import type { Question } from '@earshot/contracts'
import { count, fill, type Locale } from './texts.ts'

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
