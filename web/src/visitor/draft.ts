import { isRecent, keysOf } from './kept.ts'

const PREFIX = 'earshot:draft:'

/** What was typed and not sent yet, kept in this browser alone. */
interface Draft {
  values: Record<string, string>
  savedMs: number
}

export interface DraftStore {
  read: () => Draft | null
  save: (values: Draft['values']) => void
  clear: () => void
}

/** Opens the draft of one form. Where a browser keeps nothing, there is none. */
export function openDraft(name: string): DraftStore {
  const key = `${PREFIX}${name}`
  quietly(removeOld)
  return {
    read: () =>
      quietly(() => {
        const draft: Draft | null = JSON.parse(localStorage.getItem(key) ?? 'null')
        return isRecent(draft) ? draft : null
      }) ?? null,
    save: (values) => quietly(() => localStorage.setItem(key, JSON.stringify({ values, savedMs: Date.now() } satisfies Draft))),
    clear: () => quietly(() => localStorage.removeItem(key)),
  }
}

/** Drafts of any form: the next person at a shared device sees none of them. */
function removeOld(): void {
  for (const key of keysOf(PREFIX)) if (!isRecent(JSON.parse(localStorage.getItem(key) ?? 'null'))) localStorage.removeItem(key)
}

/** Storage can be turned off, or full. */
function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
