import type { Database } from '@earshot/db'
import { readHealth } from '@earshot/db/maintenance'
import { BlobStoreError, createSecretBox, findSandbox, findTranscoder, openBlobStore, tryBlobStore } from '@earshot/drivers'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import type { Store } from '../store.ts'
import { JSON_OPTION, perform } from './perform.ts'

const CLOCK_TOLERANCE_SECONDS = 5

export function completeDoctor(doctor: Command): void {
  doctor.option(...JSON_OPTION).action(() =>
    perform(async (database, config, store) => ({
      ...(await examine(database, store)),
      storage: await examineStorage(config),
      transcoder: await examineTranscoder(),
    })),
  )
}

/** Checks each part that the service needs. */
async function examine(database: Database, store: Store): Promise<Record<string, unknown>> {
  const { server_version, clock, deliveries_due, workers } = await readHealth(database)
  const offset = Math.abs(clock - Date.now() / 1000)
  return {
    database: `PostgreSQL ${server_version}`,
    clock: offset < CLOCK_TOLERANCE_SECONDS ? 'in sync with the database' : `differs from the database by ${Math.round(offset)} s`,
    secret_key: createSecretBox(store.secretKey).keyId,
    workers,
    deliveries_due,
  }
}

/** Writes, reads and deletes a file. A failure is a result. */
async function examineStorage({ storage }: Config): Promise<string> {
  try {
    const blobStore = await openBlobStore(storage)
    try {
      await tryBlobStore(blobStore)
      return `${blobStore.name} can be written, read and deleted from`
    } finally {
      await blobStore.close()
    }
  } catch (error) {
    if (error instanceof BlobStoreError) return error.message
    throw error
  }
}

/** Tries what this machine transcodes videos with. That there is nothing is a warning: another machine can have it. */
async function examineTranscoder(): Promise<string> {
  const found = await findTranscoder()
  if ('missing' in found)
    return `none, so workers on this machine transcode no videos and copy no images (docs/videos.md): ${found.missing}`
  await found.transcoder.close()
  const { missing } = await findSandbox()
  return missing.length === 0 ? found.transcoder.name : `${found.transcoder.name}, confined without ${missing.join(' and ')}`
}
