import type { ConditionRule, QuestionInput } from '../schemas/question.ts'
import { problemWith } from './answers.ts'
import { type AnswerValue, comparisons } from './conditions.ts'

type Path = (string | number)[]

/** A fault of a survey's questions: where, and what. */
interface Fault {
  path: Path
  detail: string
}

/**
 * Returns the faults between the questions of a survey: a `ref` or an option twice, a second NPS question, bounds that exclude
 * every answer, and conditions on what does not come earlier or cannot be compared so. Conditions look back alone, so they
 * never form a circle.
 */
export function faultsOf(questions: readonly QuestionInput[]): Fault[] {
  const earlier = new Map<string, QuestionInput>()
  const faults: Fault[] = []
  for (const [index, question] of questions.entries()) {
    const add = (path: Path, detail: string) => faults.push({ path: [index, ...path], detail })
    if (earlier.has(question.ref)) add(['ref'], 'is the ref of another question')
    for (const { path, detail } of [...ownFaults(question), ...conditionFaults(question, earlier)]) add(path, detail)
    earlier.set(question.ref, question)
  }
  const [, ...more] = questions.flatMap(({ type }, index) => (type === 'nps' ? [index] : []))
  for (const index of more) faults.push({ path: [index, 'type'], detail: 'a survey has at most one question of type nps' })
  return faults
}

function ownFaults(question: QuestionInput): Fault[] {
  if ('options' in question) {
    const values = question.options.map(({ value }) => value)
    const faults = values.flatMap((value, index) =>
      values.indexOf(value) < index ? [{ path: ['options', index, 'value'], detail: 'is the value of another option' }] : [],
    )
    return question.type === 'multiple_choice' ? [...faults, ...choiceFaults(question)] : faults
  }
  if ('min' in question && question.min !== null && question.max !== null && question.min > question.max) {
    return [{ path: ['max'], detail: 'must not be less than min' }]
  }
  return []
}

function choiceFaults({ options, min_choices, max_choices }: Extract<QuestionInput, { type: 'multiple_choice' }>): Fault[] {
  const max = max_choices ?? options.length
  if (max > options.length) return [{ path: ['max_choices'], detail: 'must not exceed the number of options' }]
  if (max === 0) return [{ path: ['max_choices'], detail: 'must be at least 1' }]
  return min_choices !== null && min_choices > max ? [{ path: ['min_choices'], detail: `must be at most ${max}` }] : []
}

function conditionFaults({ show_if }: QuestionInput, earlier: ReadonlyMap<string, QuestionInput>): Fault[] {
  return (show_if?.rules ?? []).flatMap((rule, index) => {
    const at = (field: string, detail: string) => [{ path: ['show_if', 'rules', index, field], detail }]
    const question = earlier.get(rule.ref)
    if (!question) return at('ref', 'must be the ref of an earlier question')
    if (question.type === 'statement') return at('ref', 'must not be a statement, which has no answer')
    if (rule.op === 'answered' || rule.op === 'not_answered') {
      return rule.value === undefined ? [] : at('value', `must be absent for ${rule.op}`)
    }
    if (!comparisons[question.type].includes(rule.op)) return at('op', `does not fit a question of type ${question.type}`)
    return valuesOf(rule).every((value) => canBeAnswer(question, value)) ? [] : at('value', 'is not a possible answer to that question')
  })
}

/** What a rule compares with: each must be a possible answer, and what is no list is none for `one_of`. */
function valuesOf({ op, value }: ConditionRule): unknown[] {
  if (op !== 'one_of') return [value]
  return Array.isArray(value) ? value : [undefined]
}

function canBeAnswer(question: QuestionInput, value: unknown): boolean {
  // One choice of several, whatever the number of choices asked for.
  if (question.type === 'multiple_choice') return question.options.some((option) => option.value === value)
  return isAnswerValue(value) && problemWith(question, value) === undefined
}

function isAnswerValue(value: unknown): value is AnswerValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
