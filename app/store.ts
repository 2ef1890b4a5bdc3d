import type { DatabaseAddress } from '@earshot/db'
import { connectEmbedded, startEmbeddedPostgres } from '@earshot/db/embedded'
import type { Config } from './config.ts'
import { readSecretKey } from './secret-key.ts'

/** The database, and the key that seals its secrets. */
export interface Store {
  address: DatabaseAddress
  secretKey: Uint8Array
  /** Stops the embedded PostgreSQL, if this store started it. */
  close: (limits?: { timeoutMs: number }) => Promise<void>
}

/** Opens the store for the service: `DATABASE_URL`, or PostgreSQL started in the data directory, which is then locked. */
export async function openStore(config: Config, log: (line: string) => void): Promise<Store> {
  if (config.databaseUrl !== null) return given(config.databaseUrl, config.secretKey)
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
  return { address: postgres.connection, secretKey: config.secretKey ?? (await readSecretKey(config.dataDir)), close: postgres.stop }
}

/** Opens the store for the admin CLI, which shares the embedded PostgreSQL of a running service or starts it. */
export async function joinStore(config: Config, log: (line: string) => void): Promise<Store> {
  if (config.databaseUrl !== null) return given(config.databaseUrl, config.secretKey)
  const running = await connectEmbedded({ dataDir: config.dataDir })
  if (!running) return openStore(config, log)
  return { address: running, secretKey: config.secretKey ?? (await readSecretKey(config.dataDir)), close: async () => {} }
}

function given(url: string, secretKey: Uint8Array | null): Store {
  if (secretKey === null) throw new Error('readConfig requires the key with DATABASE_URL')
  return { address: { url }, secretKey, close: async () => {} }
}
