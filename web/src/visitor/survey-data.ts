import type { AnswerValue } from '@earshot/contracts/constants'
import type { SendingTexts } from './page-data.ts'

type Messages = typeof import('../locales/en.json')
type Condition = Parameters<typeof import('@earshot/contracts/constants').isShown>[0]['show_if']

/** A question, as far as its script must know it. */
export interface AskedQuestion {
  id: string
  ref: string
  type: string
  required: boolean
  show_if: Condition
  options?: string[]
  problems: { empty: string; low: string; high: string; invalid: string }
}

/** What the service writes into the page of a survey for its script. */
export interface SurveyData {
  id: string
  version: number
  language: string
  project: string
  startedAt: string
  hidden: Record<string, string>
  respondent?: { external_id: string }
  questions: AskedQuestion[]
  texts: SendingTexts & { survey: Messages['survey'] }
}

/** The answers so far, by `ref`. */
export type Answers = ReadonlyMap<string, AnswerValue>
