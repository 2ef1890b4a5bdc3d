import type postgres from 'postgres'
import { connect, connectDirectly, type DatabaseOptions, settingStatements } from './connect.ts'
import { type Connection, openConnection, prepareClient } from './connection.ts'
import { isMissingPartition, toApiError } from './errors.ts'
import { createPool, type Pool } from './pool.ts'
import { runTransaction } from './transaction.ts'
import type { Patience, Tx } from './tx.ts'

export type { DatabaseAddress, DatabaseOptions } from './connect.ts'
export { type Patience, type Tx, transaction } from './tx.ts'

const CLIENT_END_SECONDS = 1
/** Every process creates partitions days ahead; this is for one that slept over them, or a clock that moved. */
const ENSURE_PARTITIONS = `
  select ensure_partitions(relname::text, 1)
    from pg_class
   where relkind = 'p' and relnamespace = 'public'::regnamespace
   order by relname`
const BIND_TO_TEAM = "select set_config('earshot.team_id', $1, false)"

export interface Database extends Tx {
  /** A plain postgres.js client beside the pool, created on first use, for tools and tests. */
  readonly client: postgres.Sql
  /** Returns where the statements of one request run. */
  patiently(patience: Patience): Tx
  close(): Promise<void>
}

/** Opens a pool. Connections are opened when they are needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options)
  let client: postgres.Sql | undefined
  const claims = options.claims && { claims: options.claims }
  const shared: Tx = { ...runOn(pool.use), ...claims }
  const patiently = (patience: Patience): Tx => ({
    ...runOn((work) => pool.use(work, patience)),
    ...claims,
    request: { patience, shared, patiently },
  })
  return {
    ...shared,
    patiently,
    get client() {
      client ??= prepareClient(connectDirectly(options))
      return client
    },
    async close() {
      await Promise.all([pool.close(), client?.end({ timeout: CLIENT_END_SECONDS })])
    },
  }
}

/** The pool of a role that row-level security binds: it runs statements for one team at a time, and none without a team. */
export interface TeamDatabase {
  forTeam(teamId: string, patience?: Patience): Tx
  close(): Promise<void>
}

/** Opens a pool whose connections see one team: the team that the caller names. */
export function openTeamDatabase(options: Omit<DatabaseOptions, 'role'>): TeamDatabase {
  const pool = openPool({ ...options, role: 'earshot_app' })
  const teams = new WeakMap<Connection, string>()
  const bind = async (connection: Connection, teamId: string) => {
    if (teams.get(connection) === teamId) return
    // A failed statement leaves it open which team the connection is bound to.
    teams.delete(connection)
    await connection.send(BIND_TO_TEAM, [teamId])
    teams.set(connection, teamId)
  }
  return {
    forTeam: (teamId, patience) =>
      runOn((work) =>
        pool.use(async (connection, deadline) => {
          await bind(connection, teamId)
          deadline.renew()
          return work(connection, deadline)
        }, patience),
      ),
    close: pool.close,
  }
}

function runOn(use: Pool['use']): Tx {
  const tx: Tx = {
    async run<Row>(text: string, params: readonly unknown[]) {
      const { rows } = await use((connection) => connection.send<Row>(text, params)).catch(rethrow)
      return rows
    },
    attempt: (work) => work(tx),
    transaction: (work) => use((connection, deadline) => runTransaction(connection, deadline, work)).catch(rethrow),
  }
  return tx
}

function openPool(options: DatabaseOptions): Pool {
  const { poolSize, statementTimeoutMs, waitMs } = options
  const settings = settingStatements(options)
  const pool = createPool({
    max: poolSize,
    open: () => openConnection((extent) => connect(options, { max: 1, ...extent }), settings),
    statementTimeoutMs,
    waitMs,
  })
  return {
    ...pool,
    use: (work, patience) =>
      pool.use(work, patience).catch(async (error: unknown) => {
        if (!isMissingPartition(error)) throw error
        await pool.use((connection) => connection.send(ENSURE_PARTITIONS), patience)
        return pool.use(work, patience)
      }),
  }
}

function rethrow(error: unknown): never {
  throw toApiError(error)
}
