import { unavailable } from './database-errors.ts'
import { createPatience, type Wait } from './patience.ts'
import type { Session } from './session.ts'
import { createTurns } from './turns.ts'

const RETIREMENT_MS = 30 * 60_000

/** Sessions, each for one caller at a time. */
export interface Pool {
  /** Does the work on a session of its own; the others wait in the order in which they came. Throws what the work throws, and `NoAnswerError`. */
  use<Result>(work: (session: Session, wait: Wait) => Promise<Result>): Promise<Result>
  /** What is under way may end; who still waits for a turn is refused. */
  close(): Promise<void>
}

interface Entry {
  session: Session
  openedAt: number
}

/**
 * The driver (postgres.js 3.4) has a pool of its own, but it is not used: it sends a `begin` behind another's statement when
 * all connections are busy or break at that moment, and it writes what was meant for a broken connection into the next
 * one. Here a session that broke, or did not answer, is never used again.
 */
export function createPool(max: number, open: () => Session, statementTimeoutMs: number | undefined): Pool {
  const patience = createPatience(statementTimeoutMs)
  const takeTurn = createTurns(max)
  const idle: Entry[] = []
  const busy = new Set<Entry>()
  let isClosed = false

  const acquire = (): Entry => {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (!entry.session.isLost && Date.now() - entry.openedAt < RETIREMENT_MS) return entry
      void entry.session.destroy()
    }
    if (isClosed) throw unavailable(new Error('The pool of connections was closed'))
    return { session: open(), openedAt: Date.now() }
  }
  const release = (entry: Entry) => {
    busy.delete(entry)
    if (entry.session.isLost || isClosed) void entry.session.destroy()
    else idle.push(entry)
  }

  return {
    use: (work) =>
      patience((wait) =>
        takeTurn(async () => {
          wait.requireTime()
          const entry = acquire()
          busy.add(entry)
          // The driver rejects what is under way, so the work ends and its turn passes on.
          wait.onSilence(() => void entry.session.destroy())
          try {
            return await work(entry.session, wait)
          } finally {
            release(entry)
          }
        }),
      ),
    async close() {
      isClosed = true
      await Promise.all([...idle.splice(0), ...busy].map(({ session }) => session.end()))
    },
  }
}
