import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { listParts } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'

interface OriginalOptions {
  blobStore: BlobStore
  parts: Awaited<ReturnType<typeof listParts>>
  sizeBytes: number
  path: string
  signal: AbortSignal
}

/** Joins the parts of an upload to one local file. Throws when one of them is not there. */
export async function fetchOriginal({ blobStore, parts, sizeBytes, path, signal }: OriginalOptions): Promise<void> {
  const stored = parts.reduce((sum, part) => sum + part.size_bytes, 0)
  if (stored !== sizeBytes) throw new Error(`The upload has ${stored} of ${sizeBytes} bytes`)
  async function* bytes() {
    for (const { key, size_bytes } of parts) {
      const blob = await blobStore.get(key, { signal })
      if (blob === null || blob.sizeBytes !== size_bytes) throw new Error(`A part of the upload is not in the store: ${key}`)
      yield* blob.bytes
    }
  }
  await pipeline(bytes(), createWriteStream(path, { mode: 0o600 }), { signal })
}
