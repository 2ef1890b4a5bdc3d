import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { buildSync } from 'esbuild'
import { vi } from 'vitest'
import { MemoryStorage } from './memory-storage.ts'
import type { FakeService } from './service.ts'

type Dashboard = typeof import('./dashboard.ts')

const ORIGIN = 'https://feedback.example.com'
const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
const requireOfWeb = createRequire(`${WEB}package.json`)
/** Globals that the script finds in a tab instead of in the process. */
const NAMES = [
  ...['require', 'exports', 'location', 'document', 'navigator', 'localStorage', 'sessionStorage', 'BroadcastChannel'],
  ...['addEventListener', 'removeEventListener', 'reportError', 'fetch', 'fetchOfPage', 'setTimeout', 'setInterval'],
] as const

type Given = Record<(typeof NAMES)[number], unknown>
type Run = (work: () => void) => void

/** A tab with a page of the dashboard, whose parts have a state of their own. */
export interface Tab {
  dashboard: Dashboard
  /** Whether somebody sees it. */
  isVisible: boolean
  /** How often the page was loaded again. */
  reloads: number
  /** Errors that were reported instead of thrown. */
  errors: unknown[]
  /** Lets something happen to the window, and returns whether nothing objected. */
  dispatch: (type: string, fields?: object) => boolean
  /** Stops its timers, events and messages until `thaw`, as a browser or a debugger can. */
  freeze: () => void
  thaw: () => void
  /** Ends the page: it hears, does and says nothing any more. */
  close: () => void
}

interface TabOptions {
  service: FakeService
  /** The text of the element in which the document brings data. */
  firstData?: string
  /** As this tab has kept it before a reload. */
  sessionStorage?: MemoryStorage
}

/** A browser without a screen: what its tabs share. Timers are those of the process, so that `vi.useFakeTimers` stops its time. */
export class Browser {
  readonly localStorage = new MemoryStorage((change, from) => {
    for (const [tab, run] of this.#tabs) if (tab !== from) run(() => void tab.dispatch('storage', change))
  })
  readonly #tabs = new Map<Tab, Run>()
  readonly #channels = new Set<Channel>()
  readonly #locks = new Map<string, Promise<unknown>>()
  readonly #hasLocks: boolean

  /** Browsers have locks only in secure contexts. */
  constructor({ hasLocks = true } = {}) {
    this.#hasLocks = hasLocks
  }

  openTab({ service, firstData, sessionStorage = new MemoryStorage() }: TabOptions): Tab {
    const window = new EventTarget()
    const closed = new AbortController()
    let waiting: (() => void)[] | null = null
    const run: Run = (work) => {
      if (closed.signal.aborted) return
      if (waiting) waiting.push(work)
      else work()
    }
    const dispatch: Tab['dispatch'] = (type, fields = {}) =>
      window.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), fields))
    const tab: Tab = {
      dashboard: {} as Dashboard, // Proven: the script fills it.
      ...{ isVisible: true, reloads: 0, errors: [], dispatch },
      freeze: () => {
        waiting = []
      },
      thaw: () => {
        const works = waiting ?? []
        waiting = null
        for (const work of works) run(work)
      },
      close: () => {
        dispatch('pagehide')
        closed.abort()
        this.#tabs.delete(tab)
        for (const channel of this.#channels) if (channel.run === run) channel.close()
      },
    }
    this.#tabs.set(tab, run)
    const fetch = (input: string, init?: RequestInit) => service.answer(input, init, closed.signal)
    const given: Given = {
      ...{
        require: requireOfTab,
        exports: tab.dashboard,
        ...ownOf(tab, firstData),
        sessionStorage,
        localStorage: this.localStorage.seenFrom(tab),
      },
      ...{ navigator: this.#navigatorOf(closed.signal), BroadcastChannel: this.#channelOf(run), ...timersOf(run) },
      addEventListener: window.addEventListener.bind(window),
      removeEventListener: window.removeEventListener.bind(window),
      ...{ fetch, fetchOfPage: fetch },
    }
    script()(...NAMES.map((name) => given[name]))
    return tab
  }

  /** Says something to the tabs that no tab of this test says. */
  post(channel: string, message: unknown): void {
    const other = new Channel(channel, (work) => work(), this.#channels)
    other.postMessage(message)
    other.close()
  }

  #navigatorOf(closed: AbortSignal) {
    return { onLine: true, ...(this.#hasLocks && { locks: { request: this.#lockOf(closed) } }) }
  }

  /** Web Locks (https://w3c.github.io/web-locks/), as far as the dashboard uses them: one holder at a time, in the order of the requests. */
  #lockOf(closed: AbortSignal) {
    return async (name: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>): Promise<void> => {
      const before = this.#locks.get(name) ?? Promise.resolve()
      const released = Promise.withResolvers<void>()
      this.#locks.set(
        name,
        before.then(() => released.promise),
      )
      closed.addEventListener('abort', () => released.resolve())
      await Promise.race([before, whenAborted(signal)])
      try {
        signal.throwIfAborted()
        if (!closed.aborted) await work()
      } finally {
        released.resolve()
      }
    }
  }

  #channelOf(run: Run) {
    const channels = this.#channels
    return class extends Channel {
      constructor(name: string) {
        super(name, run, channels)
      }
    }
  }
}

