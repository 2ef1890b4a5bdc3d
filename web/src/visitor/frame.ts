/** What a page in a frame tells the page around it. Its origin can be any, and nothing here is secret. */
type FrameMessage = { type: 'earshot:size'; height: number } | { type: 'earshot:sent' }

/** Whether the page is shown inside another one. */
export const isFramed = window.parent !== window

/** Tells the page around this one, if there is one. */
export function tellParent(message: FrameMessage): void {
  if (isFramed) window.parent.postMessage(message, '*')
}

/** Tells the page around this one how high it is, now and after each change. */
export function reportSize(): void {
  if (!isFramed) return
  const report = () => tellParent({ type: 'earshot:size', height: Math.ceil(document.body.getBoundingClientRect().height) })
  // The frame is hidden until then, and browsers observe nothing in a hidden frame of another site.
  report()
  new ResizeObserver(report).observe(document.body)
}
