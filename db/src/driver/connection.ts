import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { type Answer, takeRows } from './result-rows.ts'
import { isConnectionLost, toApiError, unavailable } from './errors.ts'
import { registerParameterTypes } from './parameter-types.ts'

const END_SECONDS = 5

/** What a statement gave, and what PostgreSQL calls it: a commit may have been a rollback. */
export interface Reply<Row> {
  rows: Row[]
  command: string
}

/** One connection. It is made with the first statement, once; when it breaks it stays lost. */
export interface Session {
  /** Sends a statement; a text with parameters is prepared. Failures are ApiErrors where the table of errors has one. */
  send<Row>(text: string, params?: readonly unknown[]): Promise<Reply<Row>>
  /** Whether it was asked this before: then the whole statement is on its way at once, without a question for its types. */
  knows(text: string): boolean
  /** Nothing more may be asked of it, and what it had not committed is undone. */
  readonly isLost: boolean
  /** Ends when the statement under way has. */
  end(): Promise<void>
  /** Ends now: whoever waits for an answer gets an error. */
  destroy(): Promise<void>
}

/** `connect` makes a client of one connection, and passes on that it closed. */
export function openSession(connect: (onclose: () => void) => postgres.Sql): Session {
  let isLost = false
  const known = new Set<string>()
  const client = connect(() => {
    // The driver would silently connect anew, and a transaction's next statement would run outside of it.
    isLost = true
  })
  prepareClient(client)
  return {
    get isLost() {
      return isLost
    },
    knows: (text) => known.has(text),
    async send<Row>(text: string, params: readonly unknown[] = []) {
      if (isLost) throw unavailable(new Error('The connection to the database was lost'))
      try {
        // The driver does not type the parameters of a text; the caller's statement does.
        const answer = await client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare: true }).values()
        known.add(text)
        // With values() the rows are arrays, which the driver's types say of no result of a text.
        return { rows: takeRows<Row>(answer as unknown as Answer), command: answer.command }
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

/** Both rules of the driver in one place: drizzle() makes timestamps text and JSON parameters strings. */
export function prepareClient(client: postgres.Sql): postgres.Sql {
  drizzle(client)
  registerParameterTypes(client)
  return client
}
