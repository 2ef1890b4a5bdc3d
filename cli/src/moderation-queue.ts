import type { Submission } from '@earshot/contracts'

/** How long a decision waits before it is sent, so that it can be undone. */
export const UNDO_MS = 5_000

/** What a person decides. */
export interface Choice {
  action: 'approve' | 'reject'
  reason: string | null
}

interface Decision extends Choice {
  decidedAtMs: number
  isSending: boolean
}

/** A submission in the queue. */
export interface QueuedSubmission {
  submission: Submission
  decision: Decision | null
  /** The person left it for later. */
  isSkipped: boolean
  /** It has left the queue. It may still be on the screen. */
  isGone: boolean
  /** What somebody else decided; null until it is known. */
  news: string | null
}

/**
 * The queue of a moderator: pending submissions, the one that is shown, and decisions that wait to be sent. It only remembers; it
 * neither reads the service nor the clock. Only the person moves from one submission to the next: none takes the place of another
 * under their fingers.
 */
export class ModerationQueue {
  readonly counts = { approved: 0, rejected: 0 }
  /** Whether all that are pending are here; false while there are pages to read. */
  isWhole = false
  private readonly entries = new Map<string, QueuedSubmission>()
  /** Ids of those that left: a page that was read before does not bring them back. */
  private readonly gone = new Set<string>()
  private readonly undoable: QueuedSubmission[] = []
  private shown: QueuedSubmission | null = null

  /** Adds pending submissions at the end; those that are here stay as they are. */
  add(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      const { id, state } = submission
      if (state !== 'pending' || this.entries.has(id) || this.gone.has(id)) continue
      this.entries.set(id, { submission, decision: null, isSkipped: false, isGone: false, news: null })
    }
    this.shown ??= this.next()
  }

  /** The submission on the screen; null when all are decided or skipped. */
  current(): QueuedSubmission | null {
    return this.shown
  }

  /** Those without a decision. */
  undecided(): QueuedSubmission[] {
    return this.all().filter(({ decision }) => decision === null)
  }

  /** Those without a decision that the person has not skipped. */
  ahead(): QueuedSubmission[] {
    return this.undecided().filter(({ isSkipped }) => !isSkipped)
  }

  /** Those with a decision that the service does not know. */
  unsent(): QueuedSubmission[] {
    return this.all().filter(({ decision }) => decision !== null)
  }

  /** Decides on a submission, and shows the next. Returns false if it has left the queue meanwhile. */
  decide(entry: QueuedSubmission, choice: Choice, nowMs: number): boolean {
    if (!entry.isGone) {
      entry.decision = { ...choice, decidedAtMs: nowMs, isSending: false }
      this.undoable.push(entry)
    }
    this.leave(entry)
    return !entry.isGone
  }

  /** Leaves a submission for later, and shows the next. */
  skip(entry: QueuedSubmission): void {
    entry.isSkipped = true
    this.leave(entry)
  }

  /** Shows what was skipped, once more. */
  reviewSkipped(): void {
    for (const entry of this.entries.values()) entry.isSkipped = false
    this.shown = this.next()
  }

  /** Undoes the last decision that is not being sent, and shows its submission. Returns null when there is none. */
  undo(): QueuedSubmission | null {
    // One that is being sent may come back.
    const at = this.undoable.findLastIndex(({ isGone, decision }) => !isGone && !decision?.isSending)
    const [entry] = at < 0 ? [] : this.undoable.splice(at, 1)
    if (!entry) return null
    entry.decision = null
    this.shown = entry
    return entry
  }

  /** Takes the decisions that are due, at most `limit`, and marks them as being sent. */
  takeDue(nowMs: number, limit: number, waitMs: number): (Choice & { submission_id: string })[] {
    const items: (Choice & { submission_id: string })[] = []
    for (const { submission, decision } of this.unsent()) {
      if (items.length === limit) break
      if (!decision || decision.isSending || nowMs - decision.decidedAtMs < waitMs) continue
      decision.isSending = true
      items.push({ submission_id: submission.id, action: decision.action, reason: decision.reason })
    }
    return items
  }

  /** The service was not reached: the decisions wait again. */
  putBack(ids: readonly string[]): void {
    for (const id of ids) {
      const decision = this.entries.get(id)?.decision
      if (decision) decision.isSending = false
    }
  }

  /** Notes that the service has judged a decision, and whether it holds; the submission leaves the queue. Returns it. */
  settle(id: string, holds: boolean): QueuedSubmission | null {
    const entry = this.remove(id)
    if (holds && entry?.decision) this.counts[entry.decision.action === 'approve' ? 'approved' : 'rejected'] += 1
    return entry
  }

  /** Somebody else decided: the submission leaves the queue. Returns it, or null if it was not here or is being sent. */
  decidedElsewhere(id: string): QueuedSubmission | null {
    return this.entries.get(id)?.decision?.isSending ? null : this.remove(id)
  }

  /** Whether the submission is in the queue. */
  has(id: string): boolean {
    return this.entries.has(id)
  }

  /** Replaces a submission that was changed, as by its tags. */
  replace(submission: Submission): void {
    const entry = this.entries.get(submission.id)
    if (entry) entry.submission = submission
  }

  private all(): QueuedSubmission[] {
    return [...this.entries.values()]
  }

  private remove(id: string): QueuedSubmission | null {
    this.gone.add(id)
    const entry = this.entries.get(id) ?? null
    this.entries.delete(id)
    if (entry) entry.isGone = true
    return entry
  }

  private leave(entry: QueuedSubmission): void {
    if (this.shown === entry) this.shown = this.next()
  }

  private next(): QueuedSubmission | null {
    return this.ahead()[0] ?? null
  }
}
