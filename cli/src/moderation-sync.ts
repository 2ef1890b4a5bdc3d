import type { Submission } from '@earshot/contracts'
import type { Client } from '@earshot/contracts/client'
import { ageOf } from './age.ts'
import { type ModerationQueue, type SentResult, UNDO_MS } from './moderation-queue.ts'
import { isPassing } from './passing.ts'
import { cut, oneLine } from './printable.ts'
import type { Terminal } from './terminal.ts'

/** Decisions in one request. */
const BATCH = 50
const RETRY_MS = 2_000
/** Without any success, before the end. */
const MAX_TRIES = 3
/** How often those look for new submissions who may not read the stream of events. */
const LOOK_MS = 10_000
const PAGE = 50
const QUOTED_WIDTH = 40
const TYPES = ['submission.created', 'submission.approved', 'submission.rejected'] as const

export interface SyncOptions {
  client: Client
  place: { team_id: string; project_id: string }
  /** Which submissions are moderated. */
  filters: { kind?: Submission['kind']; tag?: string }
  queue: ModerationQueue
  terminal: Terminal
  signal: AbortSignal
  /** Says what happened. */
  tell: (message: string) => void
}

/** Keeps the queue of a moderator and the service in step: sends decisions, and notices what others do. */
export class ModerationSync {
  private isSending = false
  private retryAtMs = 0
  private names: Promise<Map<string, string>> | undefined
  private readonly options: SyncOptions

  constructor(options: SyncOptions) {
    this.options = options
  }

  /** Reads the pending submissions, a page at a time. */
  async *pages(): AsyncGenerator<Submission[], void> {
    const { client, place, filters } = this.options
    for await (const { results } of client.submissions.list({ ...place, ...filters, state: 'pending', limit: PAGE }).pages()) yield results
  }

  /** Sends the decisions that are due. If the service is away, they wait for the next try; throws when it refuses. */
  async send(waitMs = UNDO_MS): Promise<void> {
    const { client, place, queue, tell } = this.options
    if (this.isSending || performance.now() < this.retryAtMs) return
    const items = queue.takeDue(performance.now(), BATCH, waitMs)
    if (items.length === 0) return
    this.isSending = true
    try {
      const { results } = await client.submissions.moderate({
        ...place,
        items: items.map((item) => ({ ...item, expected_state: 'pending' })),
      })
      for (const result of results) await this.settle(result)
    } catch (error) {
      if (!isPassing(error)) throw error
      this.retryAtMs = performance.now() + RETRY_MS
      tell(`Not sent yet: ${error.message} Trying again.`)
    } finally {
      // Those that got no result.
      queue.putBack(items.map(({ submission_id }) => submission_id))
      this.isSending = false
    }
  }

  /** Sends all decisions before the end, also those that could still be taken back. Gives up after a few tries. */
  async flush(): Promise<void> {
    const { queue, terminal } = this.options
    const never = new AbortController().signal
    for (let tries = 0; tries < MAX_TRIES && queue.waiting().unsent > 0; ) {
      while (this.isSending) await terminal.pause(50, never)
      const { unsent } = queue.waiting()
      await terminal.pause(Math.max(0, this.retryAtMs - performance.now()), never)
      await this.send(0)
      if (queue.waiting().unsent === unsent) tries += 1
    }
  }

  /** Follows the events until the signal aborts. Those who may not read them look at the list now and then. */
  async follow(): Promise<void> {
    const { client, place, signal, terminal, tell } = this.options
    let cursor: string | undefined
    while (!signal.aborted) {
      try {
        const onReady = (start: string) => (cursor ??= start)
        const stream = client.events.stream(
          { team_id: place.team_id, types: [...TYPES], cursor },
          { signal, onReady, onExpired: () => undefined },
        )
        for await (const event of stream) {
          cursor = event.cursor
          if ('submission' in event.data.data) await this.notice(event.data.data.submission)
        }
      } catch (error) {
        if (signal.aborted) return
        if (!isPassing(error)) return this.look()
        tell(`${error.message} Reconnecting.`)
      }
      await terminal.pause(RETRY_MS, signal)
    }
  }

  private async look(): Promise<void> {
    const { signal, terminal, queue } = this.options
    while (!signal.aborted) {
      await terminal.pause(LOOK_MS, signal)
      const page = await this.pages()
        .next()
        .catch(() => undefined)
      queue.add(page?.value ?? [])
    }
  }

  private async notice(submission: Submission): Promise<void> {
    const { place, filters, queue, tell } = this.options
    if (submission.project_id !== place.project_id) return
    if (submission.state !== 'pending') {
      const entry = queue.decidedElsewhere(submission.id)
      if (entry) tell(`${await this.decisionOf(submission)}${entry.decision ? ' Your decision was not sent.' : ''}`)
      return
    }
    const isWanted = (!filters.kind || submission.kind === filters.kind) && (!filters.tag || submission.tags.includes(filters.tag))
    if (isWanted) queue.add([submission])
  }

  private async settle(result: SentResult): Promise<void> {
    const { client, place, queue, tell } = this.options
    const entry = queue.settle(result)
    if (!entry || result.outcome === 'changed') return
    const now = await client.submissions.retrieve({ ...place, submission_id: result.submission_id }).catch(() => null)
    if (!now) tell(`${quoteOf(entry.submission)} was deleted meanwhile.`)
    else tell(`${await this.decisionOf(now)}${result.outcome === 'failed' ? ' Your decision was not applied.' : ''}`)
  }

  /** Returns what somebody decided: `“Saved us a week” was rejected by Grace 12s ago.` */
  private async decisionOf(submission: Submission): Promise<string> {
    const { by, at } = submission.moderation
    this.names ??= this.readNames()
    const who = by === null ? '' : ` by ${(await this.names).get(by) ?? 'somebody else'}`
    return `${quoteOf(submission)} was ${submission.state}${who}${at === null ? '' : ` ${ageOf(at)} ago`}.`
  }

  private async readNames(): Promise<Map<string, string>> {
    const names = new Map<string, string>()
    try {
      for await (const { user } of this.options.client.members.list({ team_id: this.options.place.team_id })) names.set(user.id, user.name)
    } catch {
      // Names are read with another scope; the message is clear without.
    }
    return names
  }
}

/** Returns the beginning of what a submission says. */
export function quoteOf({ title, body }: Submission): string {
  return `“${cut(oneLine(title ?? body), QUOTED_WIDTH)}”`
}
