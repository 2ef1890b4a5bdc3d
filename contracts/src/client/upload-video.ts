import type { CompleteInput, ReservedVideo, ReserveInput, Video } from './models.ts'
import type { CallOptions, ClientOptions, UploadVideoInput, UploadVideoOptions, VideoFile, VideoMethods } from './options.ts'
import { createPatience, type Patience } from './patience.ts'
import { startDeadline } from './retry.ts'
import { openTusUpload, type TusUpload, type UploadTarget } from './tus.ts'
import { requireSize, UNLIMITED_MS } from './upload.ts'
import { openSource, sizeOf, type VideoSource } from './video-source.ts'

/** Unless the caller says. */
const CHUNK_BYTES = 8 * 1_024 * 1_024
const FIRST_CHUNK_BYTES = 1_024 * 1_024
const LEAST_CHUNK_BYTES = 256 * 1_024
/** A chunk should take about so long: progress is known after each. */
const QUICK_MS = 1_000
const SLOW_MS = 4_000
/** Unless the caller says. */
const GIVE_UP_AFTER_MS = 5 * 60_000

/**
 * Uploads the file of a reservation by tus 1.0: one of `videos.reserve`, or a visitor's of `public.uploads.reserve`. What has arrived
 * already is not sent again, so it resumes an upload of the same file. Complete the upload next. Returns the number of bytes.
 *
 * Resumes and throws like `client.videos.upload`. The token of the reservation is sent, and no other credential. A file of another
 * size than was reserved throws a TypeError.
 */
export async function uploadVideoFile(
  options: ClientOptions,
  { upload }: { upload: UploadTarget },
  file: VideoFile,
  call: UploadVideoOptions = {},
): Promise<number> {
  return within(call, (signal, patience) =>
    sendVideo(openTusUpload(options, upload, { ...call, signal }), file, { ...call, signal, patience }),
  )
}

interface VideoCalls {
  reserve(input: ReserveInput, call: CallOptions): Promise<ReservedVideo>
  complete(input: CompleteInput, call: CallOptions): Promise<Video>
}

/** Returns `client.videos.upload`, which reserves and completes by other methods of the client. */
export function videoUploader(options: ClientOptions, { reserve, complete }: VideoCalls): VideoMethods['upload'] {
  return ({ team_id, project_id, draft, ...given }, file, call = {}) =>
    within(call, async (signal, patience) => {
      const { headers } = call
      const reserved = await reserve({ team_id, project_id, ...described(file, given), draft }, { headers, signal })
      call.onReserved?.(reserved)
      const { video, upload } = reserved
      await sendVideo(openTusUpload(options, upload, { headers, signal }), file, { ...call, signal, patience })
      return persist(patience, () => complete({ team_id, project_id, video_id: video.id }, { headers, signal }))
    })
}

function described(
  file: VideoFile,
  { file_name, content_type }: Pick<UploadVideoInput, 'file_name' | 'content_type'>,
): Pick<ReserveInput, 'file_name' | 'content_type' | 'size_bytes'> {
  const ofFile = file instanceof Blob ? { name: 'name' in file ? String(file.name) : '', type: file.type } : { name: '', type: '' }
  return {
    file_name: file_name ?? (ofFile.name || 'video'),
    content_type: content_type ?? (ofFile.type || 'application/octet-stream'),
    size_bytes: sizeOf(file),
  }
}

async function within<Result>(
  { signal, timeoutMs = UNLIMITED_MS, giveUpAfterMs = GIVE_UP_AFTER_MS, onRetry }: UploadVideoOptions,
  work: (signal: AbortSignal, patience: Patience) => Promise<Result>,
): Promise<Result> {
  const deadline = startDeadline({ timeoutMs, signal })
  try {
    deadline.signal.throwIfAborted()
    return await work(deadline.signal, createPatience({ giveUpAfterMs, signal: deadline.signal, onRetry }))
  } finally {
    deadline.stop()
  }
}

/** Repeats a request while its failures pass. */
async function persist<Result>(patience: Patience, send: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      await patience.afterFailure(error)
    }
  }
}

interface Sending extends Pick<UploadVideoOptions, 'onProgress' | 'chunkBytes'> {
  signal: AbortSignal
  patience: Patience
}

async function sendVideo(tus: TusUpload, file: VideoFile, sending: Sending): Promise<number> {
  const { signal } = sending
  const source = openSource(file)
  // Ends a read of a stream that waits.
  const abort = () => void source.cancel(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await sendFrom(source, tus, sending)
  } catch (error) {
    await source.cancel(error)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Sends what has not arrived yet. Returns the size. */
async function sendFrom(source: VideoSource, tus: TusUpload, { signal, patience, onProgress, chunkBytes }: Sending): Promise<number> {
  const { offsetBytes, sizeBytes } = await persist(patience, tus.head)
  if (source.sizeBytes !== null && sizeBytes !== null) requireSize(source.sizeBytes, sizeBytes)
  const pace = createPace(chunkBytes ?? CHUNK_BYTES)
  let sentBytes = offsetBytes
  for (;;) {
    onProgress?.({ sentBytes, totalBytes: sizeBytes ?? source.sizeBytes })
    if (sentBytes === sizeBytes) return sentBytes
    const bytes = await source.read(sentBytes, pace.chunkBytes())
    signal.throwIfAborted()
    const end = sentBytes + bytes.byteLength
    if (sizeBytes !== null && (bytes.byteLength === 0 || end > sizeBytes)) requireSize(end, sizeBytes)
    if (end === 0) throw new TypeError('The file is empty')
    if (bytes.byteLength === 0) return end
    sentBytes = await sendChunk(tus, { bytes, sentBytes }, { patience, pace })
  }
}

interface Chunk {
  bytes: Uint8Array<ArrayBuffer>
  /** The offset of its first byte. */
  sentBytes: number
}

/** Sends a chunk once. Returns how much of the file has arrived then, which may be a part of the chunk. */
async function sendChunk(
  tus: TusUpload,
  { bytes, sentBytes }: Chunk,
  { patience, pace }: { patience: Patience; pace: Pace },
): Promise<number> {
  const startMs = performance.now()
  try {
    const offset = await tus.patch(sentBytes, bytes)
    pace.took(performance.now() - startMs)
    patience.progress()
    return offset
  } catch (error) {
    await patience.afterFailure(error)
    pace.failed()
    const { offsetBytes } = await persist(patience, tus.head)
    if (offsetBytes > sentBytes) patience.progress()
    return offsetBytes
  }
}

interface Pace {
  chunkBytes(): number
  took(ms: number): void
  failed(): void
}

/** Chooses the size of chunks by the time that they take. */
function createPace(maxBytes: number): Pace {
  let bytes = Math.min(maxBytes, FIRST_CHUNK_BYTES)
  const slower = () => {
    bytes = Math.min(maxBytes, Math.max(LEAST_CHUNK_BYTES, Math.ceil(bytes / 2)))
  }
  return {
    chunkBytes: () => bytes,
    took: (ms) => {
      if (ms > SLOW_MS) slower()
      else if (ms < QUICK_MS) bytes = Math.min(maxBytes, bytes * 2)
    },
    failed: slower,
  }
}
