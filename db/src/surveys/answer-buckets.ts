import type { CheckedAnswer, QuestionType } from '@earshot/contracts'

/** Numbers are counted by this many significant digits, so that a question has few buckets however its answers vary. */
const DIGITS = 3

/** The bucket of every answer to a question whose answers are words, or several choices. */
export const ANSWERED = ''

const words: ReadonlySet<QuestionType> = new Set(['short_text', 'long_text', 'date', 'email', 'url'])

/** One of the counts that an answer adds to: of its question, by what was answered. */
export interface AnswerBucket {
  question_id: string
  bucket: string
  /** The answer to a `number`, to add up. */
  number: number | null
}

/**
 * Returns what answers are counted as: a choice, a place on a scale, true or false and a number by their value, words only as
 * answered. Several choices count each, and once as answered. Every figure of answers is made of these counts.
 */
export function answerBuckets(answers: readonly CheckedAnswer[]): AnswerBucket[] {
  return answers.flatMap(({ question_id, type, value }) => {
    const number = type === 'number' ? Number(value) : null
    return bucketsOf(type, value).map((bucket) => ({ question_id, bucket, number }))
  })
}

function bucketsOf(type: QuestionType, value: CheckedAnswer['value']): string[] {
  if (Array.isArray(value)) return [ANSWERED, ...value]
  if (words.has(type)) return [ANSWERED]
  return [typeof value === 'number' && type === 'number' ? String(Number(value.toPrecision(DIGITS))) : String(value)]
}
