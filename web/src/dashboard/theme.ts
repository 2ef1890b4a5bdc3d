import { keep, readKept } from './kept.ts'

const KEY = 'earshot.theme'

const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** The colours that this browser was told to use, or null: as the device. */
function chosenTheme(): Theme | null {
  return THEMES.find((theme) => theme === readKept('local', KEY)) ?? null
}

const device = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** Whether the page is dark. */
export function isDark(): boolean {
  return (chosenTheme() ?? (device.matches ? 'dark' : 'light')) === 'dark'
}

/** Uses these colours in this browser from now on; null follows the device again. */
export function chooseTheme(theme: Theme | null): void {
  keep('local', KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

/** Uses the colours that were chosen. */
export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === null) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Calls the listener whenever the page turns light or dark. Returns how to stop. */
export function subscribeToTheme(listener: () => void): () => void {
  listeners.add(listener)
  device.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    device.removeEventListener('change', listener)
  }
}
