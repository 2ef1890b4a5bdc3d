import type { Submission } from '@earshot/contracts'
import { type Client, EarshotApiError } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { quoteOf } from './moderation-colleagues.ts'
import { Pace, RETRY_MS } from './moderation-pace.ts'
import type { Session } from './moderation-session.ts'
import { isPassing, waitMsAfter } from './passing.ts'

/** The next page is read when so few are ahead. */
const LOW_WATER = 10
const PAGE = 50
/** How long arrivals wait after others were read; longer where many arrive, because a person has 1,000 requests per hour. */
const MIN_GAP_MS = 500
const MAX_GAP_MS = 5_000
/** A submission can become visible later than one that was created after it, but not by so much. */
const OVERLAP_MS = 60_000

type Change = ReturnType<Client['submissions']['stream']> extends AsyncIterable<{ data: infer Data }> ? Data : never

/** Brings pending submissions into the queue: those that wait, page by page, and those that arrive. Notices what others decide. */
export class ModerationSource {
  private readonly session: Session
  private readonly pace: Pace
  /** Of the next page; undefined for the first. */
  private pageCursor: string | undefined
  /** Of the last change; undefined before the stream was open. */
  private streamCursor: string | undefined
  /** The time of the newest submission that was seen; undefined if there was none. */
  private newest: string | undefined
  /** Whether submissions may have arrived that are not here yet. */
  private isBehind = false
  /** Older submissions may have got the tag that the queue is filtered by. */
  private olderMayMatch = false
  private caughtUpMs = Number.NEGATIVE_INFINITY
  private gapMs = MIN_GAP_MS
  /** Whether the stream was lost. */
  private isCutOff = false

  constructor(session: Session) {
    this.session = session
    this.pace = new Pace({ failure: 'Not all submissions are here', tell: (message) => session.tell(message), signal: session.leaving })
  }

  /** Reads the first page. */
  async start(): Promise<void> {
    const { client, place } = this.session
    const [{ results }] = await Promise.all([client.submissions.list({ ...place, limit: 1 }), this.readPage()])
    this.see(results)
  }

  /** Reads what has arrived, or the next page when few submissions are ahead. Throws a failure that does not pass. */
  load(): Promise<void> {
    const { queue } = this.session
    return this.pace.run(async () => {
      if ((this.isBehind || this.olderMayMatch) && performance.now() - this.caughtUpMs >= this.gapMs) await this.catchUp()
      else if (!queue.isWhole && queue.ahead().length < LOW_WATER) await this.readPage()
      else return false
      return true
    })
  }

  /** Follows the changes of the project until the person leaves. Throws a failure that does not pass. */
  async follow(): Promise<void> {
    const { leaving, terminal, tell } = this.session
    while (!leaving.aborted) {
      let waitMs = RETRY_MS
      try {
        await this.readStream()
      } catch (error) {
        if (leaving.aborted) return
        if (!isPassing(error)) throw error
        this.isCutOff = true
        waitMs = waitMsAfter(error, RETRY_MS)
        tell(`${error.message} Reconnecting.`)
      }
      await terminal.pause(waitMs, leaving)
    }
  }

  private async readStream(): Promise<void> {
    const { client, place, leaving, tell } = this.session
    const onReady = (start: string) => {
      this.streamCursor ??= start
      this.isBehind = true
      if (this.isCutOff) tell('The service is back.')
      this.isCutOff = false
    }
    const stream = client.submissions.stream(
      { ...place, cursor: this.streamCursor },
      // What was missed is read from the list.
      { signal: leaving, onReady, onExpired: ({ newestCursor }) => newestCursor },
    )
    for await (const { cursor, data: change } of stream) {
      await this.notice(change)
      this.streamCursor = cursor
    }
  }

  /** A change names the submission and its state. The rest is read where it matters. */
  private async notice({ type, submission_id, kind, state }: Change): Promise<void> {
    const { filters, queue } = this.session
    if (state !== 'pending') return this.noticeDecision(submission_id, state)
    if (filters.kind && filters.kind !== kind) return
    if (type === 'submission.created') this.isBehind = true
    else if (queue.has(submission_id)) {
      const submission = await this.read(submission_id)
      if (submission) queue.replace(submission)
    } else if (filters.tag) this.olderMayMatch = true
  }

  private async noticeDecision(id: string, state: Change['state']): Promise<void> {
    const { queue, colleagues, tell } = this.session
    const entry = queue.decidedElsewhere(id)
    if (!entry) return
    // Who decided is good to know; that somebody did is certain.
    const now = state === 'deleted' ? null : await this.read(id).catch(() => null)
    const otherwise = state === 'deleted' ? 'deleted meanwhile' : `${state} by somebody else`
    entry.news = now ? await colleagues.newsOf(now) : `${quoteOf(entry.submission)} was ${otherwise}.`
    tell(entry.decision ? `${entry.news} Your decision was not sent.` : entry.news)
  }

  /** Returns the submission as it is now; null if it is not there any more. */
  private async read(submission_id: string): Promise<Submission | null> {
    const { client, place, leaving } = this.session
    try {
      return await client.submissions.retrieve({ ...place, submission_id }, { signal: leaving })
    } catch (error) {
      if (error instanceof EarshotApiError && error.status === 404) return null
      throw error
    }
  }

  private async readPage(): Promise<void> {
    const { queue } = this.session
    const { results, next_cursor } = await this.list({ cursor: this.pageCursor, limit: PAGE })
    this.pageCursor = next_cursor ?? undefined
    queue.isWhole = next_cursor === null
    queue.add(results)
  }

  /** Reads all that have arrived since the newest that was seen. */
  private async catchUp(): Promise<void> {
    const nowMs = performance.now()
    const { olderMayMatch } = this
    this.isBehind = false
    this.olderMayMatch = false
    this.gapMs = nowMs - this.caughtUpMs > MAX_GAP_MS ? MIN_GAP_MS : Math.min(MAX_GAP_MS, this.gapMs * 2)
    this.caughtUpMs = nowMs
    try {
      if (olderMayMatch) this.session.queue.add((await this.list({ cursor: undefined, limit: sizes.pageItems })).results)
      const created_after = this.newest && new Date(Date.parse(this.newest) - OVERLAP_MS).toISOString()
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const { results, next_cursor } = await this.list({ created_after, cursor, limit: sizes.pageItems })
        this.session.queue.add(results)
        this.see(results)
        cursor = next_cursor ?? undefined
        isLast = next_cursor === null
      }
    } catch (error) {
      this.isBehind = true
      this.olderMayMatch ||= olderMayMatch
      throw error
    }
  }

  private list(span: { created_after?: string | undefined; cursor: string | undefined; limit: number }) {
    const { client, place, filters, leaving } = this.session
    return client.submissions.list({ ...place, ...filters, state: 'pending', ...span }, { signal: leaving })
  }

  private see(submissions: readonly Submission[]): void {
    for (const { created_at } of submissions) if (this.newest === undefined || created_at > this.newest) this.newest = created_at
  }
}
