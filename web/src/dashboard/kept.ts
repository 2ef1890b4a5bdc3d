/** What this browser keeps, or what this tab keeps. It may be turned off or full: then nothing is kept. */
type Place = 'local' | 'session'

/** Keeps a text; null removes it. */
export function keep(place: Place, key: string, text: string | null): void {
  try {
    if (text === null) storageOf(place).removeItem(key)
    else storageOf(place).setItem(key, text)
  } catch {
    // The page works without.
  }
}

export function readKept(place: Place, key: string): string | null {
  try {
    return storageOf(place).getItem(key)
  } catch {
    return null
  }
}

/** Removes all that this tab keeps. */
export function forgetTab(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Nothing was kept.
  }
}

function storageOf(place: Place): Storage {
  return place === 'local' ? localStorage : sessionStorage
}
