import { type Client, EarshotApiError } from '@earshot/contracts/client'
import { api, type Item, isRefusal } from '../api.ts'
import type { EventType } from '../webhooks/records.ts'

export type FeedEvent = Item<Client['events']['list']>

const PAGE = 100
/** Read when the page opens. */
const FIRST_PAGES = 3
/** Read by one press of "Catch up". */
const MORE_PAGES = 20
const MAX_KEPT = 5_000
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

/** What the page shows of the feed. */
interface FeedView {
  /** Newest first. */
  events: readonly FeedEvent[]
  /** `behind`: there are newer events than those read. `lost`: the connection is tried again by itself. */
  state: 'reading' | 'behind' | 'live' | 'paused' | 'lost' | 'failed'
  error: unknown
}

/**
 * Reads the change feed of a team from its oldest event on, as the API gives it, then follows it live. It resumes at its cursor, so
 * that nothing is missed or repeated.
 */
export class FeedReader {
  view: FeedView = { events: [], state: 'reading', error: null }
  readonly #filter: { team_id: string; types?: EventType[] }
  readonly #listeners = new Set<() => void>()
  #cursor: string | undefined
  #running: AbortController | null = null

  constructor(team_id: string, type: EventType | undefined) {
    this.#filter = { team_id, ...(type && { types: [type] }) }
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the first pages, or goes on where it stopped. */
  start(): void {
    this.#run((signal) => (this.#cursor === undefined ? this.#read(FIRST_PAGES, signal) : this.#follow(signal)))
  }

  /** Reads many pages more. */
  catchUp(): void {
    this.#run((signal) => this.#read(MORE_PAGES, signal))
  }

  /** Leaves out what was not read yet, and waits for new events. */
  skip(): void {
    this.#cursor = undefined
    this.#run((signal) => this.#follow(signal))
  }

  /** Closes the connection. */
  stop(): void {
    this.#running?.abort()
  }

  pause(): void {
    this.stop()
    this.#set({ state: 'paused' })
  }

  /** Takes out an event that was expunged. */
  remove(id: string): void {
    this.#set({ events: this.view.events.filter((event) => event.id !== id) })
  }

  #run(work: (signal: AbortSignal) => Promise<void>): void {
    this.stop()
    const controller = new AbortController()
    this.#running = controller
    work(controller.signal).catch((error: unknown) => {
      if (controller.signal.aborted) return
      // What the cursor stands at is no longer kept, so the next start reads from the oldest event that is.
      if (isRefusal(error, 'cursor_expired')) this.#cursor = undefined
      this.#set({ state: 'failed', error, ...(this.#cursor === undefined && { events: [] }) })
    })
  }

  async #read(pages: number, signal: AbortSignal): Promise<void> {
    this.#set({ state: 'reading' })
    for (let page = 0; page < pages; page += 1) {
      const { results, next_cursor } = await api.events.list({ ...this.#filter, limit: PAGE, ...this.#at() }, { signal })
      // Another reader may have begun while this one waited.
      if (signal.aborted) return
      this.#cursor = next_cursor
      this.#add(results)
      // Only an empty page says that it is up to date.
      if (results.length === 0) return this.#follow(signal)
    }
    this.#set({ state: 'behind' })
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let waitMs = MIN_WAIT_MS
    const onReady = (cursor: string) => {
      this.#cursor = cursor
      waitMs = MIN_WAIT_MS
      this.#set({ state: 'live' })
    }
    while (!signal.aborted) {
      try {
        await this.#stream(signal, onReady)
      } catch (failure) {
        if (signal.aborted) return
        if (isFinal(failure)) throw failure
        this.#set({ state: 'lost' })
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
      }
    }
  }

  async #stream(signal: AbortSignal, onReady: (cursor: string) => void): Promise<void> {
    const options = { signal, onReady, onExpired: ({ newestCursor }: { newestCursor: string }) => newestCursor }
    for await (const { cursor, data } of api.events.stream({ ...this.#filter, ...this.#at() }, options)) {
      this.#cursor = cursor
      this.#add([data])
    }
  }

  #at(): { cursor?: string } {
    return this.#cursor === undefined ? {} : { cursor: this.#cursor }
  }

  #add(found: readonly FeedEvent[]): void {
    if (found.length > 0) this.#set({ events: [...found.toReversed(), ...this.view.events].slice(0, MAX_KEPT) })
  }

  #set(change: Partial<FeedView>): void {
    this.view = { ...this.view, error: null, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function isFinal(failure: unknown): boolean {
  return failure instanceof EarshotApiError && failure.status < 500 && failure.code !== 'rate_limited'
}
