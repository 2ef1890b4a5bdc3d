import { type Client, EarshotApiError } from '@earshot/contracts/client'
import { quoteOf } from './moderation-colleagues.ts'
import { Pace } from './moderation-pace.ts'
import { type QueuedSubmission, UNDO_MS } from './moderation-queue.ts'
import type { Session } from './moderation-session.ts'
import { NotSignedInError } from './not-signed-in.ts'

/** Decisions in one request. */
const BATCH = 50
const POLL_MS = 50

type ModerationResult = Awaited<ReturnType<Client['submissions']['moderate']>>['results'][number]

/** Sends what a moderator decides, and tells where somebody else was faster. */
export class ModerationSender {
  private readonly session: Session
  private readonly pace: Pace
  private readonly edits = new Set<Promise<void>>()

  constructor(session: Session) {
    this.session = session
    this.pace = new Pace({ failure: 'Not sent yet', tell: (message) => session.tell(message), signal: session.stopping })
  }

  /** Sends the decisions that are due. Throws a failure that does not pass. */
  send(waitMs = UNDO_MS): Promise<void> {
    return this.pace.run(() => this.sendBatch(waitMs))
  }

  /** Sends all decisions, also those that could still be undone, until nothing more may be sent. */
  async flush(): Promise<void> {
    const { queue, terminal, stopping } = this.session
    await this.send(0)
    while (queue.unsent().length > 0 && !stopping.aborted) {
      await terminal.pause(POLL_MS, stopping)
      await this.send(0)
    }
    await Promise.all(this.edits)
  }

  /** Sets the tags of a submission at once. */
  setTags(entry: QueuedSubmission, tags: string[]): void {
    const edit = this.update(entry, tags).finally(() => this.edits.delete(edit))
    this.edits.add(edit)
  }

  private async update({ submission }: QueuedSubmission, tags: string[]): Promise<void> {
    const { client, place, queue, tell, leave, stopping } = this.session
    try {
      queue.replace(await client.submissions.update({ ...place, submission_id: submission.id, tags }, { signal: stopping }))
      tell('The tags are set.')
    } catch (error) {
      if (isUnauthorized(error)) leave({ error })
      tell(`The tags of ${quoteOf(submission)} are not set: ${error instanceof Error ? error.message : error}`)
    }
  }

  private async sendBatch(waitMs: number): Promise<boolean> {
    const { client, place, queue, stopping } = this.session
    const items = queue.takeDue(performance.now(), BATCH, waitMs)
    if (items.length === 0) return false
    try {
      const { results } = await client.submissions.moderate(
        { ...place, items: items.map((item) => ({ ...item, expected_state: 'pending' })) },
        { signal: stopping },
      )
      await this.settle(results)
    } finally {
      // Those that got no result.
      queue.putBack(items.map(({ submission_id }) => submission_id))
    }
    return true
  }

  private async settle(results: readonly ModerationResult[]): Promise<void> {
    const { queue, tell } = this.session
    const conflicts = results.flatMap((result) => {
      const entry = queue.settle(result.submission_id, result.outcome !== 'failed')
      return entry && result.outcome !== 'changed' ? [{ entry, result }] : []
    })
    const [first] = conflicts
    if (!first) return
    const news = await this.newsOf(first.entry, first.result)
    tell(conflicts.length === 1 ? news : `Others decided on ${conflicts.length} of these submissions meanwhile. ${news}`)
  }

  private async newsOf({ submission }: QueuedSubmission, { outcome, error, ...result }: ModerationResult): Promise<string> {
    const { client, place, colleagues, stopping } = this.session
    if (error?.code === 'not_found') return `${quoteOf(submission)} was deleted meanwhile.`
    const ref = { ...place, submission_id: submission.id }
    const now = result.submission ?? (await client.submissions.retrieve(ref, { signal: stopping }).catch(() => null))
    const news = now ? await colleagues.newsOf(now) : `${quoteOf(submission)} was ${error?.current_state} by somebody else.`
    return outcome === 'failed' ? `${news} Your decision was not applied.` : news
  }
}

/** Returns whether the service does not know the caller any more: nothing can be sent. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof NotSignedInError || (error instanceof EarshotApiError && error.status === 401)
}
