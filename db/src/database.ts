import postgres from 'postgres'
import { toApiError } from './database-errors.ts'
import { createPool } from './pool.ts'
import { openSession, prepareClient } from './session.ts'
import { runTransaction } from './transaction.ts'
import type { Tx } from './tx.ts'

export type { Tx } from './tx.ts'

const CLIENT_END_SECONDS = 5

export interface Database extends Tx {
  /** One transaction: committed when `work` resolves, rolled back when it throws. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A plain postgres.js client beside the pool, made when it is first asked for, for what is no statement of the product (tools, tests). */
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

/** Opens a pool. Connections are made when they are needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = createPool(
    options.poolSize,
    () => openSession((onclose) => connect(options, { max: 1, onclose })),
    options.statementTimeoutMs,
  )
  let client: postgres.Sql | undefined
  const executor: Tx = {
    run: <Row>(text: string, params: readonly unknown[]) => pool.use<Row[]>((session) => session.send(text, params)).catch(rethrow),
    attempt: (work) => work(executor),
  }
  return {
    ...executor,
    transaction: (work) => pool.use((session, wait) => runTransaction(session, wait, work)).catch(rethrow),
    get client() {
      client ??= prepareClient(connect(options, { max: options.poolSize }))
      return client
    },
    async close() {
      await Promise.all([pool.close(), client?.end({ timeout: CLIENT_END_SECONDS })])
    },
  }
}

function rethrow(error: unknown): never {
  throw toApiError(error)
}

function connect(
  { address: { url, ...parts }, role, applicationName, statementTimeoutMs, onStatement }: DatabaseOptions,
  extent: { max: number; onclose?: () => void },
): postgres.Sql {
  const options = {
    ...extent,
    connect_timeout: 5,
    // The pool retires its sessions when nobody uses them.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: {
      application_name: applicationName,
      timezone: 'UTC',
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
