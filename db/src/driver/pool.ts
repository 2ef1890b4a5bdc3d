import type { Connection } from './connection.ts'
import { createWithDeadline, type Deadline } from './deadline.ts'
import { isReadOnly, StaleStatementError, unavailable } from './errors.ts'

/** How long closing waits for work in flight. */
const CLOSE_MS = 5_000
const MAX_AGE_MS = 30 * 60_000
/** How often work is run whose tables change meanwhile. */
const MAX_TRIES = 3

type Work<Result> = (connection: Connection, deadline: Deadline) => Promise<Result>

/** Connections of the database, each used by one caller at a time. */
export interface Pool {
  /**
   * Runs work on a connection of its own. Throws what the work throws, and `DeadlineError`. Work is run again, on a new
   * connection, when a statement was prepared before its tables changed: nothing was done then.
   */
  use<Result>(work: Work<Result>): Promise<Result>
  /** Refuses callers that still wait, lets work in flight finish, and closes the connections. */
  close(): Promise<void>
}

interface Slot {
  connection: Connection
  openedAtMs: number
}

interface Waiter {
  take: (slot: Slot) => void
  refuse: (reason: unknown) => void
}

/**
 * Creates a pool of at most `max` connections, which `open` opens when they are needed. Callers get them in the order in
 * which they came. A connection that was lost, or did not reply in time, is never used again, and none longer than half an hour.
 *
 * The driver (postgres.js 3.4) has a pool, but it is not used: when all connections are busy or break, it sends a `begin`
 * behind another caller's statement, and writes what was meant for a broken connection into the next one.
 */
export function createPool(max: number, open: () => Connection, statementTimeoutMs: number | undefined): Pool {
  const withDeadline = createWithDeadline(statementTimeoutMs)
  const slots = new Set<Slot>()
  const idle: Slot[] = []
  const waiting: Waiter[] = []
  const drained = Promise.withResolvers<void>()
  let isClosed = false
  /** Connections that were opened before may have statements that were prepared before their tables changed, or a server that is no primary. */
  let staleUntilMs = Number.NEGATIVE_INFINITY

  const findSlot = (): Slot | undefined => {
    for (let slot = idle.pop(); slot; slot = idle.pop()) {
      if (isUsable(slot, staleUntilMs)) return slot
      discard(slot)
    }
    if (slots.size >= max) return undefined
    const slot = { connection: open(), openedAtMs: performance.now() }
    slots.add(slot)
    return slot
  }
  const acquire = (): Slot | Promise<Slot> => {
    if (isClosed) throw closed()
    return findSlot() ?? new Promise((take, refuse) => void waiting.push({ take, refuse }))
  }
  const release = (slot: Slot) => {
    if (slot.connection.isLost) discard(slot)
    else idle.push(slot)
    const next = waiting.length > 0 ? findSlot() : undefined
    if (next) waiting.shift()?.take(next)
    else if (isClosed && idle.length === slots.size) drained.resolve()
  }
  const discard = (slot: Slot) => {
    slots.delete(slot)
    void slot.connection.destroy()
  }

  const retire = () => {
    staleUntilMs = performance.now()
  }
  const useOnce = async <Result>(work: Work<Result>, deadline: Deadline): Promise<Result> => {
    const slot = await acquire()
    try {
      deadline.require()
      // The driver rejects the statement in flight, so the work ends and its slot is released.
      deadline.onPassed(() => void slot.connection.destroy())
      return await work(slot.connection, deadline)
    } catch (error) {
      if (isReadOnly(error)) retire()
      throw error
    } finally {
      release(slot)
    }
  }

  return {
    use: (work) => withDeadline((deadline) => againWhenStale(() => useOnce(work, deadline), retire)),
    async close() {
      isClosed = true
      for (const { refuse } of waiting.splice(0)) refuse(closed())
      if (idle.length === slots.size) drained.resolve()
      const timer = setTimeout(drained.resolve, CLOSE_MS)
      await drained.promise
      clearTimeout(timer)
      await Promise.all([...slots].map(({ connection }) => connection.end()))
    },
  }
}

function isUsable({ connection, openedAtMs }: Slot, staleUntilMs: number): boolean {
  return !connection.isLost && openedAtMs > staleUntilMs && performance.now() - openedAtMs < MAX_AGE_MS
}

/** Calls `run` again when a statement of it was prepared before its tables changed, after `retire` has retired the connections. */
async function againWhenStale<Result>(run: () => Promise<Result>, retire: () => void): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof StaleStatementError) || tries === MAX_TRIES) throw error
      retire()
    }
  }
}

function closed(): unknown {
  return unavailable(new Error('The pool of connections was closed'))
}
