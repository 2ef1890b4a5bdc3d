import type { Connection } from './connection.ts'
import { createWithDeadline, type Deadline } from './deadline.ts'
import { isReadOnly, StaleStatementError, unavailable } from './errors.ts'
import { createHangWatch } from './hang-watch.ts'
import { createSlots, type Slot } from './slots.ts'
import type { Patience } from './tx.ts'
import { createWaitingLine } from './waiting-line.ts'

/** How long closing waits for work in flight. Whoever closes a pool has drained its callers. */
const CLOSE_MS = 1_000
/** How often work is run whose tables change meanwhile. */
const MAX_TRIES = 3
/** Callers that may wait for a connection. */
const MAX_WAITING = 1_000

type Work<Result> = (connection: Connection, deadline: Deadline) => Promise<Result>

/** Connections of the database, each used by one caller at a time. */
export interface Pool {
  /**
   * Runs work on a connection of its own. Throws what the work throws, `DeadlineError`, and `dependency_unavailable` while the
   * database hangs, or when the caller's patience ends before its turn. Work is run again, on a new connection, when a statement
   * was prepared before its tables changed: nothing was done then.
   */
  use<Result>(work: Work<Result>, patience?: Patience): Promise<Result>
  /** Refuses callers that still wait, lets work in flight finish, and closes the connections. */
  close(): Promise<void>
}

export interface PoolOptions {
  /** The most connections. */
  max: number
  /** Opens a connection. */
  open: () => Connection
  /** Without one there is no deadline, and nobody watches whether the database hangs. */
  statementTimeoutMs?: number | undefined
  /** The longest wait for a connection of a caller without patience of its own; as long as the deadline unless given. */
  waitMs?: number | undefined
}

/**
 * Creates a pool of at most `max` connections, which are opened when they are needed. Callers get them in the order in
 * which they came. A connection that was lost, or did not reply in time, is never used again, and none longer than half an hour.
 *
 * The driver (postgres.js 3.4) has a pool, but it is not used: when all connections are busy or break, it sends a `begin`
 * behind another caller's statement, and writes what was meant for a broken connection into the next one.
 */
export function createPool({ max, open, statementTimeoutMs, waitMs }: PoolOptions): Pool {
  const withDeadline = createWithDeadline(statementTimeoutMs)
  const slots = createSlots(max, open)
  const waiting = createWaitingLine<(slot: Slot) => void>({ max: MAX_WAITING, waitMs })
  const drained = Promise.withResolvers<void>()
  let isClosed = false

  const watch = createHangWatch({
    ask: () => askOn(open()),
    onHang() {
      slots.retire()
      waiting.refuseAll(hanging())
      slots.destroyBusy()
    },
  })
  const acquire = (patience: Patience | undefined): Slot | Promise<Slot> => {
    if (isClosed) throw closed()
    if (watch.isHanging) throw hanging()
    return slots.take() ?? new Promise((take, refuse) => waiting.add(take, patience, refuse))
  }
  const release = (slot: Slot) => {
    slots.giveBack(slot)
    serveNext()
    if (isClosed && slots.areAllIdle) drained.resolve()
  }
  const serveNext = () => {
    const next = waiting.size > 0 ? slots.take() : undefined
    if (!next) return
    const take = waiting.take()
    if (take) take(next)
    else slots.giveBack(next)
  }
  const useOnce = async <Result>(work: Work<Result>, deadline: Deadline, patience: Patience | undefined): Promise<Result> => {
    const slot = await acquire(patience)
    const end = statementTimeoutMs === undefined ? null : watch.begin()
    // The driver rejects the statement in flight, so the work ends and its slot is released. Other connections may lead to the
    // same server that is gone.
    const giveUp = () => {
      slots.retire()
      void slot.connection.destroy()
    }
    try {
      // The wait is over: the statement gets the full time.
      deadline.renew()
      deadline.onPassed(giveUp)
      return await work(slot.connection, deadline)
    } catch (error) {
      if (isReadOnly(error)) slots.retire()
      throw error
    } finally {
      end?.()
      release(slot)
    }
  }

  return {
    use: (work, patience) => withDeadline((deadline) => againWhenStale(() => useOnce(work, deadline, patience), slots.retire)),
    async close() {
      isClosed = true
      watch.close()
      waiting.refuseAll(closed())
      if (slots.areAllIdle) drained.resolve()
      const timer = setTimeout(drained.resolve, CLOSE_MS)
      await drained.promise
      clearTimeout(timer)
      await slots.end()
    },
  }
}

function askOn(connection: Connection) {
  return { reply: connection.send('select 1'), giveUp: () => void connection.destroy() }
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

function hanging(): unknown {
  return unavailable(new Error('The database does not reply'))
}

function closed(): unknown {
  return unavailable(new Error('The pool of connections was closed'))
}
