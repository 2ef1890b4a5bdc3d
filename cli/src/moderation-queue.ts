import type { Submission, SubmissionState } from '@earshot/contracts'

/** How long a decision waits before it is sent, so that it can be taken back. */
export const UNDO_MS = 5_000

/** What a person decided, and whether the service knows it. */
export interface Decision {
  action: 'approve' | 'reject'
  reason: string | null
  decidedAtMs: number
  isSending: boolean
}

/** A submission in the queue. */
export interface QueuedSubmission {
  submission: Submission
  decision: Decision | null
  /** The person left it for later. */
  isSkipped: boolean
}

/** What the service said of a decision. */
export interface SentResult {
  submission_id: string
  outcome: 'changed' | 'unchanged' | 'failed'
  submission: Submission | null
  error: { code: string; detail: string; current_state: SubmissionState | null } | null
}

/**
 * The queue of a moderator: pending submissions, the one that is shown, and decisions that wait to be sent. It only remembers; it
 * neither reads the service nor the clock.
 */
export class ModerationQueue {
  readonly counts = { approved: 0, rejected: 0 }
  private readonly entries = new Map<string, QueuedSubmission>()
  private shown: string | null = null
  private readonly undoable: string[] = []

  /** Adds pending submissions at the end; those that are here stay as they are. */
  add(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      if (submission.state !== 'pending' || this.entries.has(submission.id)) continue
      this.entries.set(submission.id, { submission, decision: null, isSkipped: false })
    }
    this.shown ??= this.next()
  }

  /** The submission on the screen; null when all are decided or skipped. */
  current(): QueuedSubmission | null {
    return this.shown === null ? null : (this.entries.get(this.shown) ?? null)
  }

  /** How many wait for a decision, and how many decisions wait to be sent. */
  waiting(): { undecided: number; unsent: number } {
    const all = [...this.entries.values()]
    return {
      undecided: all.filter(({ decision }) => decision === null).length,
      unsent: all.filter(({ decision }) => decision !== null).length,
    }
  }

  /** Those with a decision that the service does not know. */
  unsent(): QueuedSubmission[] {
    return [...this.entries.values()].filter(({ decision }) => decision !== null)
  }

  /** Decides on the submission on the screen, and shows the next. */
  decide(action: Decision['action'], reason: string | null, nowMs: number): void {
    const entry = this.current()
    if (!entry || entry.decision) return
    entry.decision = { action, reason, decidedAtMs: nowMs, isSending: false }
    this.undoable.push(entry.submission.id)
    this.shown = this.next()
  }

  /** Leaves the submission on the screen for later, and shows the next. */
  skip(): void {
    const entry = this.current()
    if (!entry) return
    entry.isSkipped = true
    this.shown = this.next()
  }

  /** Shows what was skipped, once more. */
  reviewSkipped(): void {
    for (const entry of this.entries.values()) entry.isSkipped = false
    this.shown = this.next()
  }

  /** Takes back the last decision that is not being sent, and shows its submission. Returns null when there is none. */
  undo(): QueuedSubmission | null {
    for (;;) {
      const id = this.undoable.pop()
      if (id === undefined) return null
      const entry = this.entries.get(id)
      if (!entry?.decision || entry.decision.isSending) continue
      entry.decision = null
      this.shown = id
      return entry
    }
  }

  /** Takes the decisions that are due, at most `limit`, and marks them as being sent. */
  takeDue(nowMs: number, limit: number, waitMs = UNDO_MS): { submission_id: string; action: Decision['action']; reason: string | null }[] {
    const due = [...this.entries.values()].filter(
      ({ decision }) => decision && !decision.isSending && nowMs - decision.decidedAtMs >= waitMs,
    )
    return due.slice(0, limit).flatMap(({ submission, decision }) => {
      if (!decision) return []
      decision.isSending = true
      return [{ submission_id: submission.id, action: decision.action, reason: decision.reason }]
    })
  }

  /** The service was not reached: the decisions wait again. */
  putBack(ids: readonly string[]): void {
    for (const id of ids) {
      const decision = this.entries.get(id)?.decision
      if (decision) decision.isSending = false
    }
  }

  /** Notes what became of a decision; the submission leaves the queue. Returns it. */
  settle({ submission_id, outcome }: SentResult): QueuedSubmission | null {
    const entry = this.entries.get(submission_id)
    if (!entry) return null
    this.entries.delete(submission_id)
    if (outcome !== 'failed' && entry.decision) this.counts[entry.decision.action === 'approve' ? 'approved' : 'rejected'] += 1
    if (this.shown === submission_id) this.shown = this.next()
    return entry
  }

  /** Somebody else decided: the submission leaves the queue, with a decision that was not sent. Returns it, or null if it was not here or is being sent. */
  decidedElsewhere(id: string): QueuedSubmission | null {
    const entry = this.entries.get(id)
    if (!entry || entry.decision?.isSending) return null
    this.entries.delete(id)
    if (this.shown === id) this.shown = this.next()
    return entry
  }

  /** Replaces a submission that was changed, as by its tags. */
  replace(submission: Submission): void {
    const entry = this.entries.get(submission.id)
    if (entry) entry.submission = submission
  }

  private next(): string | null {
    const found = [...this.entries.values()].find(({ decision, isSkipped }) => decision === null && !isSkipped)
    return found?.submission.id ?? null
  }
}
