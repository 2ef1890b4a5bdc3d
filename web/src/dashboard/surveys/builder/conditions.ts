import { comparisons } from '@earshot/contracts/constants'
import type { Condition, ConditionRule, QuestionType } from '../queries.ts'
import { questionTypes, scaleOf } from '../question-types.ts'
import { type DraftQuestion, numberOf } from './draft.ts'

type Operator = ConditionRule['op']
type RuleValue = ConditionRule['value']

const WORDS: Record<Operator, string> = {
  equals: 'is',
  not_equals: 'is not',
  one_of: 'is one of',
  includes: 'includes',
  gte: 'is at least',
  lte: 'is at most',
  answered: 'is answered',
  not_answered: 'is not answered',
}
const DATE_WORDS: Partial<Record<Operator, string>> = { gte: 'is on or after', lte: 'is on or before' }

/** Something that an answer can be, in words. */
export interface Choice {
  value: string | number | boolean
  label: string
}

/** Returns the operators that fit the type of a question, in words. */
export function operatorsOf(type: QuestionType): { value: Operator; label: string }[] {
  const all: Operator[] = [...comparisons[type], 'answered', 'not_answered']
  return all.map((value) => ({ value, label: wordsOf(value, type) }))
}

/** Returns everything that an answer can be; null where it is typed. */
export function choicesOf(question: DraftQuestion): Choice[] | null {
  const { type, options, stars } = question
  if (type === 'boolean') return [yesOr('Yes'), noOr('No')]
  if (type === 'consent') return [yesOr('Given'), noOr('Not given')]
  if (options.length > 0 && (type === 'single_choice' || type === 'multiple_choice'))
    return options.map(({ value, label }) => ({ value, label: label || value }))
  return scaleOf(type, stars)?.map((value) => ({ value, label: String(value) })) ?? null
}

/** Returns a rule as it begins, on the answer to a question. */
export function newRule(question: DraftQuestion): ConditionRule {
  const [operator] = operatorsOf(question.type)
  return ruleWith(question, operator?.value ?? 'answered')
}

/** Returns a rule with an operator, with a value that fits: the one before, if it does. */
export function ruleWith(question: DraftQuestion, op: Operator, before?: RuleValue): ConditionRule {
  if (op === 'answered' || op === 'not_answered') return { ref: question.ref, op }
  const single = Array.isArray(before) ? before[0] : before
  const value = single ?? choicesOf(question)?.[0]?.value ?? ''
  return { ref: question.ref, op, value: op === 'one_of' && typeof value !== 'boolean' ? [value] : value }
}

/** Returns what is wrong with a rule of a question; null if it fits. Conditions may look back only. */
export function ruleProblem(rule: ConditionRule, earlier: readonly DraftQuestion[], all: readonly DraftQuestion[]): string | null {
  const question = earlier.find(({ ref }) => ref === rule.ref)
  if (!question) {
    const later = all.find(({ ref }) => ref === rule.ref)
    return later
      ? `“${titleOf(later)}” comes later now. Move it before this question, or choose an earlier one.`
      : 'The question of this condition was removed. Choose another one.'
  }
  if (!operatorsOf(question.type).some(({ value }) => value === rule.op)) return 'This comparison does not fit the type of the question.'
  return hasValue(rule, question) ? null : 'Choose a value that the answer can have.'
}

/** Says a condition in words: `“Recommend us?” is at most 6`. */
export function describeCondition({ match, rules }: Condition, questions: readonly DraftQuestion[]): string {
  return rules.map((rule) => describeRule(rule, questions)).join(match === 'all' ? ' and ' : ' or ')
}

/** Returns how a question is called on the page. */
export function titleOf({ title, type }: Pick<DraftQuestion, 'title' | 'type'>): string {
  return title.trim() || `Untitled: ${questionTypes[type].label}`
}

function describeRule({ ref, op, value }: ConditionRule, questions: readonly DraftQuestion[]): string {
  const question = questions.find((one) => one.ref === ref)
  const subject = question ? `“${titleOf(question)}”` : 'a removed question'
  const verb = wordsOf(op, question?.type ?? 'number')
  if (value === undefined) return `${subject} ${verb}`
  const choices = question ? choicesOf(question) : null
  const values = (Array.isArray(value) ? value : [value]).map(
    (one) => choices?.find((choice) => choice.value === one)?.label ?? String(one),
  )
  return `${subject} ${verb} ${values.join(', ')}`
}

function hasValue({ op, value }: ConditionRule, question: DraftQuestion): boolean {
  if (op === 'answered' || op === 'not_answered') return true
  const values = Array.isArray(value) ? value : [value]
  const choices = choicesOf(question)
  const isPossible = (one: unknown) => (choices ? choices.some((choice) => choice.value === one) : isTyped(one, question.type))
  return values.length > 0 && values.every(isPossible)
}

function isTyped(value: unknown, type: QuestionType): boolean {
  return type === 'number' ? typeof value === 'number' : typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

/** Returns the numbers of a list such as `1, 2`. */
export function numbersOf(text: string): number[] {
  return text.split(/[;\s]+|,\s+/).flatMap((part) => numberOf(part) ?? [])
}

function wordsOf(op: Operator, type: QuestionType): string {
  return (type === 'date' ? DATE_WORDS[op] : undefined) ?? WORDS[op]
}

function yesOr(label: string): Choice {
  return { value: true, label }
}

function noOr(label: string): Choice {
  return { value: false, label }
}
