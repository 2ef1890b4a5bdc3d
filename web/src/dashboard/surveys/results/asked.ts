import type { QuestionResults, ResultsInput, Survey } from '../queries.ts'

/** A question's results, and what they are about. */
export interface AskedProps {
  survey: Survey
  question: QuestionResults
  /** The number of all responses that count. */
  responses: number
  input: ResultsInput
}
