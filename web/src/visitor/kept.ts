/** Returns the name under which this browser notes the recording of a form. */
export function recordingKey(key: string): string {
  return `earshot:video:${key}`
}

/** Whether a recording of this form was left behind, without the code that could continue it. */
export function partlyKept(key: string): boolean {
  try {
    return localStorage.getItem(recordingKey(key)) !== null
  } catch {
    return false
  }
}
