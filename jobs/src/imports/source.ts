import type { Encoding } from './encoding.ts'

/** Opens a file, at a byte of it if one is named. Each call starts a new read, which may end early. */
export type OpenFile = (from?: number) => AsyncIterable<Uint8Array>

/** Small enough that what one piece becomes is little in memory, whatever it holds. */
const PIECE_BYTES = 65_536

/**
 * Reads a file as UTF-8, in small pieces, from a byte of that UTF-8 on. A file in UTF-8 is opened there, and so keeps its byte
 * order mark if it is read from 0. Another one is decoded from its start, its mark is no part of the text, and what lies before
 * `from` is dropped.
 */
export async function* readUtf8(open: OpenFile, encoding: Encoding, from: number): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* inPieces(open(from))
    return
  }
  let left = from
  for await (const piece of decoded(inPieces(open()), encoding)) {
    const rest = piece.subarray(left)
    left -= piece.length - rest.length
    if (rest.length > 0) yield rest
  }
}

/** Reads so many bytes from the start of a file, or all of it if it is shorter. */
export async function readStart(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of inPieces(bytes)) {
    pieces.push(piece)
    length += piece.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxBytes)
}

async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset + start, Math.min(PIECE_BYTES, chunk.length - start))
    }
  }
}

async function* decoded(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of bytes) yield Buffer.from(decoder.decode(piece, { stream: true }))
  yield Buffer.from(decoder.decode())
}
