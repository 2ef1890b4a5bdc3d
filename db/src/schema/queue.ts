import type { EventEmitter } from 'node:events'
import { sql } from 'drizzle-orm'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import type { Database, DatabaseAddress, Tx } from '../driver/database.ts'
import { READ_ONLY } from '../driver/errors.ts'
import { primaryOf, type Server } from '../driver/primary.ts'
import { readServers } from '../driver/servers.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { LOCK_KEY } from './owner-connection.ts'

/** The last migration of graphile-worker; a test holds it equal, so that a start need not load the package to compare. */
export const QUEUE_VERSION = 20

const findSchema = statement<Record<never, never>, { exists: boolean }>(sql`
  select to_regclass('graphile_worker.migrations') is not null as exists`)

const readVersion = statement<Record<never, never>, { version: number | null }>(sql`
  select max(id) as version
    from graphile_worker.migrations`)

// The lock of the migrations: a replica that waited for it finds the queue's schema current.
const lock = statement<Record<never, never>, never>(sql`
  select pg_advisory_xact_lock(${sql.raw(String(LOCK_KEY))})`)

/** Brings the queue's schema up to date, so that jobs can be added before the first worker starts. `owner` is a pool of the owner's role. */
export async function ensureQueue(owner: Database, address: DatabaseAddress): Promise<void> {
  if (await isCurrent(owner)) return
  await owner.transaction(async (tx) => {
    await lock(tx, {})
    if (await isCurrent(tx)) return
    const { Logger, runMigrations } = await import('graphile-worker')
    const pgPool = await openQueuePool(address, { max: 2, onError: () => {} })
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) }).finally(() => pgPool.end())
  })
}

/**
 * Opens the connections of Graphile Worker. It could open them itself, but when it ends it removes its error listeners before
 * its connections are closed: an error that PostgreSQL sends meanwhile would end the process.
 */
export async function openQueuePool(
  address: DatabaseAddress,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Promise<Pool> {
  const { Client, Pool } = await import('pg')
  const findPrimary = primaryOf(address)
  const pool = new Pool({
    connectionString: queueConnection(address),
    max,
    ...(findPrimary && { Client: connectingToPrimary(Client, findPrimary) }),
    // The owner of the queue's tables. A pooler drops a role that a connection asks for at its start.
    onConnect: (client) => client.query('set role earshot_owner'),
  })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    endWhenReadOnly(client)
  })
  return pool
}

/** Returns a client that looks for the server that accepts writes before it connects, as the pool asks it to. */
function connectingToPrimary(Base: typeof Client, findPrimary: () => Promise<Server>): typeof Client {
  return class extends Base {
    constructor(config?: ClientConfig) {
      super(config)
      const connect = (server: Server, done: (error: Error) => void) => {
        Object.assign(this, server)
        super.connect(done)
      }
      const value = (done: (error: Error) => void) => void findPrimary().then((server) => connect(server, done), done)
      Object.defineProperty(this, 'connect', { value })
    }
  }
}

/** Ends a connection to a server that accepts no writes, so that the pool opens another. */
function endWhenReadOnly(client: PoolClient): void {
  // The driver's types leave out the messages of its protocol, and that the pool's clients can be ended.
  const ended = client as unknown as { connection: EventEmitter<{ errorMessage: [{ code: string }] }>; end: () => Promise<void> }
  ended.connection.on('errorMessage', ({ code }) => {
    if (code === READ_ONLY) void ended.end()
  })
}

/**
 * Returns Graphile Worker's connection string. `uselibpqcompat` makes `pg` read the address as libpq does, so that one
 * DATABASE_URL means the same to both drivers.
 */
function queueConnection({ url, host, port, user, password, database }: DatabaseAddress): string {
  if (url) {
    const [first = url] = readServers(url)?.urls ?? []
    return /[?&]sslmode=/.test(first) ? `${first}&uselibpqcompat=true` : first
  }
  const account = [user, password].flatMap((part) => (part === undefined ? [] : encodeURIComponent(part))).join(':')
  const query = new URLSearchParams({ ...(host && { host }), ...(port && { port: String(port) }) })
  return `postgresql://${account}@/${encodeURIComponent(database ?? '')}?${query}`
}

async function isCurrent(tx: Tx): Promise<boolean> {
  if (!onlyOne(await findSchema(tx, {})).exists) return false
  return (onlyOne(await readVersion(tx, {})).version ?? 0) >= QUEUE_VERSION
}
