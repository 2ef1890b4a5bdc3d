const KEY = 'earshot-reloaded-by'

/**
 * Reloads the page when a build that is no longer there cannot open another page: the new build can. Once for each build, so that
 * files that cannot be loaded at all end in the message of the page. A file that is fetched ahead is no reason: it would take away
 * what is being typed.
 */
export function reloadWhenOutdated(isOpening: () => boolean): void {
  window.addEventListener('vite:preloadError', () => {
    if (navigator.onLine && isOpening() && isFirstReload()) location.reload()
  })
}

function isFirstReload(): boolean {
  try {
    if (sessionStorage.getItem(KEY) === import.meta.url) return false
    // The address of this script, which every build changes.
    sessionStorage.setItem(KEY, import.meta.url)
    return true
  } catch {
    // Without storage nothing would end a loop.
    return false
  }
}
