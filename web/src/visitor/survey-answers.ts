import { type AnswerValue, isShown } from '@earshot/contracts/constants'
import type { Answers, AskedQuestion } from './survey-data.ts'

const NUMBERS = ['rating', 'nps', 'csat', 'ces', 'number']

/** The fieldset of a question. */
export function fieldsetOf({ ref }: AskedQuestion): HTMLFieldSetElement | null {
  const found = document.getElementById(`q-${ref}`)
  return found instanceof HTMLFieldSetElement ? found : null
}

/** Returns the questions that the answers before them show, with the answers to those alone. */
export function shownOf(questions: readonly AskedQuestion[]): { shown: AskedQuestion[]; answers: Answers } {
  const answers = new Map<string, AnswerValue>()
  const shown = questions.filter((question) => {
    if (!isShown(question, answers)) return false
    const value = answerOf(question)
    if (value !== null) answers.set(question.ref, value)
    return true
  })
  return { shown, answers }
}

/** Returns what is wrong with an answer, before it is sent; null if nothing is. The service checks everything. */
export function problemOf(question: AskedQuestion): string | null {
  const { type, required, problems } = question
  if (type === 'statement') return null
  const input = fieldsetOf(question)?.querySelector('input, textarea')
  if (input instanceof HTMLInputElement && !input.validity.valid) {
    const { rangeUnderflow, rangeOverflow } = input.validity
    if (rangeUnderflow) return problems.low
    return rangeOverflow ? problems.high : problems.invalid
  }
  return required && answerOf(question) === null ? problems.empty : null
}

/** Returns the words for an error of the service. */
export function wordsOf({ problems }: AskedQuestion, code: string): string {
  if (code === 'required') return problems.empty
  if (code === 'too_small') return problems.low
  return code === 'too_big' ? problems.high : problems.invalid
}

/** Returns the answer as it is in the form; null for none. */
function answerOf(question: AskedQuestion): AnswerValue | null {
  const { type, options = [] } = question
  const inputs = [...(fieldsetOf(question)?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? [])]
  const isChecked = (input: HTMLInputElement | HTMLTextAreaElement) => input instanceof HTMLInputElement && input.checked
  if (type === 'multiple_choice') {
    const chosen = options.filter((_value, index) => inputs[index] && isChecked(inputs[index]))
    return chosen.length === 0 ? null : chosen
  }
  if (type === 'consent') return inputs.some(isChecked) || null
  const isTyped = inputs.length === 1 && inputs[0] && !['radio', 'checkbox'].includes(inputs[0].type)
  const text = (isTyped ? inputs[0]?.value.trim() : inputs.find(isChecked)?.value) ?? ''
  return text === '' ? null : givenValue(question, text)
}

/** Returns the answer that the value of an input stands for. */
export function givenValue({ type }: AskedQuestion, text: string): AnswerValue {
  if (type === 'boolean') return text === 'yes'
  return NUMBERS.includes(type) ? Number(text) : text
}
