import type { Page } from 'playwright-core'

const NAME_OF = `({ tagName, className, textContent }) =>
  tagName.toLowerCase() + '.' + className + ' "' + textContent.trim().slice(0, 30) + '"'`

/**
 * Runs in the page. Returns what is wrong with its boxes: something scrolls sideways that is no table or code, something is outside the
 * window, or nothing keeps a pile of combining marks from its neighbours.
 */
const MEASURE = String.raw`(() => {
  const holders = '.table-holder, pre, textarea'
  // What scrolls the page itself keeps nothing from the neighbours.
  const frames = '.page, .side, .rows, .read-body, .dialog, .menu, main'
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })
  const nameOf = ${NAME_OF}
  const isClipped = (element, axis, within = document.body) => {
    for (let box = element; box !== null && box !== within; box = box.parentElement) {
      const style = getComputedStyle(box)
      const isFrame = axis === 'overflowY' && box.matches(frames)
      if (style.display !== 'inline' && style[axis] !== 'visible' && !isFrame) return true
    }
    return false
  }
  const widestIn = (box) => {
    const edge = box.getBoundingClientRect().left + box.clientWidth + 1
    const range = document.createRange()
    const wide = [...box.querySelectorAll('*')].filter((element) => {
      range.selectNodeContents(element)
      const isWide = range.getBoundingClientRect().right > edge || element.getBoundingClientRect().right > edge
      return isWide && isShown(element) && !isClipped(element, 'overflowX', box)
    })
    return wide.slice(-2).map(nameOf).join(' and ')
  }
  const found = new Set()
  for (const element of document.querySelectorAll('body, body *')) {
    if (element.closest('.sr, svg, option') !== null || !isShown(element)) continue
    const { overflowX } = getComputedStyle(element)
    const extra = element.scrollWidth - element.clientWidth
    if ((overflowX === 'auto' || overflowX === 'scroll') && extra > 1 && !element.closest(holders))
      found.add('scrolls sideways by ' + extra + ': ' + nameOf(element) + ', for ' + widestIn(element))
    const { left, right, width } = element.getBoundingClientRect()
    if (width > 0 && (right > innerWidth + 1 || left < -1) && !isClipped(element, 'overflowX'))
      found.add('outside the window: ' + nameOf(element))
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join('')
    if (/\u0489\u20dd/.test(own) && !isClipped(element, 'overflowY')) found.add('is held by nothing: ' + nameOf(element))
  }
  return [...found]
})()`

/** Returns what is wrong with the boxes of a page as it is. */
export function layoutFindings(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(MEASURE)
}

/** Runs in the page. An ellipsis, or a limit of lines, says that there is more. */
const CUT_OFF = `(() => {
  const hides = (overflow) => overflow === 'hidden' || overflow === 'clip'
  const isCutOff = (element) => {
    const { display, overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element)
    if (display === 'inline' || textOverflow === 'ellipsis' || webkitLineClamp !== 'none') return false
    const isTooHigh = hides(overflowY) && element.scrollHeight > element.clientHeight + 1
    return isTooHigh || (hides(overflowX) && element.scrollWidth > element.clientWidth + 1)
  }
  const hasText = ({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.closest('.sr, svg, option') === null && hasText(element) && element.checkVisibility())
    .filter(isCutOff)
    .map((element) => 'is cut off: ' + (${NAME_OF})(element))
})()`

/** Returns the texts that end in the middle without a sign, because their own box hides the rest. */
export function cutOffFindings(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(CUT_OFF)
}
