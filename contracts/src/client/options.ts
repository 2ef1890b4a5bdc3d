import type { ReservedVideo, ReserveInput, Video } from './models.ts'

export interface ClientOptions {
  /** Address of the service, such as `https://feedback.example.com`, with or without a path. */
  baseUrl: string
  /** Personal access token, OAuth2 access token or JWT. Never sent on the public plane. */
  token?: string | undefined
  /** Sends the requests. A failure of the network is a TypeError and tried again; what it throws otherwise reaches the caller. */
  fetch?: typeof globalThis.fetch | undefined
  /** Maximum time of a call, retries and waits included. Default: 30,000, and more for operations that take longer. */
  timeoutMs?: number | undefined
  /** Maximum number of retries after 429, 502, 503, 504 and network failures. Default: 2. */
  maxRetries?: number | undefined
  userAgent?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  /** For POST. Default: a random UUID, the same for all retries of a call. */
  idempotencyKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** The output of a list operation. */
export interface Page<Item> {
  results: Item[]
  next_cursor: string | null
  /** Of a feed, whose cursor is never null. */
  has_more?: boolean
}

/** Resolves to the first page, and iterates over the items of all pages. */
export interface PagedPromise<Output, Item> extends Promise<Output>, AsyncIterable<Item> {
  /** Iterates over the pages. */
  pages(): AsyncIterable<Output>
}

/** All records of a list, to its end. Iterating again requests them again. */
export interface Export<Data> extends AsyncIterable<Data> {
  /** Yields the bytes of a CSV file instead. A broken connection ends it with an EarshotConnectionError. */
  csv(): AsyncIterable<Uint8Array>
}

/** Options of an export. `timeoutMs` is how long its response may take to begin. */
export type ExportOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'headers'>

/** An item of a stream. */
export interface Streamed<Data> {
  /** Resumes the stream after this item: the `cursor` of the next call. */
  cursor: string
  data: Data
  /** The unparsed data. */
  text: string
}

export interface StreamOptions extends Pick<CallOptions, 'signal' | 'timeoutMs' | 'headers'> {
  /** Called before the first item, with the cursor at which the stream starts. */
  onReady?: (cursor: string) => void
  /**
   * Called when items after the cursor are no longer kept, or when the cursor is from before a restore: some items are missed.
   * The stream continues after the cursor that it returns; without one, `cursor_expired` is thrown.
   */
  onExpired?: (feed: ExpiredCursor) => string | undefined
}

/** What is left of a feed whose cursor expired. */
export interface ExpiredCursor {
  /** Continues with the oldest item that is kept. */
  oldestCursor: string
  /** Continues with new items. */
  newestCursor: string
}

/** The bytes of a file. A function opens a stream anew for each try; a bare stream is sent at most once. */
export type UploadFile = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | (() => ReadableStream<Uint8Array>)

/** Options of an upload. It may take any time unless `timeoutMs` is set, which includes retries and waits. */
export type UploadOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'headers'>

/** The bytes of a video. A stream needs a reservation without a size, and is read once. */
export type VideoFile = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** What has arrived of a file. */
export interface UploadProgress {
  sentBytes: number
  /** Null for a stream. */
  totalBytes: number | null
}

/** Options of an upload of a video. It may take any time unless `timeoutMs` is set. */
export interface UploadVideoOptions extends Pick<CallOptions, 'signal' | 'timeoutMs' | 'headers'> {
  /** Called when it begins, and after each chunk that has arrived. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Called when something failed that passes, before the upload waits and goes on. */
  onRetry?: ((failure: Error, waitMs: number) => void) | undefined
  /** How long it may fail without any progress before it throws the last failure. Default: 300,000, five minutes. */
  giveUpAfterMs?: number | undefined
  /** Largest size of a chunk. Default: 8 MiB. Chunks are smaller on slow connections. */
  chunkBytes?: number | undefined
}

/** Input of `client.videos.upload`. The name and the type are those of the File, or of the Blob, unless given. */
export type UploadVideoInput = Pick<ReserveInput, 'team_id' | 'project_id' | 'draft'> &
  Partial<Pick<ReserveInput, 'file_name' | 'content_type'>>

/** Options of `client.videos.upload`. */
export interface ReserveAndUploadOptions extends UploadVideoOptions {
  /** Called with the reservation. Who keeps it can resume with `uploadVideoFile` after the program or the page was closed. */
  onReserved?: ((reserved: ReservedVideo) => void) | undefined
}

/** Methods of `client.videos` that are more than one operation. */
export interface VideoMethods {
  /**
   * Reserves a video, uploads its file and completes it. Resumes after network failures and refusals that pass, where the service
   * has stopped to receive; gives up after five minutes without progress.
   *
   * In Node, `await openAsBlob(path)` of `node:fs` is a file that is read as it is sent. A stream is uploaded while it is written,
   * with up to one chunk in memory. Throws like the methods of the client; the reservation stays until it expires.
   */
  upload(input: UploadVideoInput, file: VideoFile, options?: ReserveAndUploadOptions): Promise<Video>
}
