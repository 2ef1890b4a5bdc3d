import type { DatabaseAddress } from '@earshot/db'
import { connectEmbedded, startEmbeddedPostgres } from '@earshot/db/embedded'
import type { Config } from './config.ts'
import { readSecretKey } from './secret-key.ts'

/** Where the data lives, and the key that seals its secrets. */
export interface Store {
  address: DatabaseAddress
  secretKey: Uint8Array
  /** Stops what was started here. */
  close: () => Promise<void>
}

/** For the service: PostgreSQL of `DATABASE_URL`, or one started in the data directory, which is then locked. */
export async function openStore(config: Config, log: (line: string) => void): Promise<Store> {
  if (config.databaseUrl !== null) return given(config.databaseUrl, config.secretKey)
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
  return { address: postgres.connection, secretKey: config.secretKey ?? (await readSecretKey(config.dataDir)), close: postgres.stop }
}

/** For the operator's commands: beside a running service through its data directory, or alone. */
export async function joinStore(config: Config, log: (line: string) => void): Promise<Store> {
  if (config.databaseUrl !== null) return given(config.databaseUrl, config.secretKey)
  const running = await connectEmbedded({ dataDir: config.dataDir })
  if (!running) return openStore(config, log)
  return { address: running, secretKey: config.secretKey ?? (await readSecretKey(config.dataDir)), close: async () => {} }
}

function given(url: string, secretKey: Uint8Array | null): Store {
  if (secretKey === null) throw new Error('readConfig asks for the key with DATABASE_URL')
  return { address: { url }, secretKey, close: async () => {} }
}
