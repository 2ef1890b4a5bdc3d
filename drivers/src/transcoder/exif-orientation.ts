const EXIF = 'Exif\0\0'
const APP1 = 0xe1
const START_OF_SCAN = 0xda
const ORIENTATION = 0x0112
const ENTRY_BYTES = 12
const UPRIGHT = 1

/** Returns how a JPEG is stored: the number of EXIF's Orientation, 1 to 8; 1 where it says nothing that can be read. */
export function exifOrientationOf(jpeg: Buffer): number {
  try {
    const tiff = tiffOf(jpeg)
    return tiff === null ? UPRIGHT : orientationIn(tiff)
  } catch {
    // An offset beyond the end.
    return UPRIGHT
  }
}

/** Walks the segments in front of the picture (ITU-T T.81 §B.1.1.4) to that of EXIF. */
function tiffOf(jpeg: Buffer): Buffer | null {
  for (let at = 2; jpeg[at] === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    if (jpeg[at + 1] === START_OF_SCAN) return null
    const segment = jpeg.subarray(at + 4, at + 2 + jpeg.readUInt16BE(at + 2))
    if (jpeg[at + 1] === APP1 && segment.toString('latin1', 0, EXIF.length) === EXIF) return segment.subarray(EXIF.length)
  }
  return null
}

/** Reads the tag from the first directory of a TIFF, in its order of bytes. */
function orientationIn(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = Array.from({ length: short(directory) }, (_, index) => directory + 2 + index * ENTRY_BYTES)
  const entry = entries.find((at) => short(at) === ORIENTATION)
  const value = entry === undefined ? UPRIGHT : short(entry + 8)
  return value >= 1 && value <= 8 ? value : UPRIGHT
}
