import { addAbortSignal, Readable } from 'node:stream'

interface BlobStreamOptions {
  /** Releases the file or the connection, once, also if nothing was read. */
  close: () => Promise<void> | void
  toFailure: (error: unknown) => unknown
  signal?: AbortSignal | undefined
}

/** Creates the stream of a blob's bytes. `Readable.from` would not release what an unread generator holds. */
export function toBlobStream(chunks: AsyncIterator<Uint8Array>, { close, toFailure, signal }: BlobStreamOptions): Readable {
  const stream = new Readable({
    read() {
      chunks.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: unknown) => this.destroy(toError(toFailure(error))),
      )
    },
    destroy(error, callback) {
      Promise.resolve(close()).then(
        () => callback(error),
        () => callback(error),
      )
    },
  })
  return signal ? addAbortSignal(signal, stream) : stream
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
