import { setTimeout as delay } from 'node:timers/promises'
import type { Reply, Session } from './connection.ts'
import { createPatience, type Wait } from './deadline.ts'
import { unavailable } from './errors.ts'
import { createLendableSessions, type Entry } from './lendable-connections.ts'

/** How long a close waits for what is under way. */
const CLOSE_MS = 5_000

/** Sessions of the database, lent in the order in which callers come. They throw what their work throws, and `NoAnswerError`. */
export interface Pool {
  /** Does the work on a session of its own. */
  use<Result>(work: (session: Session, wait: Wait) => Promise<Result>): Promise<Result>
  /** Sends one statement. While all sessions are busy it may go behind another one that has just begun. */
  send<Row>(text: string, params: readonly unknown[]): Promise<Reply<Row>>
  /** What is under way may end; who still waits for a turn is refused. */
  close(): Promise<void>
}

interface Waiter {
  /** The statement, if that is all. */
  text: string | null
  begin: (entry: Entry) => void
  refuse: (reason: unknown) => void
}

/**
 * The driver (postgres.js 3.4) has a pool of its own, but it is not used: it sends a `begin` behind another's statement when
 * all connections are busy or break at that moment, and it writes what was meant for a broken connection into the next
 * one. Here a session that broke, or did not answer, is never used again.
 */
export function createPool(max: number, open: () => Session, statementTimeoutMs: number | undefined): Pool {
  const patience = createPatience(statementTimeoutMs)
  const sessions = createLendableSessions(max, open)
  const waiting: Waiter[] = []
  const rest = Promise.withResolvers<void>()
  let isClosed = false

  /** Nobody overtakes: a transaction that waits gets its session when the works before it have ended. */
  const serve = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const entry = sessions.take(next.text)
      if (!entry) return
      waiting.shift()
      next.begin(entry)
    }
    if (isClosed && sessions.areAtRest()) rest.resolve()
  }
  const takeTurn = (text: string | null) =>
    new Promise<Entry>((begin, refuse) => {
      if (isClosed) return refuse(closed())
      waiting.push({ text, begin, refuse })
      serve()
    })
  const lend = <Result>(text: string | null, work: (session: Session, wait: Wait) => Promise<Result>) =>
    patience(async (wait) => {
      const entry = await takeTurn(text)
      try {
        wait.requireTime()
        // The driver rejects what is under way, so the work ends and its turn passes on.
        wait.onSilence(() => void entry.session.destroy())
        return await work(entry.session, wait)
      } finally {
        sessions.giveBack(entry)
        serve()
      }
    })

  return {
    use: (work) => lend(null, work),
    send: (text, params) => lend(text, (session) => session.send(text, params)),
    async close() {
      isClosed = true
      for (const { refuse } of waiting.splice(0)) refuse(closed())
      serve()
      const timer = new AbortController()
      await Promise.race([rest.promise, delay(CLOSE_MS, undefined, { signal: timer.signal }).catch(() => {})])
      timer.abort()
      await sessions.end()
    },
  }
}

function closed(): unknown {
  return unavailable(new Error('The pool of connections was closed'))
}
