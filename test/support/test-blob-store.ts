import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, openFileStore } from '@earshot/drivers'

/** Opens a blob store in a directory of the test's own, which is removed when the store closes. */
export async function openTestBlobStore(): Promise<BlobStore> {
  const directory = await mkdtemp(join(tmpdir(), 'earshot-blobs-'))
  const store = await openFileStore(directory)
  return { ...store, close: () => rm(directory, { recursive: true, force: true }) }
}
