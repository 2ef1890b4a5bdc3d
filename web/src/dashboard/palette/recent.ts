import { keep, readKept } from '../kept.ts'

const KEY = 'earshot.recent-commands'
const MAX_KEPT = 5

/** The entries that were chosen last in this browser, newest first. Only their ids are kept: no names, no words of customers. */
export function recentIds(): readonly string[] {
  const kept = readKept('local', KEY)
  return kept === null ? [] : kept.split('\n')
}

export function noteRecent(id: string): void {
  const ids = [id, ...recentIds().filter((one) => one !== id)]
  keep('local', KEY, ids.slice(0, MAX_KEPT).join('\n'))
}
