/** What this browser keeps, or what this tab keeps. It may be turned off or full: then nothing is kept. */
type Place = 'local' | 'session'

const PERSON = 'earshot.person'

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

/** Forgets what this tab keeps of somebody else. Called before a form reads it. */
export function claimTab(person_id: string): void {
  if (readKept('session', PERSON) === person_id) return
  forgetTab()
  keep('session', PERSON, person_id)
}

function storageOf(place: Place): Storage {
  return place === 'local' ? localStorage : sessionStorage
}
