import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type BlobStore, BlobStoreError } from './blob-store.ts'

const PROBE_BYTES = 1_024

/** Writes, reads and deletes a small blob. Throws `BlobStoreError`. */
export async function tryBlobStore(store: BlobStore): Promise<void> {
  const key = `probes/${randomUUID()}`
  const written = Buffer.alloc(PROBE_BYTES, key)
  await store.put(key, oneChunk(written), { sizeBytes: written.length })
  try {
    const blob = await store.get(key)
    const read = blob && (await buffer(blob.bytes))
    if (!read?.equals(written)) throw new BlobStoreError('unavailable', 'The store returns other bytes than it was given.')
  } finally {
    await store.delete(key)
  }
}

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}
