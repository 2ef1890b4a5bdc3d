import { existsSync, realpathSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describeConnection, type EmbeddedConnection, ensureDatabase } from './connection.ts'
import { dataDirError, EmbeddedPostgresError } from './errors.ts'
import { readLockHolder } from './lock-file.ts'
import { isServerOf, readPostmasterFile } from './postmaster-file.ts'
import { findServerFiles } from './server-files.ts'

const POLL_MS = 25

/**
 * Returns the connection to the server of a running Earshot on this data directory, for commands beside it; takes no lock.
 * Returns null when none runs; an orphan without its service does not count, because the next start ends it. Waits while a service starts.
 */
export async function connectEmbedded(options: { dataDir: string; timeoutMs?: number }): Promise<EmbeddedConnection | null> {
  const { dataDir, timeoutMs = 15_000 } = options
  if (!existsSync(dataDir)) return null
  try {
    return await waitForServer(realpathSync(dataDir), performance.now() + timeoutMs)
  } catch (error) {
    throw dataDirError(error, dataDir)
  }
}

async function waitForServer(dataDir: string, deadlineMs: number): Promise<EmbeddedConnection | null> {
  for (;;) {
    const holderPid = readLockHolder(dataDir)
    if (holderPid === undefined) return null
    const connection = findServer(dataDir)
    if (connection !== undefined) {
      await ensureDatabase(connection)
      return connection
    }
    if (performance.now() > deadlineMs) {
      throw new EmbeddedPostgresError(`Earshot (pid ${holderPid}) uses the data directory ${dataDir}, but its database does not answer.`)
    }
    await delay(POLL_MS)
  }
}

function findServer(dataDir: string): EmbeddedConnection | undefined {
  const files = findServerFiles(dataDir)
  const server = files && readPostmasterFile(files.data)
  if (!files || !server?.isReady || !isServerOf(files.data, server.pid)) return undefined
  return describeConnection(files, server.socketDir)
}
