import type { Submission } from '../../web/src/dashboard/api.ts'
import type { Change } from '../../web/src/dashboard/live/follow.ts'
import { type Browser, pass, reactQuery, type Tab } from './browser.ts'
import { countsOf, PROJECT, REF } from './records.ts'
import { FakeService, FakeStream, refusal, type SentRequest } from './service.ts'

/** Changes that come together are shown together. */
export const GATHER_MS = 300
export const STREAM = 'GET submissions/stream/'
export const RETRIEVE = 'GET submissions/{id}/'
export const LIST = 'GET submissions/'
export const COUNTS = 'GET submissions/counts/'

type Filters = Parameters<Tab['dashboard']['lists']['takeOut']>[1]

/** A project with submissions, whose changes are told by a stream. */
export class LiveProject {
  readonly stream = new FakeStream()
  readonly service: FakeService
  readonly stored = new Map<string, Submission>()
  #lastCursor = 0

  constructor() {
    const list = ({ query: { state, limit = '100' } }: SentRequest) => {
      const all = [...this.stored.values()].filter((one) => state === undefined || one.state === state)
      const results = all.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, Number(limit))
      return { results, next_cursor: results.length < all.length ? 'more' : null }
    }
    this.service = new FakeService()
      .on(LIST, list)
      .on(RETRIEVE, ({ path }) => this.stored.get(path.split('/').at(-2) ?? '') ?? refusal(404, 'not_found'))
      .on(COUNTS, () => countsOf(this.stored.size))
      .on(STREAM, this.stream.open)
  }

  /** Changes submissions. The stream tells of them where it is open. */
  change(changes: readonly Change[], records: readonly Submission[] = []): void {
    for (const record of records) this.stored.set(record.id, record)
    for (const change of changes) {
      this.#lastCursor += 1
      this.stream.tell(`c${this.#lastCursor}`, change)
    }
  }

  /** Opens a tab that shows lists, and follows the project. */
  async open(browser: Browser, lists: readonly Filters[] = [{ state: 'pending' }]): Promise<Tab> {
    const tab = browser.openTab({ service: this.service })
    for (const filters of lists) showList(tab, filters)
    await pass()
    tab.dashboard.showChanges.showChanges(REF)
    await pass()
    return tab
  }

  /** Opens a tab whose stream has begun. */
  async openLive(browser: Browser, lists?: readonly Filters[]): Promise<Tab> {
    const tab = await this.open(browser, lists)
    this.stream.ready('c0')
    await pass()
    return tab
  }
}

/** Puts a list on the screen, as a page does that observes its query. Returns a function that takes it from there. */
export function showList({ dashboard: { api, lists } }: Tab, filters: Filters): () => void {
  const observer = new reactQuery.InfiniteQueryObserver(api.queries, {
    queryKey: [...lists.listKey(PROJECT), filters],
    queryFn: ({ pageParam: cursor }) => api.api.submissions.list({ ...REF, ...filters, limit: 100, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return observer.subscribe(() => {})
}

/** Puts the list of videos on the screen. */
export function showVideoList({ dashboard: { api, videos } }: Tab): void {
  new reactQuery.InfiniteQueryObserver(api.queries, videos.videosQuery(REF, undefined)).subscribe(() => {})
}

export function shownIn({ dashboard: { lists } }: Tab, filters: Filters = { state: 'pending' }): string[] {
  return [...lists.idsOf(PROJECT, filters)]
}
