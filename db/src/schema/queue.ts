import { sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import type { Database, DatabaseAddress, Tx } from '../driver/database.ts'
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
  const { Pool } = await import('pg')
  const pool = new Pool({
    connectionString: queueConnection(address),
    max,
    // The owner of the queue's tables. A pooler drops a role that a connection asks for at its start.
    onConnect: (client) => client.query('set role earshot_owner'),
  })
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

/**
 * Returns Graphile Worker's connection string. `uselibpqcompat` makes `pg` read the address as libpq does, so that one
 * DATABASE_URL means the same to both drivers.
 */
function queueConnection({ url, host, port, user, password, database }: DatabaseAddress): string {
  if (url) return /[?&]sslmode=/.test(url) ? `${url}&uselibpqcompat=true` : url
  const account = [user, password].flatMap((part) => (part === undefined ? [] : encodeURIComponent(part))).join(':')
  const query = new URLSearchParams({ ...(host && { host }), ...(port && { port: String(port) }) })
  return `postgresql://${account}@/${encodeURIComponent(database ?? '')}?${query}`
}

async function isCurrent(tx: Tx): Promise<boolean> {
  if (!onlyOne(await findSchema(tx, {})).exists) return false
  return (onlyOne(await readVersion(tx, {})).version ?? 0) >= QUEUE_VERSION
}
