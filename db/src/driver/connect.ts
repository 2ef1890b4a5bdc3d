import postgres from 'postgres'
import type { DeliveryClaims } from './claims.ts'
import { openSocket, primaryOf } from './primary.ts'
import { readServers } from './servers.ts'

/** The address of the database: a URL, or a host (or socket directory) with its parts. */
export interface DatabaseAddress {
  /** It may name several servers (`servers.ts`). */
  url?: string
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
}

export interface DatabaseOptions {
  address: DatabaseAddress
  /** The role that connections assume; the login role if absent. */
  role?: 'earshot_owner' | 'earshot_app' | 'earshot_worker'
  /** The largest number of connections. */
  poolSize: number
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** PostgreSQL cancels a statement that takes longer; if it does not, the connection is closed soon after. */
  statementTimeoutMs?: number
  /** The longest wait for a connection while all are busy; as long as a statement may take unless given. */
  waitMs?: number
  /** Takes what statements on the pool claim as they write it. */
  claims?: DeliveryClaims
  /** Called with the text of each statement but the one of the settings, for tests that count them. */
  onStatement?: (text: string) => void
}

type Settings = Pick<DatabaseOptions, 'role' | 'statementTimeoutMs'>

interface Extent {
  max: number
  onclose?: () => void
  signal?: AbortSignal
}

/**
 * A transaction whose next statement takes longer to come is ended by PostgreSQL: its process is stopped or gone, and its
 * locks would hold up all others. Longer than any wait between two statements of ours.
 */
const IDLE_IN_TRANSACTION_MS = 20_000
/**
 * The longest transaction of the service. A process that stops in the middle of a message is not idle for PostgreSQL, and
 * would hold its locks for as long as its connection lives.
 */
const TRANSACTION_MS = 45_000

/**
 * Creates a client of the driver; `onclose` is called when a connection closes, `signal` ends one that opens. Its connections
 * have no role and no settings yet: poolers refuse or drop both at the start of a connection, so they are set by the
 * statements of `settingStatements`.
 */
export function connect(options: DatabaseOptions, extent: Extent): postgres.Sql {
  return createClient(options, extent, {})
}

/** Creates a client of several connections, for tools and tests, which ask for the settings at their start: not for poolers. */
export function connectDirectly(options: DatabaseOptions): postgres.Sql {
  return createClient(options, { max: options.poolSize }, settingsOf(options))
}

/** Returns the statements, one text for one round trip, that give a connection its role and settings. */
export function settingStatements(options: Settings): string {
  return Object.entries(settingsOf(options))
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ')
}

function settingsOf({ role, statementTimeoutMs }: Settings): Record<string, string | number> {
  return {
    timezone: 'UTC',
    // One plan per statement is right for all its values, and planning a list costs more than running it (ADR 15).
    plan_cache_mode: 'force_generic_plan',
    // A bitmap scan loses the index's order: a generic plan with one would sort a whole project for one page.
    enable_bitmapscan: 'off',
    // Tables fill and empty: a plan that was made while they were empty must be right when they are full.
    ...((role === 'earshot_worker' || role === 'earshot_app') && { enable_seqscan: 'off', transaction_timeout: TRANSACTION_MS }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
    ...(role && { role }),
  }
}

function createClient(
  { address, applicationName, onStatement, ...settings }: DatabaseOptions,
  { signal, ...extent }: Extent,
  connection: Record<string, string | number>,
): postgres.Sql {
  const ownText = settingStatements(settings)
  const options = {
    ...extent,
    connect_timeout: 5,
    // The pool retires connections between statements.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, text: string) => void (text !== ownText && onStatement(text)) }),
    connection: { application_name: applicationName, ...connection },
  }
  return clientOf(address, options, signal)
}

/** Returns a client of the driver whose connections reach the server of the address that accepts writes, if it has several. */
export function clientOf(
  address: DatabaseAddress,
  options: postgres.Options<Record<string, postgres.PostgresType>>,
  signal?: AbortSignal,
): postgres.Sql {
  const { url, ...parts } = address
  const findPrimary = primaryOf(address)
  const all = { ...options, ...(findPrimary && { socket: async () => openSocket(await findPrimary(), signal) }) }
  return url ? postgres(readServers(url)?.urls[0] ?? url, all) : postgres({ ...parts, ...all })
}
