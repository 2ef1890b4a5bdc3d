import { offerMore } from './card.ts'
import { drawing, make } from './dom.ts'
import { watchSizes } from './wall-layout.ts'
import type { Words } from './words.ts'

const BACK = 'M15 5l-7 7 7 7'
const FORTH = 'M9 5l7 7-7 7'

/** Makes a list scroll sideways, by touch, keys and two buttons. It never moves by itself. */
export function makeCarousel(list: HTMLElement, words: Words): { buttons: HTMLElement; watch: () => () => void } {
  list.tabIndex = 0
  const move = (steps: number) => () => {
    const sign = getComputedStyle(list).direction === 'rtl' ? -steps : steps
    list.scrollBy({ left: sign * (list.firstElementChild?.clientWidth ?? list.clientWidth) })
  }
  const back = arrow('previous', words.previous, BACK, move(-1))
  const forth = arrow('next', words.next, FORTH, move(1))
  const buttons = make('div', 'arrows', {}, back, forth)
  const update = () => {
    offerMore(list)
    // To the left it is negative in right-to-left pages.
    const at = Math.abs(list.scrollLeft)
    const end = list.scrollWidth - list.clientWidth
    back.ariaDisabled = String(at < 2)
    forth.ariaDisabled = String(at > end - 2)
    buttons.hidden = end < 2
  }
  list.addEventListener('scroll', update, { passive: true })
  return {
    buttons,
    watch: () => {
      update()
      return watchSizes([list, ...list.children], update)
    },
  }
}

/** Stays focusable at the end, so that the focus of a keyboard is not lost. */
function arrow(name: string, label: string, path: string, onclick: () => void): HTMLButtonElement {
  return make('button', name, { type: 'button', ariaLabel: label, onclick }, drawing(24, path))
}
