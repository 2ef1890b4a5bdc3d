import { offerMore } from './card.ts'

/** The height of a row of the grid. Firefox has 10,000 rows at most. */
const ROW_PX = 2

/** Packs the cards of a wall: each stands in the shortest column, in the order of the page. */
export function packWall(list: HTMLElement): () => void {
  const place = () => {
    if (list.offsetWidth === 0) return
    offerMore(list)
    const style = getComputedStyle(list)
    const columns = style.gridTemplateColumns.split(' ').length
    list.classList.toggle('packed', columns > 1)
    list.classList.toggle('wide', columns > 2)
    const gapPx = Number.parseFloat(style.columnGap) || 0
    const cards = [...list.querySelectorAll<HTMLElement>('.card')]
    // All are measured before one is moved.
    const heights = cards.map((card) => card.offsetHeight)
    for (const [index, card] of cards.entries())
      card.style.gridRowEnd = columns > 1 ? `span ${Math.ceil(((heights[index] ?? 0) + gapPx) / ROW_PX)}` : ''
  }
  place()
  return watchSizes([list, ...list.children], place)
}

/** Calls back after sizes have changed, in the next frame: a change of sizes within the notice would be an error of the page. */
export function watchSizes(nodes: Iterable<Element>, changed: () => void): () => void {
  let frame = 0
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(changed)
  })
  for (const node of nodes) observer.observe(node)
  return () => {
    observer.disconnect()
    cancelAnimationFrame(frame)
  }
}
