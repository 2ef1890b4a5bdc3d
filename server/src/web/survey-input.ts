import { type AnswerValue, type FieldError, isShown, type Question } from '@earshot/contracts'
import type { Form } from '../pages/form.ts'
import { inputName, type QuestionProblems, questionProblems } from './markup/survey-problems.ts'
import type { Locale } from './visitor-language.ts'

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
