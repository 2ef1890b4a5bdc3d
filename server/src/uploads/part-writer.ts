import { randomUUID } from 'node:crypto'
import { ApiError } from '@earshot/contracts'
import { abandonBlob, announceBlob, appendParts, readUpload, type StoredPart, type Tx } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { BytePipe } from './byte-pipe.ts'
import { type Checksum, requireMatch } from './checksum.ts'
import { freeMemory } from './free-memory.ts'
import { requireOpen } from './open-upload.ts'
import type { UploadLease } from './upload-lease.ts'

/** A part ends after this time, however small it is: if the process dies, the client sends little again. */
const PART_MS = 5_000
const RETRY_SECONDS = 10
const KEEP_MS = 1_000

export interface PartWriterOptions {
  tx: Tx
  blobStore: BlobStore
  lease: UploadLease
  /** The offset of the upload, which nobody else moves while the lease is held. */
  offsetBytes: number
  checksum: Checksum | null
}

/**
 * Stores bytes as immutable blobs while they come, and moves the offset over each one once it is stored. With a checksum the offset
 * moves at the end, over all of them or none. Bytes that came before an error of the source are kept, unless there is a checksum.
 * Returns the new offset. Throws `checksum_mismatch`, `upload_locked`, and errors of the store and of the source.
 */
export async function writeParts(source: AsyncIterable<Uint8Array>, options: PartWriterOptions): Promise<number> {
  const { checksum } = options
  const writer = createWriter(options)
  try {
    await copy(source, writer, options).catch(async (error: unknown) => {
      if (!checksum && keepsBytes(error)) await writer.settle()
      throw error
    })
    await writer.settle()
    if (checksum) requireMatch(checksum)
    return await writer.append()
  } catch (error) {
    await writer.discard(error)
    throw error
  }
}

async function copy(source: AsyncIterable<Uint8Array>, writer: Writer, { checksum, lease }: PartWriterOptions): Promise<void> {
  for await (const chunk of source) {
    lease.progress()
    checksum?.hash.update(chunk)
    await writer.write(chunk)
    freeMemory(chunk)
  }
}

/** A part whose blob is announced and being stored while its bytes come. */
interface Part extends StoredPart {
  bytes: BytePipe
  begunMs: number
  stored: Promise<void>
}

function beginPart({ tx, blobStore, lease }: PartWriterOptions): Part {
  const { team_id, video_id } = lease.held
  const key = `uploads/${team_id}/${video_id}/${randomUUID()}`
  const bytes = new BytePipe()
  const stored = announceBlob(tx, { team_id, key }).then(() => blobStore.put(key, bytes, { maxBytes: blobStore.partBytes }))
  // Whoever writes to it, and whoever ends it, throws the error.
  stored.catch((error) => bytes.fail(error))
  return { key, size_bytes: 0, bytes, begunMs: performance.now(), stored }
}

type Writer = ReturnType<typeof createWriter>

function createWriter(options: PartWriterOptions) {
  const { tx, blobStore, lease, offsetBytes, checksum } = options
  /** What is not in the ledger, in its order. */
  const parts = new Set<Part>()
  /** Of these, what is stored and can be added to the ledger. */
  let waiting: Part[] = []
  let growing: Part | null = null
  let offset = offsetBytes
  /** Resolves when the part before the growing one is stored, and in the ledger unless there is a checksum. */
  let ending: Promise<void> = Promise.resolve()

  async function append(): Promise<number> {
    if (waiting.length === 0) return offset
    const moved = await appendParts(tx, lease.held, { first_byte: offset, parts: waiting })
    if (moved === null) throw await refusalOf(options)
    lease.progress()
    for (const part of waiting) parts.delete(part)
    waiting = []
    offset = moved
    return offset
  }

  async function store(part: Part): Promise<void> {
    await part.stored
    waiting.push(part)
    if (!checksum) await append()
  }

  /** Ends the part that grows, once the one before it has ended. */
  async function end(): Promise<void> {
    await ending
    if (growing === null) return
    growing.bytes.end()
    ending = store(growing)
    // Whoever waits for it next throws the error.
    ending.catch(() => {})
    growing = null
  }

  /** Keeps the lease while the store takes its time. */
  async function keeping<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setInterval(lease.progress, KEEP_MS)
    return work.finally(() => clearInterval(timer))
  }

  async function write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      growing ??= beginPart(options)
      parts.add(growing)
      const piece = chunk.subarray(taken, taken + blobStore.partBytes - growing.size_bytes)
      await growing.bytes.write(piece)
      taken += piece.length
      growing.size_bytes += piece.length
      if (growing.size_bytes === blobStore.partBytes || performance.now() - growing.begunMs > PART_MS) await end()
    }
  }

  /** What is not in the ledger goes. Without the database, the announcements see to it in a day. */
  async function discard(cause: unknown): Promise<void> {
    for (const { key, bytes, stored } of parts) {
      bytes.fail(cause)
      await stored.catch(() => {})
      await abandonBlob(tx, { team_id: lease.held.team_id, key }).catch(() => {})
    }
  }

  return {
    write: (chunk: Uint8Array) => keeping(write(chunk)),
    settle: () => keeping(end().then(() => ending)),
    ...{ append, discard },
  }
}

/** Why the ledger took no parts: the upload was closed or deleted, or another request has its lease now. */
async function refusalOf({ tx, lease }: PartWriterOptions): Promise<ApiError> {
  requireOpen(await readUpload(tx, lease.held))
  return new ApiError('upload_locked', { retryAfterSeconds: RETRY_SECONDS })
}

/** The client is gone or stalled: what came before is good. A body that is too long is not. */
function keepsBytes(error: unknown): boolean {
  return !(error instanceof ApiError && error.code === 'body_too_large')
}
