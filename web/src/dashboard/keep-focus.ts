/** Gives the focus to the page when what had it is gone, such as a line that was deleted or the page before: keys go on from there. */
export function keepFocus(): void {
  let last: Element | null = null
  let frame = 0
  const isLost = () => last !== null && !last.isConnected && document.activeElement === document.body
  const mend = () => {
    const page = document.getElementById('main')
    if (!isLost() || !page) return
    page.focus({ preventScroll: true })
  }
  addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : null
  })
  // A frame later: until then a part may give the focus to what is better.
  const look = () => {
    if (!isLost()) return
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(mend)
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}
