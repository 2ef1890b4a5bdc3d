import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { until } from '../support/until.ts'

/** WCAG 2.2 AA, and what axe holds for good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const MAX_TABS = 40
/** The name of what has the focus, in whatever shadow root. */
const FOCUSED = `(() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node?.getAttribute('aria-label') ?? node?.textContent
})()`

/** Runs before any script of the page: notes what its policy blocks, what moves and what elements say. (`load` does not reach the window.) */
const WATCH = `
  globalThis.blocked = []
  addEventListener('securitypolicyviolation', (event) => blocked.push(event.violatedDirective + ' ' + event.blockedURI))
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  globalThis.told = []
  for (const type of ['error', 'load', 'sent'])
    document.addEventListener(type, (event) => {
      if (event.target.localName?.startsWith('earshot-')) told.push(type + ' ' + event.target.localName + (event.detail?.code ? ' ' + event.detail.code : ''))
    }, { capture: true })`

/** A page that is watched: what the browser complains of, what it asks for and what moves. */
export interface WatchedPage extends AsyncDisposable {
  page: Page
  /** Everything in the console, and every error of a script. */
  complaints: string[]
  requests: string[]
  /** Waits for an expression of the page. A strict policy forbids the browser's own way to wait. */
  until: (expression: string) => Promise<void>
  /** Presses Tab until what has this name, or begins with it, has the focus. */
  tabTo: (name: string) => Promise<void>
  /** What the policy of the page blocked. */
  blocked: () => Promise<string[]>
  /** The cumulative layout shift. */
  shift: () => Promise<number>
  /** Events of the elements: type, element and code. */
  told: () => Promise<string[]>
  cookies: () => Promise<number>
  /** The findings of axe-core, each with what it is about. */
  findings: () => Promise<string[]>
}

export async function watchPage(browser: Browser, options: BrowserContextOptions & { before?: string } = {}): Promise<WatchedPage> {
  const { before, ...contextOptions } = options
  const context = await browser.newContext(contextOptions)
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  if (before !== undefined) await page.addInitScript(before)
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => complaints.push(`${message.text()} (${message.location().url})`))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('request', (request) => requests.push(request.url()))
  return {
    ...{ page, complaints, requests },
    until: (expression) => until(expression, () => page.evaluate<boolean>(expression)),
    tabTo: (name) => tabTo(page, name),
    blocked: () => page.evaluate('blocked'),
    shift: () => page.evaluate('shift'),
    told: () => page.evaluate('told'),
    cookies: async () => (await context.cookies()).length,
    async findings() {
      // A script that asks for layout gets that without the style sheets which are still on their way.
      await page.waitForLoadState()
      await page.evaluate(axe.source)
      return page.evaluate<string[]>(`axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.flat(2).join(' ') + ': ' + failureSummary)))`)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Throws unless what was found is what was expected, as JSON. */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [first, second] = [JSON.stringify(found), JSON.stringify(expected)]
  if (first !== second) throw new Error(`${what}: found ${first}, expected ${second}`)
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string | null | undefined>(FOCUSED)
    if (focused?.startsWith(name)) return
  }
  throw new Error(`Tab never reaches "${name}"`)
}

/** The picture of an author comes from the service, in the size of the initials below it. */
export async function requirePicture({ page, until }: WatchedPage, url: string): Promise<void> {
  const face = page.locator('earshot-wall .card', { hasText: 'Priya Raman' }).first().locator('.face')
  const picture = face.locator('img')
  await picture.scrollIntoViewIfNeeded()
  await until("document.querySelector('earshot-wall').shadowRoot.querySelector('.face img')?.naturalWidth === 256")
  const source = await picture.getAttribute('src')
  expectEqual('where the picture is', source?.startsWith(`${url}/media/v1/images/`), true)
  expectEqual('whom its request names', await picture.getAttribute('referrerpolicy'), 'no-referrer')
  expectEqual('its size', (await picture.boundingBox())?.width, (await face.boundingBox())?.width)
}
