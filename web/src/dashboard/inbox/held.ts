import type { Submission } from '../api.ts'

export type Action = 'approve' | 'reject'
export type After = Submission['state'] | 'deleted'

/** A decision that the service does not know yet, or may not know yet. */
export interface Held {
  submission: Submission
  action: Action
  reason: string | null
  /** Which press made it: decisions of one press are taken back together. */
  press: number
  dueMs: number
  isSending: boolean
  /** It was sent without an answer, so it may have been made: it cannot be taken back any more. */
  isTried: boolean
}
