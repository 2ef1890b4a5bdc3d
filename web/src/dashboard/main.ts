import './styles/inter.css'
import '../styles/tokens.css'
import './styles/shell.css'
import './styles/controls.css'
import './styles/marks.css'
import './styles/fields.css'
import './styles/overlays.css'
import './styles/page.css'
import './styles/tables.css'
import './styles/adapt.css'
import { keepFocus } from './keep-focus.ts'
import { reloadWhenOutdated } from './reload-when-outdated.ts'

/** The page is opened then, whatever the browser says of its painting. */
const LONGEST_PAINT_MS = 1_000

keepFocus()

let isOpening = () => true
reloadWhenOutdated(() => isOpening())

void open()

/** What the document shows can be read before the script, which is on its way, takes all of the processor. */
async function open(): Promise<void> {
  const place = document.getElementById('app')
  if (!place) throw new Error('The document has no place for the dashboard')
  await painted()
  dropFailedStyles()
  try {
    // Each in a task of its own, so that none is long.
    await import('react-dom/client')
    const app = await import('./app.tsx')
    isOpening = app.isOpening
    await nextTask()
    await app.show(place)
  } catch (error) {
    place.textContent = 'This page could not be loaded. Check your connection, and load it again.'
    throw error
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve))
}

/** A style of the page that did not come is asked for again by its page, which says so when that fails, too. */
function dropFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (!link.sheet || link.sheet.cssRules.length === 0) link.remove()
}

/** Resolves once something of the document is on the screen. A tab in the background paints nothing. */
function painted(): Promise<unknown> {
  return new Promise((resolve) => {
    if (document.visibilityState === 'hidden') resolve(null)
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true })
    setTimeout(resolve, LONGEST_PAINT_MS)
  })
}
