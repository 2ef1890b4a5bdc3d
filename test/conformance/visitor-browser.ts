import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Team } from '../support/people.ts'
import type { ServiceProcess } from '../support/service-process.ts'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** The levels that the pages promise (WCAG 2.2 AA). */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** How long a step may take on a machine that does something else, too. */
const LIMIT_MS = 60_000

/** A phone of today. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }
export const WIDE = { viewport: { width: 1_280, height: 900 } }

/** Runs before any script of the page: all that a browser can keep is refused, as in a frame whose cookies are blocked. */
export const WITHOUT_STORAGE = `
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
    Object.defineProperty(globalThis, name, { get() { throw new DOMException('Access is denied for this document.', 'SecurityError') } })
  Object.defineProperty(Document.prototype, 'cookie', {
    get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
    set() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
  })`

/** A project whose pages are visited. */
export interface Visited {
  service: ServiceProcess
  team: Team
  /** The address of the collection page. */
  form: string
}

/** Visitors in one browser, and everything that went wrong on their pages. */
export interface Visitors {
  /** Opens a browser profile of its own. */
  visitor: (options: BrowserContextOptions) => Promise<{ context: BrowserContext; page: Page }>
  /** Checks the page as it is now with axe. */
  accessible: (page: Page, state: string) => Promise<void>
  require: (what: string, isTrue: boolean) => void
  problems: string[]
  /** How many states axe has seen. */
  states: () => number
}

/** Opens visitors. Every error and warning of a page, and every report of its policy, is a problem. */
export function openVisitors(chromium: Browser): Visitors {
  const problems: string[] = []
  let states = 0
  return {
    problems,
    states: () => states,
    require: (what, isTrue) => {
      if (!isTrue) problems.push(what)
    },
    visitor: async (options) => {
      const context = await chromium.newContext({ permissions: ['camera', 'microphone'], ...options })
      context.setDefaultTimeout(LIMIT_MS)
      const page = await context.newPage()
      page.on('console', (message) => {
        // Connections that the checks cut, and refusals that they ask for, are in the console as well.
        const isExpected = /net::ERR_|status of 4\d\d/.test(message.text())
        if (['error', 'warning'].includes(message.type()) && !isExpected) problems.push(`console: ${message.text()}`)
      })
      page.on('pageerror', ({ message }) => problems.push(`script: ${message}`))
      page.on('dialog', (dialog) => void dialog.accept())
      page.on('request', (request) => {
        if (!/^(http:\/\/(localhost|127\.0\.0\.1):|blob:|data:)/.test(request.url())) problems.push(`loaded ${request.url()}`)
      })
      return { context, page }
    },
    accessible: async (page, state) => {
      states += 1
      // A script that asks for layout gets that without the style sheets which are still on their way.
      await page.waitForLoadState()
      // What is still moving is half transparent. The light of a recording never ends.
      await page.evaluate(`Promise.allSettled(document.getAnimations().flatMap(({ effect, finished }) =>
        Number.isFinite(effect.getComputedTiming().endTime) ? [finished] : [])).then(() => null)`)
      const { violations } = await page.evaluate<AxeResults>(`${AXE}; axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`)
      for (const { id, nodes } of violations) problems.push(`axe in ${state}: ${id} at ${nodes.map(({ target }) => target).join(', ')}`)
    },
  }
}

/** Slows the connection and the processor of a page. Returns what ends the connection, and gives it back. */
export async function slowDown(page: Page, { kilobits, latencyMs, cpu }: { kilobits: number; latencyMs: number; cpu: number }) {
  const session = await page.context().newCDPSession(page)
  const throughput = (kilobits * 1_000) / 8
  const speed = { latency: latencyMs, downloadThroughput: throughput, uploadThroughput: throughput }
  const setOffline = (offline: boolean) => session.send('Network.emulateNetworkConditions', { offline, ...speed })
  await session.send('Network.enable')
  await setOffline(false)
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  return setOffline
}

/** How many bytes of videos the browser keeps. */
export function keptBytes(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const request = indexedDB.open('earshot', 1)
    request.onsuccess = () => {
      const pieces = request.result.transaction('pieces').objectStore('pieces').getAll()
      pieces.onsuccess = () => resolve(pieces.result.reduce((sum, piece) => sum + piece.size, 0))
    }
  })`)
}
