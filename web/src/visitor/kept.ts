/** How the names of all notes of recordings begin. */
export const recordings = 'earshot:video:'
/** Devices are shared: what was not sent is kept for a day. */
const KEPT_MS = 24 * 3_600_000

/** Whether something was saved within a day of now. A clock that went back a little does not end it. */
export function isRecent<Saved extends { savedMs?: number }>(saved: Saved | null): saved is Saved {
  return Math.abs(Date.now() - (saved?.savedMs ?? 0)) < KEPT_MS
}

/** Returns the names in the storage of this origin that begin so. Throws where a browser has no storage. */
export function keysOf(prefix: string): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
}

/** Returns the name under which this browser notes the recording of a form. */
export function recordingKey(key: string): string {
  return `${recordings}${key}`
}

/** Whether a recording of this form was left behind, without the code that could continue it. */
export function partlyKept(key: string): boolean {
  try {
    return isRecent(JSON.parse(localStorage.getItem(recordingKey(key)) ?? 'null'))
  } catch {
    return false
  }
}

/** Forgets the recording of a form. Its pieces are deleted by whoever opens a page next, if not before. */
export function forgetRecording(key: string): void {
  try {
    localStorage.removeItem(recordingKey(key))
  } catch {
    // Then nothing was noted.
  }
}
