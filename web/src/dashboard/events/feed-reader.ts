import { type Client, EarshotApiError } from '@earshot/contracts/client'
import { api, type Item, isRefusal, type Output } from '../api.ts'
import type { EventType } from '../webhooks/records.ts'

export type FeedEvent = Item<Client['events']['list']>
type FeedPage = Output<Client['events']['list']>

/** An event with its payload has about a kilobyte. */
const PAGE = 25
/** Read at once while an event of the address is looked for, so many times. */
const WIDE_PAGE = 100
const MAX_WIDE_PAGES = 5
const MAX_KEPT = 5_000
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

/** What the page shows of the feed. */
interface FeedView {
  /** Newest first. */
  events: readonly FeedEvent[]
  /** `lost`: the connection is tried again by itself. */
  state: 'reading' | 'live' | 'paused' | 'lost' | 'failed'
  error: unknown
  /** Whether there are older events than those read. */
  hasOlder: boolean
  isReadingOlder: boolean
  olderError: unknown
}

/**
 * Reads the newest events of a team, then follows its change feed live, and goes back page by page. It resumes at its cursor, so that
 * nothing is missed or repeated.
 */
export class FeedReader {
  view: FeedView = { events: [], state: 'reading', error: null, hasOlder: false, isReadingOlder: false, olderError: null }
  readonly #filter: { team_id: string; types?: EventType[] }
  readonly #listeners = new Set<() => void>()
  /** Where the newest event read ends. */
  #cursor: string | undefined
  /** Where the oldest event read begins. */
  #oldest: string | undefined
  #running: AbortController | null = null

  constructor(team_id: string, type: EventType | undefined) {
    this.#filter = { team_id, ...(type && { types: [type] }) }
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the newest events, or goes on where it stopped. */
  start(): void {
    this.#run((signal) => (this.#cursor === undefined ? this.#read(signal) : this.#follow(signal)))
  }

  /** Reads the page before the oldest event that was read. */
  async older(limit = PAGE): Promise<void> {
    if (this.view.isReadingOlder || !this.view.hasOlder) return
    this.#set({ isReadingOlder: true, olderError: null })
    const from = this.#oldest
    try {
      const page = await this.#readBack(limit, from)
      // The feed was begun anew meanwhile.
      if (this.#oldest === from) this.#addOlder(page)
    } catch (olderError) {
      this.#set({ olderError })
    } finally {
      this.#set({ isReadingOlder: false })
    }
  }

  /** Goes back until an event was read, or the events are older than it. Ids begin with their time. */
  async seek(id: string): Promise<void> {
    for (let page = 0; page < MAX_WIDE_PAGES; page += 1) {
      const oldest = this.view.events.at(-1)
      if (!this.view.hasOlder || this.view.olderError !== null || (oldest && oldest.id <= id)) return
      await this.older(WIDE_PAGE)
    }
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
      // What the cursor stands at is no longer kept, so the next start reads the newest events anew.
      if (isRefusal(error, 'cursor_expired')) this.#cursor = undefined
      this.#set({ state: 'failed', error, ...(this.#cursor === undefined && { events: [], hasOlder: false }) })
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#set({ state: 'reading' })
    const page = await this.#readBack(PAGE, undefined, signal)
    // Another reader may have begun while this one waited.
    if (signal.aborted) return
    this.#cursor = page.newest_cursor
    this.#addOlder(page)
    return this.#follow(signal)
  }

  #readBack(limit: number, cursor: string | undefined, signal?: AbortSignal): Promise<FeedPage> {
    const at = cursor === undefined ? {} : { cursor }
    return api.events.list({ ...this.#filter, order: 'newest_first', limit, ...at }, signal && { signal })
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

  #addOlder({ results, next_cursor, has_more }: FeedPage): void {
    this.#oldest = next_cursor
    const events = [...this.view.events, ...results]
    this.#set({ events: events.slice(0, MAX_KEPT), hasOlder: has_more && events.length < MAX_KEPT })
  }

  #add(found: readonly FeedEvent[]): void {
    if (found.length === 0) return
    const events = [...found.toReversed(), ...this.view.events]
    // The oldest ones make room: going back from them would leave a gap.
    this.#set({ events: events.slice(0, MAX_KEPT), hasOlder: this.view.hasOlder && events.length <= MAX_KEPT })
  }

  #set(change: Partial<FeedView>): void {
    this.view = { ...this.view, ...(change.state && { error: null }), ...change }
    for (const listener of this.#listeners) listener()
  }
}

function isFinal(failure: unknown): boolean {
  return failure instanceof EarshotApiError && failure.status < 500 && failure.code !== 'rate_limited'
}
