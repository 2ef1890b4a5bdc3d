/** A field would open the keyboard of a phone. */
const FOCUSABLE = 'a[href], button, summary'

/** Where somebody was. */
interface Place {
  control: Element
  /** The lines after and before its own, such as of a table. */
  lines: (Element | null | undefined)[]
  part: Element | null
  dialog: Element | null
}

/**
 * Gives the focus to what is near when what had it is gone, so that keys go on from there: to the line after the one that was deleted, else
 * to the heading of its part of the page, else to the heading of the page.
 */
export function keepFocus(): void {
  let last: Place | null = null
  /** Outside of dialogs, whose controls go with them. */
  let outside: Place | null = null
  let frame = 0
  const isLost = () => last !== null && !last.control.isConnected && document.activeElement === document.body
  const mend = () => {
    const page = document.getElementById('main')
    if (!isLost() || !page) return
    const place = last?.dialog?.isConnected ? last : outside
    const title = page.querySelector('h1')
    if (title) title.tabIndex = -1
    for (const near of [...(place ? nearOf(place) : []), ...(title ? [title] : [])]) {
      near.focus({ preventScroll: true })
      if (document.activeElement !== near) continue
      // Whoever uses a pointer may read somewhere else.
      if (near.matches(':focus-visible')) near.scrollIntoView({ block: 'nearest' })
      return
    }
    page.focus({ preventScroll: true })
  }
  addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? placeOf(target) : null
    if (last?.dialog === null) outside = last
  })
  // A frame later: until then a part may give the focus to what is better.
  const look = () => {
    if (!isLost()) return
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(mend)
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

function placeOf(control: Element): Place {
  const line = control.closest('li, tr')
  return {
    control,
    lines: [line?.nextElementSibling, line?.previousElementSibling],
    part: control.closest('section, dialog'),
    dialog: control.closest('dialog'),
  }
}

/** What may take the focus, the best first. What is not shown does not take it. */
function nearOf({ control, lines, part }: Place): HTMLElement[] {
  const heading = part?.isConnected && part.querySelector<HTMLElement>('h1, h2, h3')
  if (heading) heading.tabIndex = -1
  const first = lines.map((line) => line?.isConnected && line.querySelector<HTMLElement>(FOCUSABLE))
  return [control, ...first, heading].filter((near): near is HTMLElement => near instanceof HTMLElement && near.isConnected)
}
