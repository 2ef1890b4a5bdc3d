import { randomUUID } from 'node:crypto'
import { ApiError } from '@earshot/contracts'
import { abandonBlob, announceBlob, appendParts, readUpload, type StoredPart, type Tx } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { type Checksum, requireMatch } from './checksum.ts'
import { requireOpen } from './open-upload.ts'
import type { UploadLease } from './upload-lease.ts'

/** What the client sends again costs it this much at most. */
const PART_BYTES = 4 * 1_024 * 1_024
const RETRY_SECONDS = 10
/** A store may take its time: the lease is kept meanwhile. */
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
 * Stores bytes as immutable blobs of 4 MiB, and moves the offset over each one once it is stored. With a checksum the offset moves
 * at the end, over all of them or none. Bytes that came before an error of the source are kept, unless there is a checksum.
 * Returns the new offset. Throws `checksum_mismatch`, `upload_locked`, and errors of the store and of the source.
 */
export async function writeParts(source: AsyncIterable<Uint8Array>, options: PartWriterOptions): Promise<number> {
  const { checksum, lease } = options
  const writer = createWriter(options)
  try {
    for await (const chunk of source) {
      lease.progress()
      checksum?.hash.update(chunk)
      await writer.write(chunk)
    }
  } catch (error) {
    await writer.idle()
    if (checksum || writer.hasFailed() || !keepsBytes(error)) await writer.discard()
    else await writer.settle()
    throw error
  }
  try {
    await writer.settle()
    if (checksum) requireMatch(checksum)
    return await writer.append()
  } catch (error) {
    await writer.discard()
    throw error
  }
}

/** A part that fills. It is announced meanwhile. */
interface Filling extends StoredPart {
  buffer: Buffer
  announced: Promise<void>
}

function beginPart({ tx, lease }: PartWriterOptions, buffer: Buffer): Filling {
  const { team_id, video_id } = lease.held
  const key = `uploads/${team_id}/${video_id}/${randomUUID()}`
  const announced = announceBlob(tx, { team_id, key })
  // Whoever stores the part throws the error.
  announced.catch(() => {})
  return { key, size_bytes: 0, buffer, announced }
}

function createWriter(options: PartWriterOptions) {
  const { tx, blobStore, lease, offsetBytes, checksum } = options
  const { team_id } = lease.held
  /** Stored, and not yet in the ledger. */
  let waiting: StoredPart[] = []
  /** Buffers that are free: while one is stored, another one fills. */
  const free: Buffer[] = []
  let filling: Filling | null = null
  let offset = offsetBytes
  let failed = false
  /** The part that is being stored while the next one arrives. */
  let storing: Promise<void> = Promise.resolve()

  async function append(): Promise<number> {
    if (waiting.length === 0) return offset
    const moved = await appendParts(tx, lease.held, { first_byte: offset, parts: waiting })
    if (moved === null) throw await refusalOf(options)
    lease.progress()
    waiting = []
    offset = moved
    return offset
  }

  async function store({ key, size_bytes, buffer, announced }: Filling): Promise<void> {
    const keeping = setInterval(lease.progress, KEEP_MS)
    try {
      await announced
      waiting.push({ key, size_bytes })
      await blobStore.put(key, once(buffer.subarray(0, size_bytes)), { sizeBytes: size_bytes })
      if (!checksum) await append()
      // After an error, the store may read it still.
      free.push(buffer)
    } catch (error) {
      failed = true
      throw error
    } finally {
      clearInterval(keeping)
    }
  }

  /** Stores what has arrived, once the part before it is stored. */
  async function flush(): Promise<void> {
    await storing
    if (filling === null) return
    storing = store(filling)
    // Whoever waits for it next throws the error.
    storing.catch(() => {})
    filling = null
  }

  const settle = () => flush().then(() => storing)

  async function write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      filling ??= beginPart(options, free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES))
      const piece = chunk.subarray(taken, taken + PART_BYTES - filling.size_bytes)
      filling.buffer.set(piece, filling.size_bytes)
      taken += piece.length
      filling.size_bytes += piece.length
      if (filling.size_bytes === PART_BYTES) await flush()
    }
  }

  /** What is not in the ledger goes. Without the database, the announcements see to it in a day. */
  async function discard(): Promise<void> {
    for (const { key } of [...waiting, ...(filling ? [filling] : [])]) await abandonBlob(tx, { team_id, key }).catch(() => {})
    waiting = []
    filling = null
  }

  return { write, settle, idle: () => storing.catch(() => {}), append, discard, hasFailed: () => failed }
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

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
