import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CLIP_NAME, POSTER_NAME } from './child/clip.ts'
import { checkClip, checkPoster } from './finished-clip.ts'
import { type TranscodedClip, TranscodeError, type TranscodeRequest, type Transcoder } from './transcoder.ts'

const PROGRESS_MS = 2000

/** A request whose signal also ends when the transcoder is closed, and whose progress comes seldom. */
export interface Conversion {
  inputPath: string
  folder: string
  maxSeconds: number
  signal: AbortSignal
  onProgress: (share: number) => void
}

/** What a conversion says of the clip that it wrote to `clip.mp4` and `poster.jpg`. */
export interface ConvertedClip {
  durationMs: number
  width: number
  height: number
}

/** What both transcoders share: progress, abort, close, and a look at the files before they count. */
export function openTranscoder(name: string, convert: (conversion: Conversion) => Promise<ConvertedClip>): Transcoder {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    name,
    async transcode(request) {
      request.signal?.throwIfAborted()
      const work = run(request, closing.signal, convert)
      running.add(work)
      try {
        return await work
      } catch (error) {
        request.signal?.throwIfAborted()
        throw toTranscodeError(error)
      } finally {
        running.delete(work)
      }
    },
    async close() {
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

/** What the system refuses, such as a process or a file, is not the fault of the video. */
function toTranscodeError(error: unknown): TranscodeError {
  if (error instanceof TranscodeError) return error
  return new TranscodeError('failed', error instanceof Error ? error.message : String(error))
}

async function run(
  request: TranscodeRequest,
  closing: AbortSignal,
  convert: (conversion: Conversion) => Promise<ConvertedClip>,
): Promise<TranscodedClip> {
  const { maxSeconds, onProgress, signal } = request
  const folder = await realpath(request.folder)
  const { durationMs, width, height } = await convert({
    inputPath: await realpath(request.inputPath),
    folder,
    maxSeconds,
    signal: signal === undefined ? closing : AbortSignal.any([closing, signal]),
    onProgress: onProgress === undefined ? () => undefined : seldom(onProgress),
  })
  const clipPath = join(folder, CLIP_NAME)
  const posterPath = join(folder, POSTER_NAME)
  const [clipBytes, posterBytes] = await Promise.all([checkClip(clipPath), checkPoster(posterPath)])
  return { durationMs, width, height, clipPath, clipBytes, posterPath, posterBytes }
}

function seldom(onProgress: (share: number) => void): (share: number) => void {
  let nextMs = 0
  return (share) => {
    if (performance.now() < nextMs) return
    nextMs = performance.now() + PROGRESS_MS
    onProgress(share)
  }
}
