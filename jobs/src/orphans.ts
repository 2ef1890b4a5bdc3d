import { noteOrphans, type StoredBlob } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { findLostFiles } from './lost-files.ts'
import { task } from './task.ts'

/** Where the keys of blobs begin. */
const PREFIXES = ['videos/', 'uploads/', 'imports/']
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const KEY = new RegExp(`^[a-z]+/(${UUID})/(${UUID})/`)
const BATCH = 1_000

/** Finds blobs that nothing refers to, and files of videos that are not there. */
export const orphans = task('orphans', async (_payload, { database, blobStore, log }, { signal }) => {
  let [noted, unknown] = [0, 0]
  for (const prefix of PREFIXES)
    for await (const batch of batchesOf(blobStore, prefix)) {
      signal.throwIfAborted()
      const found = await noteOrphans(database, batch)
      noted += found.noted
      unknown += found.unknown
    }
  log.debug({ noted }, 'Noted blobs that nothing refers to')
  if (unknown > 0) log.warn({ count: unknown }, 'The store has blobs of teams that are not in this database, and keeps them')
  await findLostFiles({ database, blobStore, log, signal })
})

async function* batchesOf(blobStore: BlobStore, prefix: string): AsyncGenerator<StoredBlob[]> {
  let batch: StoredBlob[] = []
  for await (const key of blobStore.list(prefix)) {
    const [, team_id, owner_id] = KEY.exec(key) ?? []
    // Not one of ours.
    if (!team_id || !owner_id) continue
    batch.push({ team_id, owner_id, key })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
