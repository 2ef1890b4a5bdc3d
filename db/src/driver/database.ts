import type postgres from 'postgres'
import { connect, type DatabaseOptions } from './connect.ts'
import { type Connection, openConnection, prepareClient } from './connection.ts'
import { toApiError } from './errors.ts'
import { createPool, type Pool } from './pool.ts'
import { runTransaction } from './transaction.ts'
import type { Tx } from './tx.ts'

export type { DatabaseAddress, DatabaseOptions } from './connect.ts'
export type { Tx } from './tx.ts'

const CLIENT_END_SECONDS = 5
const BIND_TO_TEAM = "select set_config('earshot.team_id', $1, false)"

/** Where statements run, alone or as a transaction. */
export interface Executor extends Tx {
  /** One transaction: committed when `work` resolves, rolled back when it throws. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

export interface Database extends Executor {
  /** A plain postgres.js client beside the pool, made when it is first asked for, for what is no statement of the product (tools, tests). */
  readonly client: postgres.Sql
  close(): Promise<void>
}

/** Opens a pool. Connections are made when they are needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options)
  let client: postgres.Sql | undefined
  const executor: Tx = {
    async run<Row>(text: string, params: readonly unknown[]) {
      const { rows } = await pool.use((connection) => connection.send<Row>(text, params)).catch(rethrow)
      return rows
    },
    attempt: (work) => work(executor),
  }
  return {
    ...executor,
    transaction: (work) => pool.use((connection, deadline) => runTransaction(connection, deadline, work)).catch(rethrow),
    get client() {
      client ??= prepareClient(connect(options, { max: options.poolSize }))
      return client
    },
    async close() {
      await Promise.all([pool.close(), client?.end({ timeout: CLIENT_END_SECONDS })])
    },
  }
}

/** The pool of a role that policies bind: there is no way to ask it anything but for a team. */
export interface TeamDatabase {
  forTeam(teamId: string): Executor
  close(): Promise<void>
}

/** Opens a pool whose connections see one team, the team of the statement that runs. */
export function openTeamDatabase(options: Omit<DatabaseOptions, 'role'>): TeamDatabase {
  const pool = openPool({ ...options, role: 'earshot_app' })
  const boundTo = new WeakMap<Connection, string>()
  const bind = async (connection: Connection, teamId: string) => {
    if (boundTo.get(connection) === teamId) return
    // Until PostgreSQL replied, the connection is bound to neither team for sure.
    boundTo.delete(connection)
    await connection.send(BIND_TO_TEAM, [teamId])
    boundTo.set(connection, teamId)
  }
  return {
    forTeam(teamId) {
      const useBound: Pool['use'] = (work) =>
        pool.use(async (connection, deadline) => {
          await bind(connection, teamId)
          deadline.renew()
          return work(connection, deadline)
        })
      const executor: Executor = {
        async run<Row>(text: string, params: readonly unknown[]) {
          const { rows } = await useBound((connection) => connection.send<Row>(text, params)).catch(rethrow)
          return rows
        },
        attempt: (work) => work(executor),
        transaction: (work) => useBound((connection, deadline) => runTransaction(connection, deadline, work)).catch(rethrow),
      }
      return executor
    },
    close: pool.close,
  }
}

function openPool(options: DatabaseOptions): Pool {
  return createPool(options.poolSize, () => openConnection((onclose) => connect(options, { max: 1, onclose })), options.statementTimeoutMs)
}

function rethrow(error: unknown): never {
  throw toApiError(error)
}
