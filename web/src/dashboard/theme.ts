/** Also read by the service, which writes the choice into its documents: they have the right colours before any script runs. */
const COOKIE = 'earshot_theme'
const YEAR_SECONDS = 31_536_000

type Theme = 'light' | 'dark'

/** The colours that this browser was told to use, or null: as the device. */
function chosenTheme(): Theme | null {
  const isChosen = (theme: Theme) => document.cookie.split('; ').includes(`${COOKIE}=${theme}`)
  if (isChosen('light')) return 'light'
  return isChosen('dark') ? 'dark' : null
}

const device = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** Whether the page is dark. */
export function isDark(): boolean {
  return (chosenTheme() ?? (device.matches ? 'dark' : 'light')) === 'dark'
}

/** Uses these colours in this browser from now on; null follows the device again. */
export function chooseTheme(theme: Theme | null): void {
  const seconds = theme === null ? 0 : YEAR_SECONDS
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${COOKIE}=${theme ?? ''}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`
  if (theme === null) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
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
