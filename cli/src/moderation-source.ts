import type { Submission } from '@earshot/contracts'
import { sizes } from '@earshot/contracts/constants'
import { Pace, RETRY_MS } from './moderation-pace.ts'
import type { Session } from './moderation-session.ts'
import { isPassing } from './passing.ts'

/** The next page is read when so few are ahead. */
const LOW_WATER = 10
const PAGE = 50
/** How often those look for new submissions who may not read the stream of events. */
const LOOK_MS = 10_000
/** A submission can become visible later than one that was created after it, but not by so much. */
const OVERLAP_MS = 60_000
const TYPES = ['submission.created', 'submission.approved', 'submission.rejected'] as const

/** Brings pending submissions into the queue: those that wait, page by page, and those that arrive. Notices what others decide. */
export class ModerationSource {
  private readonly session: Session
  private readonly pace: Pace
  /** Of the next page; undefined for the first. */
  private pageCursor: string | undefined
  /** Of the last event; undefined before the stream was open. */
  private streamCursor: string | undefined
  /** The time of the newest submission that was seen; undefined if there was none. */
  private newest: string | undefined
  /** Whether submissions may have arrived that nobody told of. */
  private isBehind = false
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
      if (this.isBehind) await this.catchUp()
      else if (!queue.isWhole && queue.ahead().length < LOW_WATER) await this.readPage()
      else return false
      return true
    })
  }

  /** Follows the events until the person leaves. Those who may not read them look at the list now and then. */
  async follow(): Promise<void> {
    const { leaving, terminal, tell } = this.session
    while (!leaving.aborted) {
      try {
        await this.readStream()
      } catch (error) {
        if (leaving.aborted) return
        if (!isPassing(error)) return this.look()
        this.isCutOff = true
        tell(`${error.message} Reconnecting.`)
      }
      await terminal.pause(RETRY_MS, leaving)
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
    const stream = client.events.stream(
      { team_id: place.team_id, types: [...TYPES], cursor: this.streamCursor },
      // What was missed is read from the list.
      { signal: leaving, onReady, onExpired: ({ newestCursor }) => newestCursor },
    )
    for await (const { cursor, data: event } of stream) {
      this.streamCursor = cursor
      if ('submission' in event.data) await this.notice(event.data.submission)
    }
  }

  private async look(): Promise<void> {
    const { leaving, terminal } = this.session
    while (!leaving.aborted) {
      await terminal.pause(LOOK_MS, leaving)
      this.isBehind = true
    }
  }

  private async notice(submission: Submission): Promise<void> {
    const { place, filters, queue, colleagues, tell } = this.session
    if (submission.project_id !== place.project_id) return
    if (submission.state === 'pending') {
      this.see([submission])
      const isWanted = (!filters.kind || submission.kind === filters.kind) && (!filters.tag || submission.tags.includes(filters.tag))
      if (isWanted) queue.add([submission])
      return
    }
    const entry = queue.decidedElsewhere(submission.id)
    if (!entry) return
    entry.news = await colleagues.newsOf(submission)
    tell(entry.decision ? `${entry.news} Your decision was not sent.` : entry.news)
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
    this.isBehind = false
    try {
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
