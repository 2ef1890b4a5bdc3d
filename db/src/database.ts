import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { registerArrayTypes } from './array-types.ts'
import { toApiError } from './database-errors.ts'
import { createPatience, NoAnswerError, type Patience } from './patience.ts'
import { send } from './send.ts'
import { runTransaction } from './transaction.ts'
import { createTurns, type TakeTurn } from './turns.ts'
import type { Tx } from './tx.ts'

export type { Tx } from './tx.ts'

const RETIREMENT_SECONDS = 5
const MAX_RECONNECT_PAUSE_SECONDS = 0.5
/**
 * The driver (postgres.js 3.4) collects what it writes up to this size and keeps what it had not yet sent when a connection
 * broke; the next one's first message would then wait behind it for ever. One of this size goes out at once, and the
 * server, which makes nothing of the remains, closes; after that the connection is as new.
 */
const DRIVER_BUFFER_BYTES = 1_024

export interface Database extends Tx {
  /** One transaction: committed when `work` resolves, rolled back when it throws. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A plain postgres.js client of the same pool, for what is no statement of the product (migrations, tests). */
  readonly client: postgres.Sql
  close(): Promise<void>
}

/** Where the database is. Either an address, or a host (a socket directory too) with its parts. */
export interface DatabaseAddress {
  url?: string
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
}

export interface DatabaseOptions {
  address: DatabaseAddress
  /** Role that the sessions take on; the login role if absent. */
  role?: 'earshot_owner' | 'earshot_app' | 'earshot_worker'
  /** Connections at most. */
  poolSize: number
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** A statement that takes longer is cancelled; a database that does not even do that is given up soon after. */
  statementTimeoutMs?: number
  /** Called with each statement that is sent, for tests that count them. */
  onStatement?: (text: string) => void
}

/**
 * Opens a pool. This module owns both rules of the driver: drizzle() makes timestamps text and JSON parameters strings,
 * and every statement of the product goes through `run`, so the two never mix.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const patience = createPatience(options.statementTimeoutMs)
  const takeTurn = createTurns(options.poolSize)
  let client = openClient(options)
  // After an outage the driver (postgres.js 3.4) can be left with a connection that never answers again: a pool that let
  // somebody wait in vain is replaced, and what still runs on the old one may end.
  const replace = (silent: postgres.Sql) => {
    if (silent !== client) return
    client = openClient(options)
    void silent.end({ timeout: RETIREMENT_SECONDS })
  }
  const waits = { patience, takeTurn, replace, current: () => client }
  const pool: Tx = { ...executor(waits), attempt: (work) => work(pool) }
  return {
    ...pool,
    transaction: (work) => begin(waits, work),
    get client() {
      return client
    },
    close: () => client.end({ timeout: 5 }),
  }
}

function openClient(options: DatabaseOptions): postgres.Sql {
  const client = connect(options)
  drizzle(client)
  registerArrayTypes(client)
  return client
}

function connect({ address: { url, ...parts }, role, poolSize, applicationName, statementTimeoutMs, onStatement }: DatabaseOptions) {
  const options = {
    max: poolSize,
    // Not in the driver's README: the default drains a busy pool's queue into one connection.
    max_pipeline: 1,
    connect_timeout: 5,
    fetch_types: false,
    // The default pauses for up to 20 s, long after the database has come back.
    backoff: (failures: number) => Math.min(failures / 10, MAX_RECONNECT_PAUSE_SECONDS),
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: {
      application_name: applicationName,
      timezone: 'UTC',
      'earshot.padding': '.'.repeat(DRIVER_BUFFER_BYTES),
      // Each statement has one good plan, whatever its values: planning a list anew cost more than running it.
      plan_cache_mode: 'force_generic_plan',
      // A bitmap loses the order of its index: a plan for any values would sort all of a project for one page.
      enable_bitmapscan: 'off',
      ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
      ...(role && { role }),
    },
  }
  return url ? postgres(url, options) : postgres({ ...parts, ...options })
}

/** How a caller waits: for a connection, and for its answer. */
interface Waits {
  patience: Patience
  takeTurn: TakeTurn
  current: () => postgres.Sql
  replace: (silent: postgres.Sql) => void
}

/** The executor over the pool. */
function executor({ patience, takeTurn, current, replace }: Waits): Pick<Tx, 'run'> {
  return {
    async run<Row>(text: string, params: readonly unknown[]) {
      const client = current()
      let query: ReturnType<typeof send> | undefined
      try {
        return (await patience(({ requireTime }) =>
          takeTurn(() => {
            requireTime()
            query = send(client, text, params)
            return query
          }),
        )) as unknown as Row[]
      } catch (error) {
        // What still waits for a connection must not be done when nobody waits for it any more.
        if (error instanceof NoAnswerError && query && !('state' in query && query.state)) query.cancel()
        if (error instanceof NoAnswerError) replace(client)
        throw toApiError(error)
      }
    },
  }
}

async function begin<Result>({ patience, takeTurn, current, replace }: Waits, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = current()
  try {
    return await patience((wait) => takeTurn(() => runTransaction(client, wait, work)))
  } catch (error) {
    if (error instanceof NoAnswerError) replace(client)
    throw toApiError(error)
  }
}
