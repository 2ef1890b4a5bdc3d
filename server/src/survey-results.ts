import { countNps, fixedScales, npsOf, percentOf, type Question, type QuestionResults } from '@earshot/contracts'
import { ANSWERED, type Results } from '@earshot/db'

type Choice = NonNullable<QuestionResults['choices']>[number]
type Answered = Exclude<Question, { type: 'statement' }>
/** How often each answer was given. */
type Counts = ReadonlyMap<string, number>

/** Presents the results of each question, in their order. */
export function presentQuestions({ questions, totals, textsOf }: Results): QuestionResults[] {
  return questions.flatMap((question) => {
    if (question.type === 'statement') return []
    const own = totals.filter(({ question_id }) => question_id === question.id)
    const counts = countsOf(question, totals)
    const answered = own.find(({ bucket }) => bucket === ANSWERED)?.count ?? sum(counts.values())
    const { id: question_id, ref, type, title } = question
    return [
      {
        ...{ question_id, ref, type, title, answered },
        choices: choicesOf(question, counts, answered),
        average: averageOf(question, { counts, answered, sum: sum(own.map((total) => total.sum)) }),
        nps: type === 'nps' ? npsOf(npsCounts(counts)) : null,
        quantiles: type === 'number' && answered > 0 ? quantilesOf(counts, answered) : null,
        texts: hasTexts(question) ? textsOf(question) : null,
      },
    ]
  })
}

type Scored = Extract<Question, { type: 'nps' | 'rating' | 'csat' | 'ces' }>
type Score = { question_id: string; type: Scored['type']; value: number }

/** The types of questions whose answers make a score. */
export const scoredTypes: Scored['type'][] = ['nps', 'rating', 'csat', 'ces']

export function hasScore(question: Question): question is Scored {
  return scoredTypes.some((type) => type === question.type)
}

/** Returns the score of the first question that has one; null without answers. */
export function scoreOf(questions: readonly Scored[], totals: Results['totals']): Score | null {
  for (const question of questions) {
    const counts = countsOf(question, totals)
    const answered = sum(counts.values())
    const nps = question.type === 'nps' ? npsOf(npsCounts(counts)).score : null
    const value = nps ?? averageOf(question, { counts, answered, sum: 0 })
    if (value !== null) return { question_id: question.id, type: question.type, value }
  }
  return null
}

function countsOf({ id }: Question, totals: Results['totals']): Counts {
  const own = totals.filter(({ question_id, bucket }) => question_id === id && bucket !== ANSWERED)
  return new Map(own.map(({ bucket, count }) => [bucket, count]))
}

function npsCounts(counts: Counts) {
  return countNps([...counts].map(([score, count]) => ({ score: Number(score), count })))
}

function hasTexts({ type }: Question): boolean {
  return type === 'short_text' || type === 'long_text' || type === 'date' || type === 'url'
}

/** Every answer that the question offers, and behind them those that an earlier version offered. */
function choicesOf(question: Answered, counts: Counts, answered: number): Choice[] | null {
  const labels = labelsOf(question)
  if (!labels) return null
  for (const value of counts.keys()) if (!labels.has(value)) labels.set(value, value)
  return [...labels].map(([value, label]) => {
    const count = counts.get(value) ?? 0
    return { value, label, count, percent: percentOf(count, answered) }
  })
}

function labelsOf(question: Answered): Map<string, string> | undefined {
  switch (question.type) {
    case 'single_choice':
    case 'multiple_choice':
      return new Map(question.options.map(({ value, label }) => [value, label]))
    case 'boolean':
    case 'consent':
      return new Map(['true', 'false'].map((value) => [value, value]))
    case 'rating':
      return scaleOf({ min: 1, max: question.max })
    case 'nps':
    case 'csat':
    case 'ces':
      return scaleOf(fixedScales[question.type])
    default:
      return undefined
  }
}

function scaleOf({ min, max }: { min: number; max: number }): Map<string, string> {
  return new Map(Array.from({ length: max - min + 1 }, (_value, index) => [String(min + index), String(min + index)]))
}

function averageOf({ type }: Answered, { counts, answered, sum: sumOfNumbers }: { counts: Counts; answered: number; sum: number }) {
  if (answered === 0) return null
  if (type === 'number') return rounded(sumOfNumbers / answered)
  if (type !== 'rating' && type !== 'csat' && type !== 'ces') return null
  return rounded(sum([...counts].map(([value, count]) => Number(value) * count)) / answered)
}

/** The smallest answers that at least such a share of all answers does not exceed. */
function quantilesOf(counts: Counts, answered: number): NonNullable<QuestionResults['quantiles']> {
  const sorted = [...counts].map(([value, count]) => ({ value: Number(value), count })).sort((a, b) => a.value - b.value)
  const at = (share: number) => {
    let seen = 0
    for (const { value, count } of sorted) {
      seen += count
      if (seen >= share * answered) return value
    }
    return sorted.at(-1)?.value ?? 0
  }
  return { min: at(0), p25: at(0.25), median: at(0.5), p75: at(0.75), max: at(1) }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
