import type { Question } from '@earshot/contracts'
import { questionProblems } from './survey-problems.ts'
import type { Locale } from './texts.ts'

/** Returns what the script of a survey must know of its questions, and the texts that it shows. */
export function scriptTexts(questions: readonly Question[], locale: Locale) {
  const { script, error, survey } = locale.messages
  return { questions: questions.map((question) => asked(question, locale)), texts: { script, error, survey } }
}

function asked(question: Question, locale: Locale) {
  const { id, ref, type, show_if } = question
  const options = 'options' in question ? { options: question.options.map(({ value }) => value) } : {}
  return {
    id,
    ref,
    type,
    show_if,
    required: type !== 'statement' && question.required,
    ...options,
    problems: questionProblems(question, locale),
  }
}
