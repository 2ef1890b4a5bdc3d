import { expireImportFiles, expireUploads, forgetBlob, listUnusedBlobs, releaseOriginals } from '@earshot/db'
import { task } from './task.ts'

const BATCH = 100

/** Deletes blobs that nothing refers to. One that the store does not delete now stays noted, and is deleted by the next run. */
export const blobs = task('blobs', async (_payload, { database, blobStore }) => {
  let hasMore = true
  while (hasMore) hasMore = await expireImportFiles(database)
  while (await expireUploads(database));
  while (await releaseOriginals(database));
  for (;;) {
    const unused = await listUnusedBlobs(database, BATCH)
    for (const blob of unused) {
      await blobStore.delete(blob.key)
      await forgetBlob(database, blob)
    }
    if (unused.length < BATCH) return
  }
})
