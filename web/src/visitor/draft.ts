const KEPT_MS = 30 * 24 * 3_600_000

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
  const key = `earshot:draft:${name}`
  return {
    read: () =>
      quietly(() => {
        const draft: Draft | null = JSON.parse(localStorage.getItem(key) ?? 'null')
        // A clock that went back does not end it.
        return draft && Date.now() - draft.savedMs < KEPT_MS ? draft : null
      }) ?? null,
    save: (values) => quietly(() => localStorage.setItem(key, JSON.stringify({ values, savedMs: Date.now() } satisfies Draft))),
    clear: () => quietly(() => localStorage.removeItem(key)),
  }
}

/** Storage can be turned off, or full. */
function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
