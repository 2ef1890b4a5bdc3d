import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'

const MAX_TABS = 150
const LIMIT_MS = 30_000
/** The name of what has the focus, as it is read out; null while nothing has it. */
const FOCUSED = `(() => {
  const node = document.activeElement
  if (!node || node === document.body) return null
  const by = document.getElementById(node.getAttribute('aria-labelledby')?.split(' ')[0])
  const name = node.getAttribute('aria-label') ?? by?.textContent ?? node.labels?.[0]?.textContent ?? node.textContent
  return name.replaceAll(/\\s+/g, ' ').trim() || node.id
})()`
/** Whether a person sees where the focus is. The page itself has no ring. */
const IS_SEEN = `(() => {
  const node = document.activeElement
  const { width, height } = node.getBoundingClientRect()
  return node.id === 'main' || (node.matches(':focus-visible') && node.checkVisibility() && width > 0 && height > 0)
})()`

type Name = string | RegExp

/** Somebody without a pointer. The focus is seen and never lost. */
interface Keys {
  /** Presses a key, and waits until something has the focus. */
  press: (key: string) => Promise<void>
  /** Presses Tab, or with `back` Shift and Tab, until what has this name has the focus. */
  tabTo: (name: Name, back?: 'back') => Promise<void>
  /** Tabs to a control and presses Enter. */
  enter: (name: Name) => Promise<void>
  /** Tabs to what leads to another document, and presses Enter. */
  go: (name: Name) => Promise<void>
  /** Opens a menu, whose first item gets the focus. */
  openMenu: (name: string) => Promise<void>
  /** Tabs to a field, and types instead of what is in it. */
  write: (name: string, text: string) => Promise<void>
  /** Waits until what has this name has the focus, and is seen to have it, without a key. */
  isAt: (name: Name) => Promise<void>
}

export function keysOf(page: Page): Keys {
  const at = () => page.evaluate<string | null>(FOCUSED)
  const isNamed = (focused: string | null, name: Name) =>
    focused !== null && (typeof name === 'string' ? focused === name : name.test(focused))
  const press = async (key: string) => {
    await page.keyboard.press(key)
    await until(`something has the focus after ${key}`, async () => (await at()) !== null, LIMIT_MS)
    await until(`the focus is seen after ${key}`, () => page.evaluate<boolean>(IS_SEEN), LIMIT_MS)
  }
  const tabTo = async (name: Name, back?: 'back') => {
    for (let presses = 0; presses < MAX_TABS; presses += 1) {
      if (isNamed(await at(), name)) return
      // The last control of a page leads to the browser, and from there to the first.
      await page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
    }
    throw new Error(`Tab never reaches "${name}"`)
  }
  const enter = async (name: Name) => {
    await tabTo(name)
    await press('Enter')
  }
  return {
    ...{ press, tabTo, enter },
    go: async (name) => {
      await tabTo(name)
      await page.keyboard.press('Enter')
    },
    openMenu: async (name) => {
      await enter(name)
      await until('an item has the focus', () => page.evaluate<boolean>("document.activeElement.role === 'menuitem'"))
    },
    write: async (name, text) => {
      await tabTo(name)
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
    },
    isAt: async (name) => {
      // Until another document is there, there is nothing to ask.
      await until(`"${name}" has the focus`, async () => isNamed(await at().catch(() => null), name), LIMIT_MS)
      await until(`the focus is seen at "${name}"`, () => page.evaluate<boolean>(IS_SEEN), LIMIT_MS)
    },
  }
}
