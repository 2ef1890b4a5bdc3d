import type { Submission } from '../api.ts'
import { keepChanged } from '../testimonials/live-words.ts'
import { insertSubmissions, patchSubmission } from './lists.ts'

/** The stream tells the moment of the change; a record has the beginning of its transaction. */
const TOLERATED_MS = 1_000

/** When this page changed submissions last, as the service told it. */
const updated = new Map<string, number>()

interface Update {
  type: string
  submission_id: string
  at: string
}

/** Shows what this page has changed in all its lists, so that it need not be read when the stream tells it. */
export function showOwnUpdate(saved: Submission): void {
  updated.set(saved.id, Date.parse(saved.updated_at))
  patchSubmission(saved.project_id, saved.id, () => saved)
  insertSubmissions(saved.project_id, [saved])
  keepChanged(saved.project_id, saved)
}

/** Whether a change that the stream tells of is one of this page's own updates. */
export function isOwnUpdate({ type, submission_id, at }: Update): boolean {
  const ownMs = updated.get(submission_id)
  return type === 'submission.updated' && ownMs !== undefined && Math.abs(Date.parse(at) - ownMs) < TOLERATED_MS
}

/** It is told once: what comes after it in the same moment is of somebody else. */
export function forgetOwnUpdate(id: string): void {
  updated.delete(id)
}
