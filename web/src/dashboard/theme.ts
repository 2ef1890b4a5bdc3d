import { keep, readKept } from './kept.ts'

const KEY = 'earshot.theme'

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The colours that this browser was told to use, or null: as the device. */
export function chosenTheme(): Theme | null {
  return THEMES.find((theme) => theme === readKept('local', KEY)) ?? null
}

/** Whether the page is dark at the moment. */
export function isDark(): boolean {
  return (chosenTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
}

/** Uses these colours in this browser from now on; null follows the device again. */
export function chooseTheme(theme: Theme | null): void {
  keep('local', KEY, theme)
  applyTheme()
}

/** Uses the colours that were chosen. */
export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === null) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
