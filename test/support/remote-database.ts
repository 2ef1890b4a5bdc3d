import { randomBytes } from 'node:crypto'
import type { Database, DatabaseAddress } from '@earshot/db'
import postgres from 'postgres'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { openTestDatabase } from './test-database.ts'

export interface RemoteDatabase {
  /** Variables for a service on it. */
  environment: { DATABASE_URL: string; EARSHOT_SECRET_KEY: string }
  address: DatabaseAddress
  /** The test’s own connection, past the proxy. */
  database: Database
  /** Runs work as a superuser. */
  asOwner: (work: (sql: postgres.Sql) => Promise<unknown>) => Promise<void>
  proxy: DatabaseProxy
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Opens a database of the test’s own that services reach over TCP by `DATABASE_URL`. */
export async function openRemoteDatabase(): Promise<RemoteDatabase> {
  const { address, database, close } = await openTestDatabase()
  const asOwner: RemoteDatabase['asOwner'] = async (work) => {
    const sql = postgres({ ...address, max: 1, onnotice: () => {} })
    try {
      await work(sql)
    } finally {
      await sql.end()
    }
  }
  const proxy = await startDatabaseProxy(address)
  return {
    environment: { DATABASE_URL: proxy.url, EARSHOT_SECRET_KEY: randomBytes(32).toString('base64') },
    ...{ address, database, asOwner, proxy },
    async [Symbol.asyncDispose]() {
      await close()
      await proxy[Symbol.asyncDispose]()
    },
  }
}
