import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { TranscodeError } from './transcoder.ts'

const HEADER_BYTES = 16
const MAX_BOXES = 64
const JPEG_START = 0xff_d8

/**
 * Returns the size of a clip in bytes. Throws `TranscodeError` when its boxes do not add up to the size of the file, as
 * after a full disk, or when the pictures stand before the table of contents.
 */
export async function checkClip(path: string): Promise<number> {
  await using file = await openPlain(path)
  const { size } = await file.stat()
  const names: string[] = []
  let position = 0
  while (position < size && names.length < MAX_BOXES) {
    const box = await readBox(file, position)
    names.push(box.name)
    position += box.size
  }
  const isWhole = position === size && size > 0
  const startsFast = names.includes('mdat') && names.indexOf('moov') < names.indexOf('mdat') && names.includes('moov')
  if (!isWhole || !startsFast)
    throw new TranscodeError('failed', `The clip is not complete: ${names.join(' ')}, ${position} of ${size} bytes.`)
  return size
}

/** Returns the size of a JPEG in bytes. Throws `TranscodeError` for another file. */
export async function checkPoster(path: string): Promise<number> {
  await using file = await openPlain(path)
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
  if (buffer.readUInt16BE(0) !== JPEG_START) throw new TranscodeError('failed', 'The poster is no JPEG.')
  return (await file.stat()).size
}

/** Never follows a link: the child could have made one. */
function openPlain(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

/** ISO/IEC 14496-12 §4.2: a size of 1 stands for 64 bits that follow, 0 for the rest of the file. */
async function readBox(file: FileHandle, position: number): Promise<{ name: string; size: number }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, position)
  const name = buffer.toString('latin1', 4, 8)
  const short = buffer.readUInt32BE(0)
  const size = short === 1 ? Number(buffer.readBigUInt64BE(8)) : short
  if (bytesRead < 8 || size < 8) throw new TranscodeError('failed', 'The clip is not complete: a box has no size.')
  return { name: JSON.stringify(name).slice(1, -1), size }
}
