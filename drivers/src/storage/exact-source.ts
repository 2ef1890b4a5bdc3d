import { BlobSizeError, type PutOptions } from './blob-store.ts'

/** Carries an error of the source through the code of a store, so that it is not taken for one of the store. */
class SourceFailure extends Error {
  override name = 'SourceFailure'
}

/** Yields the chunks of a source. Throws `SourceFailure` when the source fails, is aborted, or has another size. */
export async function* readExactly(source: AsyncIterable<Uint8Array>, options: PutOptions): AsyncGenerator<Uint8Array> {
  const { sizeBytes, signal } = options
  const mostBytes = longestOf(options)
  const chunks = source[Symbol.asyncIterator]()
  let readBytes = 0
  let isOver = false
  try {
    for (;;) {
      const result = await nextOf(chunks, signal)
      isOver = result.done === true
      if (result.done) break
      readBytes += result.value.length
      if (readBytes > mostBytes)
        throw new BlobSizeError(`The blob has more than the ${mostBytes} bytes that were said.`, { isLonger: true })
      yield result.value
    }
    if (sizeBytes !== undefined && readBytes < sizeBytes) {
      throw new BlobSizeError(`The blob has ${readBytes} bytes instead of the ${sizeBytes} that were said.`, { isLonger: false })
    }
  } catch (cause) {
    throw new SourceFailure('The source of a blob failed.', { cause })
  } finally {
    // Not awaited: a source that hangs would end only after its next chunk.
    if (!isOver) void Promise.resolve(chunks.return?.()).catch(() => {})
  }
}

/** Returns how many bytes a source has at most. */
export function longestOf({ sizeBytes, maxBytes }: PutOptions): number {
  return sizeBytes ?? maxBytes
}

/** Returns what the source threw, and every other error as it is. */
export function unwrapSourceFailure(error: unknown): unknown {
  return error instanceof SourceFailure ? error.cause : error
}

/** Collects chunks into buffers of `partBytes`; the last one is shorter. */
export async function* toParts(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafeSlow(partBytes)
  let filled = 0
  for await (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length; ) {
      const piece = chunk.subarray(taken, taken + partBytes - filled)
      part.set(piece, filled)
      taken += piece.length
      filled += piece.length
      if (filled < partBytes) continue
      yield part
      part = Buffer.allocUnsafeSlow(partBytes)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}

/** Returns the next chunk, or throws the signal's reason at once, even if the source hangs. */
async function nextOf(chunks: AsyncIterator<Uint8Array>, signal?: AbortSignal): Promise<IteratorResult<Uint8Array, unknown>> {
  if (!signal) return chunks.next()
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    // The promise is new for each chunk: one that lives longer would keep all of them in memory.
    return await Promise.race([chunks.next(), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
