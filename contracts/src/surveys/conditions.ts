import type { Condition, ConditionRule } from '../schemas/question.ts'

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
