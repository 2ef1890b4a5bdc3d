import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ApiError } from '@earshot/contracts'
import { declareLength, readUpload, type Tx, terminateUpload, type Upload, type VideoRef } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { DataStore, type Lock, type Locker, Upload as TusUpload } from '@tus/server'
import { arrivingBytes } from './body.ts'
import { readChecksum } from './checksum.ts'
import { requireOpen, requirePresent } from './open-upload.ts'
import { writeParts } from './part-writer.ts'
import { EXTENSIONS } from './tus-protocol.ts'
import { beginLease, type UploadLease } from './upload-lease.ts'

/** One request for one upload. */
export interface UploadRequest {
  tx: Tx
  blobStore: BlobStore
  ref: VideoRef
  request: IncomingMessage
  /** How long the body may stall. */
  stallMs: number
}

/** What @tus/server reads and writes for one request: the ledger in PostgreSQL, and parts in the blob store. */
export class LedgerStore extends DataStore implements Locker {
  /** The upload as it was read last. */
  current: Upload | null = null
  /** Why the write failed. @tus/server replaces it. */
  failure: unknown = null
  readonly #uploading: UploadRequest
  #lease: UploadLease | null = null
  #write: Promise<unknown> = Promise.resolve()

  constructor(uploading: UploadRequest) {
    super()
    this.extensions = EXTENSIONS
    this.#uploading = uploading
  }

  /** The clock of the database decides, in `requirePresent`: @tus/server asks no further after a zero. */
  override getExpiration(): number {
    return 0
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const { tx, ref } = this.#uploading
    this.current = requirePresent(await readUpload(tx, ref))
    const { size_bytes: size, offset_bytes: offset } = this.current
    return new TusUpload({ id, offset, ...(size !== null && { size }) })
  }

  override async declareUploadLength(_id: string, length: number): Promise<void> {
    const { tx } = this.#uploading
    if (await declareLength(tx, this.#held(), length)) {
      if (this.current) this.current.size_bytes = length
      return
    }
    const detail = 'must be at least 1 and the bytes received, and is set only once'
    throw new ApiError('validation_error', { errors: [{ field: 'Upload-Length', code: 'invalid_value', detail }] })
  }

  /** Reads the body itself, so that a stall is noticed and the connection stays open for the response. */
  override write(stream: Readable, _id: string, offsetBytes: number): Promise<number> {
    const { tx, blobStore, request, stallMs } = this.#uploading
    stream.resume()
    const checksum = readChecksum(request.headers['upload-checksum'])
    const lease = this.#requireLease()
    const maxBytes = this.#sizeOrMax() - offsetBytes
    const written = writeParts(arrivingBytes(request, { stallMs, maxBytes }), { tx, blobStore, lease, offsetBytes, checksum })
    this.#write = written.catch((error: unknown) => {
      this.failure = error
    })
    return written
  }

  override async remove(): Promise<void> {
    const { tx, ref } = this.#uploading
    if (!(await terminateUpload(tx, ref))) requireOpen(await readUpload(tx, ref))
  }

  /** Only a PATCH takes the lease: a HEAD reads one row, and a DELETE closes the upload under whoever writes it. */
  newLock(): Lock {
    const { tx, ref, request } = this.#uploading
    return {
      lock: async () => {
        if (request.method === 'PATCH') this.#lease = await beginLease(tx, ref, () => request.socket.destroyed)
      },
      unlock: async () => {
        // @tus/server does not wait for the write when the client disconnects.
        await this.#write
        await this.#lease?.end()
      },
    }
  }

  #sizeOrMax(): number {
    if (!this.current) throw new Error('The upload is read before it is written.')
    return this.current.size_bytes ?? this.current.max_bytes
  }

  #requireLease(): UploadLease {
    if (!this.#lease) throw new Error('Only the holder of the lease writes.')
    return this.#lease
  }

  #held() {
    return this.#requireLease().held
  }
}
