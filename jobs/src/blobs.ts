import { type Database, expireImportFiles, expireUploads, forgetBlob, listUnusedBlobs, releaseOriginals } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { task } from './task.ts'

const BATCH = 100
/** After so many failures the store is away. */
const MAX_FAILURES = 20

/** Deletes blobs that nothing refers to. Those that the store does not delete now stay noted; the job tries again until it does. */
export const blobs = task('blobs', async (_payload, { database, blobStore }) => {
  let hasMore = true
  while (hasMore) hasMore = await expireImportFiles(database)
  while (await expireUploads(database));
  while (await releaseOriginals(database));
  await deleteUnused(database, blobStore)
})

/** One that cannot be deleted keeps no other one. */
async function deleteUnused(database: Database, blobStore: BlobStore): Promise<void> {
  const errors: unknown[] = []
  for (;;) {
    const unused = await listUnusedBlobs(database, { max: BATCH, skip: errors.length })
    for (const blob of unused) {
      try {
        await blobStore.delete(blob.key)
        await forgetBlob(database, blob)
      } catch (error) {
        errors.push(error)
        if (errors.length >= MAX_FAILURES) throw error
      }
    }
    if (unused.length < BATCH) break
  }
  if (errors.length > 0) throw errors[0]
}
