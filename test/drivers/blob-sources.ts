import { createHash, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '@earshot/drivers'

const CHUNK_BYTES = 65_536

interface SourceOptions {
  /** Called after the last chunk. */
  onEnd?: () => Promise<void> | void
  chunkBytes?: number
}

export async function* generate(sizeBytes: number, onChunk: () => void): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0; left -= CHUNK_BYTES) {
    onChunk()
    yield Buffer.alloc(Math.min(left, CHUNK_BYTES), left % 251)
  }
}

export async function* chunksOf(bytes: Buffer, { onEnd, chunkBytes = CHUNK_BYTES }: SourceOptions = {}): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  await onEnd?.()
}

/** A source that hangs at its end; it is aborted then. */
export function abortedAtEnd(bytes: Buffer): { source: AsyncIterable<Uint8Array>; signal: AbortSignal } {
  const aborting = new AbortController()
  const hang = () => {
    setTimeout(() => aborting.abort(new Error('No longer wanted')), 20)
    return new Promise<void>(() => {})
  }
  return { source: chunksOf(bytes, { onEnd: hang }), signal: aborting.signal }
}

export function put(store: BlobStore, key: string, bytes: Buffer): Promise<void> {
  return store.put(key, chunksOf(bytes), { sizeBytes: bytes.length })
}

export async function read(store: BlobStore, key: string): Promise<{ sizeBytes: number; sha256: string } | null> {
  const blob = await store.get(key)
  return blob && { sizeBytes: blob.sizeBytes, sha256: sha256(await buffer(blob.bytes)) }
}

export function newKey(): string {
  return `tests/${randomUUID()}`
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
