import type postgres from 'postgres'
import { connect, type DatabaseOptions } from './connect.ts'
import { openSession, prepareClient, type Session } from './connection.ts'
import { toApiError } from './errors.ts'
import { createPool, type Pool } from './pool.ts'
import { runTransaction } from './transaction.ts'
import type { Tx } from './tx.ts'

export type { DatabaseAddress, DatabaseOptions } from './connect.ts'
export { type Tx, transaction } from './tx.ts'

const CLIENT_END_SECONDS = 5
const BIND_TO_TEAM = "select set_config('earshot.team_id', $1, false)"

/** @deprecated Say `Tx`. */
export type Executor = Tx

export interface Database extends Tx {
  /** A plain postgres.js client beside the pool, made when it is first asked for, for what is no statement of the product (tools, tests). */
  readonly client: postgres.Sql
  close(): Promise<void>
}

/** Opens a pool. Connections are made when they are needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options)
  let client: postgres.Sql | undefined
  const tx: Tx = {
    async run<Row>(text: string, params: readonly unknown[]) {
      const { rows } = await pool.send<Row>(text, params).catch(rethrow)
      return rows
    },
    attempt: (work) => work(tx),
    transaction: (work) => pool.use((session, wait) => runTransaction(session, wait, work)).catch(rethrow),
  }
  return {
    ...tx,
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
  forTeam(teamId: string): Tx
  close(): Promise<void>
}

/** Opens a pool whose sessions see one team, the one that is named with each statement, in the same round trip. */
export function openTeamDatabase(options: Omit<DatabaseOptions, 'role'>): TeamDatabase {
  const pool = openPool({ ...options, role: 'earshot_app' })
  return {
    forTeam(teamId) {
      const bind = (session: Session) => session.send(BIND_TO_TEAM, [teamId])
      const tx: Tx = {
        async run<Row>(text: string, params: readonly unknown[]) {
          // The second is on its way before the first is answered.
          const ask = (session: Session) => Promise.all([bind(session), session.send<Row>(text, params)])
          const [, { rows }] = await pool.use(ask).catch(rethrow)
          return rows
        },
        attempt: (work) => work(tx),
        transaction: (work) => pool.use((session, wait) => bind(session).then(() => runTransaction(session, wait, work))).catch(rethrow),
      }
      return tx
    },
    close: pool.close,
  }
}

function openPool(options: DatabaseOptions): Pool {
  return createPool(options.poolSize, () => openSession((onclose) => connect(options, { max: 1, onclose })), options.statementTimeoutMs)
}

function rethrow(error: unknown): never {
  throw toApiError(error)
}
