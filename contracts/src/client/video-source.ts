import type { VideoFile } from './options.ts'

/** How long a chunk of a stream may wait to become longer, as while a browser records. */
const GATHER_MS = 1_000

/** Reads a file chunk by chunk. */
export interface VideoSource {
  /** Null for a stream. */
  sizeBytes: number | null
  /** Returns up to so many bytes from an offset, none at the end. A stream goes back no further than the previous offset. */
  read(offsetBytes: number, maxBytes: number): Promise<Uint8Array<ArrayBuffer>>
  /** Lets go of a stream that is not read to its end. */
  cancel(reason: unknown): Promise<void>
}

/** Opens the source of a file. */
export function openSource(file: VideoFile): VideoSource {
  if (file instanceof ReadableStream) return streamSource(file)
  const sizeBytes = sizeOf(file) ?? 0
  const slice = async (from: number, to: number) =>
    file instanceof Blob ? new Uint8Array(await file.slice(from, to).arrayBuffer()) : file.subarray(from, to)
  return { sizeBytes, read: (offset, maxBytes) => slice(offset, Math.min(sizeBytes, offset + maxBytes)), cancel: async () => {} }
}

/** Returns the size of a file; null for a stream. */
export function sizeOf(file: VideoFile): number | null {
  if (file instanceof ReadableStream) return null
  return file instanceof Blob ? file.size : file.byteLength
}

/** What was not stored is sent again, so a stream keeps what it has read from the last offset on. */
function streamSource(stream: ReadableStream<Uint8Array>): VideoSource {
  const reader = stream.getReader()
  let kept: Uint8Array[] = []
  let keptBytes = 0
  let keptFrom = 0
  let reading: ReturnType<typeof reader.read> | undefined
  let isDone = false

  /** Reads the next piece, and keeps the read for the next time if it takes longer. Returns whether a piece came. */
  async function pull(withinMs: number | null): Promise<boolean> {
    reading ??= reader.read()
    const result = withinMs === null ? await reading : await firstOf(reading, withinMs)
    if (result === undefined) return false
    reading = undefined
    isDone = result.done
    keep(result.value ? [...kept, result.value] : kept)
    return !isDone
  }

  function keep(pieces: Uint8Array[]): void {
    kept = pieces
    keptBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Drops what is before an offset. */
  async function dropTo(offset: number): Promise<void> {
    if (offset < keptFrom) throw new TypeError('The service has less of the file than before')
    while (keptFrom + keptBytes < offset) {
      keptFrom += keptBytes
      keep([])
      if (!(await pull(null))) throw new TypeError('The stream is shorter than what has arrived of the file')
    }
    keep([joined(kept).subarray(offset - keptFrom)])
    keptFrom = offset
  }

  return {
    sizeBytes: null,
    read: async (offset, maxBytes) => {
      await dropTo(offset)
      const untilMs = performance.now() + GATHER_MS
      while (keptBytes < maxBytes && !isDone) {
        if (!(await pull(keptBytes === 0 ? null : Math.max(0, untilMs - performance.now())))) break
      }
      return joined(kept).subarray(0, maxBytes)
    },
    cancel: (reason) => reader.cancel(reason).catch(() => {}),
  }
}

/** Returns undefined when the time is over first. */
async function firstOf<Result>(promise: Promise<Result>, withinMs: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), withinMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
