import { fstatSync, readSync } from 'node:fs'
import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny'
import { Refusal, requireParent } from './report.ts'

const INPUT_FD = 3
/** A table of contents of a long clip is below 1 MB; one of a million tracks, or a cover of 300 MB, is no clip. */
const MAX_READ_BYTES = 32 * 1024 * 1024

/** Opens the file on descriptor 3. Formats that refer to other files or addresses (HLS, playlists) are not among the formats. */
export function openInput(): Input {
  const sizeBytes = fstatSync(INPUT_FD).size
  if (sizeBytes === 0) throw new Refusal('corrupt', 'The file is empty.')
  const source = new CustomSource({ getSize: () => sizeBytes, read: readRange, prefetchProfile: 'fileSystem' })
  return new Input({ source, formats: [MP4, QTFF, MATROSKA, WEBM] })
}

function readRange(start: number, end: number): Uint8Array {
  requireParent()
  if (end - start > MAX_READ_BYTES) throw new Refusal('corrupt', `The file holds a block of ${end - start} bytes.`)
  const bytes = new Uint8Array(end - start)
  let length = 0
  while (length < bytes.length) {
    const read = readSync(INPUT_FD, bytes, length, bytes.length - length, start + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
