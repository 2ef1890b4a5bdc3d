import { type AnswerValue, isShown } from '@earshot/contracts/constants'
import { fieldsetOf, givenValue } from './survey-answers.ts'
import type { Answers, AskedQuestion } from './survey-data.ts'

/** How many questions come after one: at least, and at most. */
export interface Following {
  least: number
  most: number
}

/** Where a visitor is in a survey. */
interface Place {
  questions: readonly AskedQuestion[]
  current: AskedQuestion
  answers: Answers
}

/** What the answers tell: no, perhaps, yes. */
type Certainty = 0 | 1 | 2

/** Counts what can come after the current question, whatever its answer is. The most is too high where conditions exclude each other. */
export function followingOf(place: Place): Following {
  const counts = possibleAnswers(place.current).map((answer) => countAfter(place, answer))
  return { least: Math.min(...counts.map(({ least }) => least)), most: Math.max(...counts.map(({ most }) => most)) }
}

/** Whether nothing can come after the current question if its answer stays as it is. One that must still be answered has any answer. */
export function isLast(place: Place): boolean {
  const { current, answers } = place
  const answer = answers.get(current.ref) ?? null
  const { most } = current.required && answer === null ? followingOf(place) : countAfter(place, answer)
  return most === 0
}

/** Null stands for no answer, undefined for one that only the visitor knows. */
function possibleAnswers(question: AskedQuestion): (AnswerValue | null | undefined)[] {
  if (question.type === 'statement') return [null]
  const inputs = [...(fieldsetOf(question)?.querySelectorAll<HTMLInputElement>('input[type="radio"]') ?? [])]
  if (inputs.length === 0) return [undefined]
  const values = inputs.map(({ value }) => givenValue(question, value))
  return question.required ? values : [null, ...values]
}

function countAfter({ questions, current, answers }: Place, answer: AnswerValue | null | undefined): Following {
  const index = questions.indexOf(current)
  // What was answered to later questions, on a way that was left, does not count.
  const known = new Map(questions.slice(0, index).flatMap(({ ref }) => (answers.has(ref) ? [[ref, answers.get(ref)]] : [])))
  if (answer !== null) known.set(current.ref, answer)
  const count = { least: 0, most: 0 }
  for (const question of questions.slice(index + 1)) {
    const certainty = certaintyOf(question, known)
    if (certainty === 0) continue
    known.set(question.ref, undefined)
    count.most += 1
    if (certainty === 2) count.least += 1
  }
  return count
}

function certaintyOf({ show_if }: AskedQuestion, known: ReadonlyMap<string, AnswerValue | undefined>): Certainty {
  if (!show_if) return 2
  const each = show_if.rules.map((rule): Certainty => {
    const answer = known.get(rule.ref)
    if (answer === undefined && known.has(rule.ref)) return 1
    const answers = new Map(answer === undefined ? [] : [[rule.ref, answer]])
    return isShown({ show_if: { match: 'all', rules: [rule] } }, answers) ? 2 : 0
  })
  return (show_if.match === 'any' ? Math.max(...each) : Math.min(...each)) as Certainty // One of them.
}
