import type { Readable } from 'node:stream'

/** Keys start with a letter, a digit or a hyphen in each part, so neither `..` nor a hidden file is one. */
const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-][a-z0-9.-]*)*$/
const MAX_KEY_CHARACTERS = 512
/** The longest name of a file. */
const MAX_PART_CHARACTERS = 255

/** What a caller of `put` says about the bytes that follow: how many there are, or how many there can be. */
export type PutOptions = BlobLength & { signal?: AbortSignal }

type BlobLength = { sizeBytes: number; maxBytes?: never } | { sizeBytes?: never; maxBytes: number }

/** The bytes from `start` up to `end`, which is not included. The whole blob by default. */
export interface BlobRange {
  start?: number
  end?: number
  /** Ends the stream of bytes, too. */
  signal?: AbortSignal
}

/** An address that is signed, and the headers of its response. */
export interface SignOptions {
  lifeSeconds: number
  /** `Content-Type`. */
  type: string
  /** `Content-Disposition`. */
  disposition: string
}

export interface Blob {
  /** The size of the whole blob, whatever the range. */
  sizeBytes: number
  /**
   * The bytes of the range, fewer if the blob ends before. They are of the blob that was there at the `get`, even if it is
   * replaced or deleted meanwhile. Read them to the end, or destroy the stream. It fails with `BlobStoreError`.
   */
  bytes: Readable
}

/**
 * Stores blobs by key, such as `imports/0193…/file.csv`. Whoever makes keys takes care that none is a folder of another
 * (`a` and `a/b`): a file system could not hold both. Every method throws `BlobStoreError` when the store fails.
 */
export interface BlobStore {
  /** What the store is, for operators: a directory, or a bucket. It holds no secret. */
  name: string
  /** How many bytes a part of a file should have whose length is not known. Small where a part is held in memory until it ends. */
  partBytes: number
  /**
   * Stores a blob, or replaces it. Readers see the old blob or the whole new one. After an error of the source, an abort
   * or a `BlobSizeError` the old blob is there, or none. After a `BlobStoreError` the whole new one can be there instead.
   * An error of the source is thrown as it is.
   */
  put: (key: string, source: AsyncIterable<Uint8Array>, options: PutOptions) => Promise<void>
  /** Opens a blob; null if there is none. */
  get: (key: string, range?: BlobRange) => Promise<Blob | null>
  /**
   * Returns an address where anybody can read a blob for some time, with the headers that are given. Only a store that clients can
   * reach has it. It does not look whether there is a blob.
   */
  sign?: (key: string, options: SignOptions) => Promise<string>
  /** Returns the size of a blob in bytes; null if there is none. */
  size: (key: string) => Promise<number | null>
  /** Deletes a blob. Without one, it does nothing. */
  delete: (key: string) => Promise<void>
  /** Lists the keys that start with `prefix`, in any order. */
  list: (prefix: string) => AsyncIterable<string>
  /** Removes what puts of killed processes left behind more than a day ago. No key shows it. */
  removeLeftovers: () => Promise<void>
  /** Checks in little time whether the store can be used, without writing to it. */
  check: () => Promise<void>
  close: () => Promise<void>
}

/** The source of a `put` had fewer or more bytes than was said. */
export class BlobSizeError extends Error {
  override name = 'BlobSizeError'
  /** Whether it had more. */
  readonly isLonger: boolean

  constructor(message: string, { isLonger }: { isLonger: boolean }) {
    super(message)
    this.isLonger = isLonger
  }
}

/**
 * The store failed. `full`: no space is left, or a quota is exceeded. `forbidden`: the operator must grant access.
 * `unavailable`: it may work later. The message is for operators; it holds no secret and no signed address.
 */
export class BlobStoreError extends Error {
  override name = 'BlobStoreError'
  readonly code: 'full' | 'forbidden' | 'unavailable'

  constructor(code: BlobStoreError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Returns the key. Throws for text that is not a key: keys are made by us, never by a request. */
export function requireKey(key: string): string {
  const isKey = KEY.test(key) && key.length <= MAX_KEY_CHARACTERS && key.split('/').every((part) => part.length <= MAX_PART_CHARACTERS)
  if (!isKey) throw new TypeError(`${JSON.stringify(key)} is not a key of a blob.`)
  return key
}

/** Whether a part of a path can be a part of a key, but not its first. */
export function isKeyPart(name: string): boolean {
  return KEY.test(`a/${name}`)
}
