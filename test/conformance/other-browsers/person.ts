import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { until } from '../../support/until.ts'
import { clickAt, type OtherBrowser, pressKey, typeText } from './automation.ts'

/** How long a step may take on a machine that does something else, too. */
const LIMIT_MS = 60_000

/**
 * Finds what a person sees, by its role and a part of its name, also in shadow roots. An expression of the page: Playwright drives neither
 * Debian's Firefox nor WebKitGTK.
 */
const FIND = `(role, name) => {
  const selectors = {
    button: 'button, summary, [role="button"]', link: 'a[href]', heading: 'h1, h2, h3, h4', option: '[role="option"]',
    field: 'input, textarea, select, [role="combobox"]', dialog: 'dialog[open], [role="dialog"]', image: 'img, svg[aria-label], [role="img"]',
    text: 'body *, *',
  }
  const all = (root) => [...root.querySelectorAll('*')].flatMap((node) => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])])
  const textOf = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
  const nameOf = (node) => [
    node.getAttribute('aria-label'), textOf(node.getAttribute('aria-labelledby') ?? ''), node.getAttribute('alt'),
    ...[...(node.labels ?? [])].map(({ textContent }) => textContent), node.localName === 'select' ? '' : node.innerText ?? node.textContent,
  ].filter(Boolean).join(' ').replaceAll(/\\s+/g, ' ')
  const isSeen = (node) => {
    const { width, height } = node.getBoundingClientRect()
    return node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 0 && height > 0
  }
  const found = all(document).filter((node) => node.matches(selectors[role]) && nameOf(node).includes(name) && isSeen(node))
  return role === 'text' ? found.at(-1) : found[0]
}`

/** Whether the page is wider than the window, and what is cut at its end. */
const SIDEWAYS = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth > clientWidth ? scrollWidth - clientWidth : 0
})()`

/** What has the focus, in whatever shadow root; null if nothing has. */
const FOCUSED = `(() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node === document.body || !node ? null : (node.getAttribute('aria-label') || node.labels?.[0]?.textContent || node.innerText || node.id)
})()`

type Role = 'button' | 'link' | 'heading' | 'option' | 'field' | 'dialog' | 'image' | 'text'

/** Somebody in front of a browser. */
export interface Person {
  browser: OtherBrowser
  /** Waits until something with this role and name is on the page. */
  see: (role: Role, name: string) => Promise<void>
  miss: (role: Role, name: string) => Promise<void>
  click: (role: Role, name: string) => Promise<void>
  /** Presses keys by their names. */
  press: (...keys: readonly string[]) => Promise<void>
  type: (text: string) => Promise<void>
  /** Presses Tab until what has this name has the focus. */
  tabTo: (name: string) => Promise<void>
  /** Waits until an expression of the page is true. */
  wait: (what: string, expression: string) => Promise<void>
  /** Keeps a picture, once the page rests. */
  shoot: (path: string) => Promise<void>
  /** Returns by how many pixels the page is too wide. */
  sideways: () => Promise<number>
}

export function personAt(browser: OtherBrowser): Person {
  const find = (role: Role, name: string) => `(${FIND})(${JSON.stringify(role)}, ${JSON.stringify(name)})`
  const wait = async (what: string, expression: string) =>
    until(`${browser.name}: ${what}`, () => browser.evaluate<boolean>(`Boolean(${expression})`), LIMIT_MS, 50)
  const see = (role: Role, name: string) => wait(`${role} "${name}" is there`, find(role, name))
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      await browser.perform(pressKey(key))
      // Nobody is faster: Firefox ignores Space on what has just got the focus.
      await browser.evaluate('new Promise((resolve) => setTimeout(resolve, 30))')
    }
  }
  return {
    ...{ browser, wait, see, press },
    miss: (role, name) => wait(`${role} "${name}" is gone`, `!${find(role, name)}`),
    click: async (role, name) => {
      await see(role, name)
      const middle = `(() => {
        const node = ${find(role, name)}
        node.scrollIntoView({ block: 'nearest', behavior: 'instant' })
        const { x, y, width, height } = node.getBoundingClientRect()
        return [x + width / 2, y + height / 2]
      })()`
      const [x, y] = await browser.evaluate<[number, number]>(middle)
      await browser.perform(clickAt(x, y))
    },
    type: async (text) => void (await browser.perform(typeText(text))),
    tabTo: async (name) => {
      for (let presses = 0; presses < 60; presses += 1) {
        // Tab after the last control leads out of the page, and the keys of Firefox's driver then do nothing in it.
        if ((await browser.evaluate<string | null>(FOCUSED))?.includes(name)) return
        await press('Tab')
      }
      throw new Error(`${browser.name}: Tab never reaches "${name}"`)
    },
    shoot: async (path) => {
      mkdirSync(dirname(path), { recursive: true })
      await wait('nothing loads', `document.fonts.status === 'loaded' && !document.querySelector('.skeleton, [aria-busy="true"]')`)
      writeFileSync(path, await browser.picture())
    },
    sideways: () => browser.evaluate(SIDEWAYS),
  }
}
