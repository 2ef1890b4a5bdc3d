import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { isConnectionLost, toApiError, unavailable } from './errors.ts'
import { registerParameterTypes } from './parameter-types.ts'
import { type DriverResult, takeRows } from './result-rows.ts'

const END_SECONDS = 5

interface StatementResult<Row> {
  rows: Row[]
  /** PostgreSQL's name of the command that ran: a commit may have been a rollback. */
  command: string
}

/** One connection to the database. The first statement opens it; once lost, it stays lost. */
export interface Connection {
  /** Sends a statement; a text with parameters is prepared. Failures are ApiErrors where the table of errors has one. */
  send<Row>(text: string, params?: readonly unknown[]): Promise<StatementResult<Row>>
  /** Whether the connection broke: it takes no more statements, and PostgreSQL rolled back what was not committed. */
  readonly isLost: boolean
  /** Closes after the statement in flight. */
  end(): Promise<void>
  /** Closes now: the statement in flight fails. */
  destroy(): Promise<void>
}

/** Opens a connection. `connect` returns a client of one connection that calls `onclose` when it closes. */
export function openConnection(connect: (onclose: () => void) => postgres.Sql): Connection {
  let isLost = false
  const client = connect(() => {
    // The driver would reconnect without a word, and a transaction's next statement would run outside the transaction.
    isLost = true
  })
  prepareClient(client)
  return {
    get isLost() {
      return isLost
    },
    async send<Row>(text: string, params: readonly unknown[] = []) {
      if (isLost) throw unavailable(new Error('The connection to the database was lost'))
      try {
        // The driver does not type the parameters of a text; the caller's statement does.
        const result = await client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }).values()
        // values() returns the rows as arrays, which the driver's types do not say for texts.
        return { rows: takeRows<Row>(result as unknown as DriverResult), command: result.command }
      } catch (error) {
        isLost ||= isConnectionLost(error)
        throw toApiError(error)
      }
    },
    end: () => client.end({ timeout: END_SECONDS }),
    destroy() {
      isLost = true
      return client.end({ timeout: 0 })
    },
  }
}

/** Sets a client's types in one place: drizzle() makes timestamps text and JSON parameters strings. */
export function prepareClient(client: postgres.Sql): postgres.Sql {
  drizzle(client)
  registerParameterTypes(client)
  return client
}
