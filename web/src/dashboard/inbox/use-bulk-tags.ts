import { useState } from 'react'
import type { Submission } from '../api.ts'
import { type BulkChange, type BulkRun, changeTagOf, targetsOf } from './bulk-change.ts'

export interface BulkTags {
  /** As the service has them now. */
  submissions: readonly Submission[]
  /** The last change; null before the first. */
  run: BulkRun | null
  start: (change: BulkChange) => void
  /** Tries those again that failed. */
  retry: () => void
}

/** Changes a tag of several submissions. */
export function useBulkTags(given: readonly Submission[]): BulkTags {
  const [submissions, setSubmissions] = useState(given)
  const [run, setRun] = useState<BulkRun | null>(null)
  const onSaved = (saved: Submission) => setSubmissions((all) => all.map((other) => (other.id === saved.id ? saved : other)))
  const send = (change: BulkChange, targets: readonly Submission[]) => void changeTagOf(targets, change, { onRun: setRun, onSaved })
  return {
    ...{ submissions, run },
    start: (change) => send(change, targetsOf(change, submissions)),
    retry: () => run && send(run, run.failed),
  }
}
