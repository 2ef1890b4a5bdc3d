import type { Condition, ConditionRule, QuestionType } from '../schemas/question.ts'

/** For answers that have an order. */
const ORDERED = ['equals', 'not_equals', 'one_of', 'gte', 'lte'] as const

/** The operators that compare the answer of each type with a value. `answered` and `not_answered` fit all but statements. */
export const comparisons: Record<QuestionType, readonly ConditionRule['op'][]> = {
  short_text: [],
  long_text: [],
  single_choice: ['equals', 'not_equals', 'one_of'],
  multiple_choice: ['includes'],
  rating: ORDERED,
  nps: ORDERED,
  csat: ORDERED,
  ces: ORDERED,
  boolean: ['equals', 'not_equals'],
  number: ORDERED,
  date: ['equals', 'not_equals', 'gte', 'lte'],
  email: [],
  url: [],
  consent: ['equals', 'not_equals'],
  statement: [],
}

/** The value of an answer. */
export type AnswerValue = string | number | boolean | string[]

/**
 * Returns whether a question is shown, from the answers given before it, by the `ref` of their questions. A question that was
 * itself not shown has no answer. Server and browsers decide by this function.
 */
export function isShown({ show_if }: { show_if: Condition | null }, answers: ReadonlyMap<string, AnswerValue>): boolean {
  if (!show_if) return true
  const holds = (rule: ConditionRule) => ruleHolds(rule, answers.get(rule.ref))
  return show_if.match === 'any' ? show_if.rules.some(holds) : show_if.rules.every(holds)
}

function ruleHolds({ op, value }: ConditionRule, answer: AnswerValue | undefined): boolean {
  if (op === 'not_answered') return answer === undefined
  if (answer === undefined) return false
  switch (op) {
    case 'answered':
      return true
    case 'equals':
      return answer === value
    case 'not_equals':
      return answer !== value
    case 'one_of':
      return Array.isArray(value) && (value as unknown[]).includes(answer)
    case 'includes':
      return Array.isArray(answer) && (answer as unknown[]).includes(value)
    case 'gte':
      return isComparable(answer, value) && answer >= value
    case 'lte':
      return isComparable(answer, value) && answer <= value
  }
}

/** Numbers compare by size, dates as they are written. */
function isComparable(answer: AnswerValue, value: unknown): value is AnswerValue {
  return typeof answer === typeof value && (typeof answer === 'number' || typeof answer === 'string')
}
