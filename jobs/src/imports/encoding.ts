import { isAscii, isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A UTF-8 character has at most four bytes. */
const MAX_CHARACTER_BYTES = 4
/** The share of zeros from which on text is UTF-16: every second byte of Latin text, and of the commas of all text. */
const UTF16_ZEROS = 1 / 8

/**
 * Recognizes the encoding of a file by the byte order mark at its start, by the zeros of UTF-16, or by whether all of it is
 * UTF-8: the first umlaut may come late. What is not UTF-8 is Windows-1252, in which every byte means something.
 *
 * A character that cannot be decoded becomes U+FFFD, as in a browser. It is imported like any other: it shows in the preview and
 * to moderators, and a text that our own export wrote may contain it.
 */
export async function detectEncoding(start: Buffer, whole: () => AsyncIterable<Uint8Array>): Promise<Encoding> {
  return encodingOfMark(start) ?? encodingOfZeros(start) ?? ((await isMostlyUtf8(whole())) ? 'utf-8' : 'windows-1252')
}

function encodingOfMark(start: Buffer): Encoding | null {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 'utf-8' : null
}

function encodingOfZeros(start: Buffer): Encoding | null {
  const zeros = { even: 0, odd: 0 }
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2 === 0 ? 'even' : 'odd'] += 1
  const many = start.length * UTF16_ZEROS
  if (zeros.odd > many && zeros.odd > 10 * zeros.even) return 'utf-16le'
  return zeros.even > many && zeros.even > 10 * zeros.odd ? 'utf-16be' : null
}

/**
 * Whether a file is UTF-8. An emoji that some program cut in half makes no Windows-1252 of the rest, in which every umlaut would
 * be wrong: the characters that UTF-8 explains are weighed against those that it does not.
 */
async function isMostlyUtf8(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  const seen = { intact: 0, broken: 0 }
  let carried: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const piece = carried.length > 0 ? Buffer.concat([carried, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const end = endOfCharacters(piece)
    weigh(piece.subarray(0, end), seen)
    carried = piece.subarray(end)
  }
  weigh(carried, seen)
  return seen.broken === 0 || seen.intact > seen.broken
}

function weigh(piece: Buffer, seen: { intact: number; broken: number }): void {
  if (isAscii(piece)) return
  if (isUtf8(piece)) {
    seen.intact += 1
    return
  }
  for (const [character] of piece.toString().matchAll(/[^\p{ASCII}]/gu)) seen[character === '\u{FFFD}' ? 'broken' : 'intact'] += 1
}

/** Where a character begins that may go on in the next chunk, else the end. */
function endOfCharacters(piece: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CHARACTER_BYTES - 1, piece.length); back += 1) {
    const byte = piece[piece.length - back] ?? 0
    if (byte < 0x80) return piece.length
    if (byte >= 0xc0) return piece.length - back
  }
  return piece.length
}
