import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { toApiError } from './database-errors.ts'

/** Where a statement runs: the pool, or one transaction. */
export interface Tx {
  /** Runs one prepared statement; rows come with the columns' own names. Failures are ApiErrors where the table of errors has one. */
  run<Row>(text: string, params: readonly unknown[]): Promise<Row[]>
  /** Runs work that may be undone alone when it throws. On the pool it simply runs. */
  attempt<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

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
  /** A statement that takes longer is cancelled. */
  statementTimeoutMs?: number
  /** Called with each statement that is sent, for tests that count them. */
  onStatement?: (text: string) => void
}

/**
 * Opens a pool. This module owns both rules of the driver: drizzle() makes timestamps text and JSON parameters strings,
 * and every statement of the product goes through `run`, so the two never mix.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const client = connect(options)
  drizzle(client)
  const pool: Tx = { ...executor(client), attempt: (work) => work(pool) }
  return {
    ...pool,
    transaction: (work) => begin(client, work),
    client,
    close: () => client.end({ timeout: 5 }),
  }
}

function connect({ address: { url, ...parts }, role, poolSize, applicationName, statementTimeoutMs, onStatement }: DatabaseOptions) {
  const options = {
    max: poolSize,
    // Not in the driver's README: the default drains a busy pool's queue into one connection.
    max_pipeline: 1,
    connect_timeout: 5,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: {
      application_name: applicationName,
      timezone: 'UTC',
      ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
      ...(role && { role }),
    },
  }
  return url ? postgres(url, options) : postgres({ ...parts, ...options })
}

/** The executor over a pool or a transaction's client. */
function executor(client: postgres.Sql) {
  return {
    run: async <Row>(text: string, params: readonly unknown[]): Promise<Row[]> => {
      try {
        // The driver types neither the rows nor the parameters of a text; the caller's statement does.
        return (await client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare: true })) as unknown as Row[]
      } catch (error) {
        throw toApiError(error)
      }
    },
  }
}

async function begin<Result>(client: postgres.Sql, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  try {
    return (await client.begin((transaction) => work(inTransaction(transaction)))) as Result
  } catch (error) {
    throw toApiError(error)
  }
}

function inTransaction(transaction: postgres.TransactionSql): Tx {
  return {
    ...executor(transaction as unknown as postgres.Sql),
    attempt: async <Result>(work: (tx: Tx) => Promise<Result>) =>
      (await transaction.savepoint((savepoint) => work(inTransaction(savepoint)))) as Result,
  }
}