/** A BroadcastChannel between the tabs of one browser. */
class Channel {
  onmessage: ((event: { data: unknown }) => void) | null = null
  readonly name: string
  /** Runs something in its tab. */
  readonly run: Run
  readonly #all: Set<Channel>

  constructor(name: string, run: Run, all: Set<Channel>) {
    this.name = name
    this.run = run
    this.#all = all
    all.add(this)
  }

  postMessage(data: unknown): void {
    if (!this.#all.has(this)) throw new Error('The channel is closed')
    for (const other of this.#all) {
      if (other === this || other.name !== this.name) continue
      const copy: unknown = structuredClone(data)
      queueMicrotask(() => other.run(() => this.#all.has(other) && other.onmessage?.({ data: copy })))
    }
  }

  close(): void {
    this.#all.delete(this)
  }
}

/** The library with which the pages keep what they have read. */
export const reactQuery: typeof import('@tanstack/react-query') = requireOfWeb('@tanstack/react-query')

/** Lets time pass, and all that it brings about happen. */
export async function pass(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  // Bodies of responses are read in tasks of their own.
  for (let round = 0; round < 3; round += 1) await vi.advanceTimersByTimeAsync(0)
}

/** The parts of its tab that a page sees. */
function ownOf(tab: Tab, firstData: string | undefined) {
  const document = Object.assign(new EventTarget(), {
    hasFocus: () => tab.isVisible,
    getElementById: () => (firstData === undefined ? null : { textContent: firstData }),
    querySelector: () => null,
  })
  Object.defineProperty(document, 'visibilityState', { get: () => (tab.isVisible ? 'visible' : 'hidden') })
  const reload = () => {
    tab.reloads += 1
  }
  const location = { origin: ORIGIN, href: `${ORIGIN}/app/`, reload }
  return { document, location, reportError: (error: unknown) => tab.errors.push(error) }
}

/** Timers that stand still with their tab, and end with it. */
function timersOf(run: Run) {
  return {
    setTimeout: (work: () => void, ms?: number) => setTimeout(() => run(work), ms),
    setInterval: (work: () => void, ms: number) => setInterval(() => run(work), ms),
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A hook that reads a store is a function like any other here: nothing is rendered, and nothing is asked of the router. */
function requireOfTab(name: string): unknown {
  if (name === '@tanstack/react-router') return {}
  const found: unknown = requireOfWeb(name)
  return name === 'react' ? { ...(found as object), useSyncExternalStore: (_subscribe: unknown, read: () => unknown) => read() } : found
}

let compiled: ((...given: unknown[]) => void) | undefined

/** The script, made with its first use. Each call of it is a page of its own. */
function script(): (...given: unknown[]) => void {
  compiled ??= compile()
  return compiled
}

function compile(): (...given: unknown[]) => void {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('dashboard.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'cjs', target: 'es2024', jsx: 'automatic' },
    external: ['react', 'react-dom', '@tanstack/*', '@dnd-kit/*'],
    define: { 'globalThis.fetch': 'fetchOfPage' },
  })
  const code = `Object.assign(exports, (() => { const module = { exports: {} }; ${outputFiles[0]?.text}\nreturn module.exports })())`
  // Proven: it is compiled with these parameters.
  return compileFunction(code, [...NAMES], { filename: 'dashboard.js' }) as (...given: unknown[]) => void
}
