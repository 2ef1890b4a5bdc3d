import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { asStale, isConnectionLost, StaleStatementError, toApiError, unavailable } from './errors.ts'
import { registerParameterTypes } from './parameter-types.ts'
import { type DriverResult, takeRows } from './result-rows.ts'

/** A server that hangs does not close its side. */
const END_SECONDS = 1

interface StatementResult<Row> {
  rows: Row[]
  /** PostgreSQL's name of the command that ran: a commit may have been a rollback. */
  command: string
}

/** One connection to the database. The first statement opens it; once lost, it stays lost. */
export interface Connection {
  /**
   * Sends a statement; a text with parameters is prepared. Failures are ApiErrors where the table of errors has one. Throws
   * when another statement is in flight: the driver gives replies to statements by their order alone.
   */
  send<Row>(text: string, params?: readonly unknown[]): Promise<StatementResult<Row>>
  /** Whether the connection broke or may have replies left over: it takes no more statements, and PostgreSQL rolls back what was not committed. */
  readonly isLost: boolean
  /** Closes after the statement in flight. */
  end(): Promise<void>
  /** Closes now: the statement in flight fails. */
  destroy(): Promise<void>
}

/**
 * Makes the driver's retry of a query fail. When PostgreSQL asks for a statement to be prepared anew, the driver would send it
 * again by itself: behind other statements it would then take their replies for its own, and they those of others.
 */
const FAILING_RETRY: PropertyDescriptor = {
  get: () => null,
  set(cause: Error) {
    throw new StaleStatementError(cause)
  },
}

/**
 * Opens a connection. `connect` returns a client of one connection that calls `onclose` when it closes, and opens none after
 * `signal`; `settings` is the text of the statements that run before the first one.
 */
export function openConnection(
  connect: (extent: { onclose: () => void; signal: AbortSignal }) => postgres.Sql,
  settings: string,
): Connection {
  let isLost = false
  let isSet = settings === ''
  const ending = new AbortController()
  const onclose = () => {
    // The driver would reconnect without a word, and a transaction's next statement would run outside the transaction.
    isLost = true
  }
  const client = connect({ onclose, signal: ending.signal })
  prepareClient(client)
  let isBusy = false
  const execute = async (text: string, params: readonly unknown[]) => {
    // The driver does not type the parameters of a text; the caller's statement does.
    const query = client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }).values()
    Reflect.defineProperty(query, 'retried', FAILING_RETRY)
    return query
  }
  return {
    get isLost() {
      return isLost
    },
    async send<Row>(text: string, params: readonly unknown[] = []) {
      if (isLost) throw unavailable(new Error('The connection to the database was lost'))
      if (isBusy) throw new Error('A connection of the database runs one statement at a time')
      isBusy = true
      try {
        if (!isSet) await execute(settings, [])
        isSet = true
        const result = await execute(text, params)
        // values() returns the rows as arrays, which the driver's types do not say for texts.
        return { rows: takeRows<Row>(result as unknown as DriverResult), command: result.command }
      } catch (error) {
        const stale = asStale(error)
        isLost ||= !isSet || stale !== null || isConnectionLost(error)
        // The pool runs the work again.
        if (stale) throw stale
        throw isUnreadable(error) ? unavailable(error) : toApiError(error)
      } finally {
        isBusy = false
      }
    },
    end: () => client.end({ timeout: END_SECONDS }),
    destroy() {
      isLost = true
      ending.abort()
      return client.end({ timeout: 0 })
    },
  }
}

/** Whether the driver failed to read a reply as one to its statement. */
function isUnreadable(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError
}

/** Sets a client's types in one place: drizzle() makes timestamps text and JSON parameters strings. */
export function prepareClient(client: postgres.Sql): postgres.Sql {
  drizzle(client)
  registerParameterTypes(client)
  return client
}
