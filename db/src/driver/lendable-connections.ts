import type { Session } from './connection.ts'

const RETIREMENT_MS = 30 * 60_000
/** A statement that runs for longer may run for very long: nobody is sent behind it. */
const YOUNG_MS = 2
const PAIR = 2

/** A session and what is done with it. */
export interface Entry {
  session: Session
  openedAt: number
  /** Works under way: one, or a pair of statements. */
  works: number
  /** When what runs now began. */
  since: number
  /** Whether another statement may go behind what was begun last. */
  isOpen: boolean
}

export interface LendableSessions {
  /**
   * Takes a session for a statement (its text) or for any other work (null): one that rests, a new one, or for a statement
   * one whose statement has just begun. None = all are busy.
   */
  take(text: string | null): Entry | undefined
  /** One work has ended. */
  giveBack(entry: Entry): void
  areAtRest(): boolean
  /** Ends all, and whatever still runs. */
  end(): Promise<void>
}

/** At most `max` sessions. One that broke, or is half an hour old, is not used again. */
export function createLendableSessions(max: number, open: () => Session): LendableSessions {
  const entries = new Set<Entry>()
  const idle: Entry[] = []

  const atRest = (): Entry | undefined => {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (!entry.session.isLost && performance.now() - entry.openedAt < RETIREMENT_MS) return entry
      discard(entry)
    }
    return undefined
  }
  const opened = (): Entry | undefined => {
    if (entries.size >= max) return undefined
    const entry = { session: open(), openedAt: performance.now(), works: 0, since: 0, isOpen: false }
    entries.add(entry)
    return entry
  }
  const justBegun = (): Entry | undefined => {
    const youngest = performance.now() - YOUNG_MS
    for (const entry of entries) if (entry.isOpen && entry.works < PAIR && entry.since > youngest && !entry.session.isLost) return entry
    return undefined
  }
  const discard = (entry: Entry) => {
    entries.delete(entry)
    void entry.session.destroy()
  }

  return {
    take(text) {
      const entry = atRest() ?? opened() ?? (text === null ? undefined : justBegun())
      if (!entry) return undefined
      if (entry.works === 0) entry.since = performance.now()
      entry.works += 1
      // The driver holds back what comes while it asks for the types of a statement that is new to the session.
      entry.isOpen = text !== null && entry.session.knows(text)
      return entry
    },
    giveBack(entry) {
      entry.works -= 1
      entry.since = performance.now()
      if (entry.works > 0) return
      if (entry.session.isLost) discard(entry)
      else idle.push(entry)
    },
    areAtRest: () => [...entries].every(({ works }) => works === 0),
    async end() {
      await Promise.all([...entries].map(({ session }) => session.end()))
    },
  }
}
