import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { listParts } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'

interface OriginalOptions {
  blobStore: BlobStore
  parts: Awaited<ReturnType<typeof listParts>>
  path: string
  signal: AbortSignal
}

/** Joins the parts of an upload to one local file. Throws when one of them is not there. */
export async function fetchOriginal({ blobStore, parts, path, signal }: OriginalOptions): Promise<void> {
  async function* bytes() {
    for (const { key, size_bytes } of parts) {
      const blob = await blobStore.get(key, { signal })
      if (blob === null || blob.sizeBytes !== size_bytes) throw new Error(`A part of the upload is not in the store: ${key}`)
      yield* blob.bytes
    }
  }
  await pipeline(bytes(), createWriteStream(path, { mode: 0o600 }), { signal })
}
