/** The formats of images that are read. */
export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG = Buffer.from('ffd8ff', 'hex')
/** ISO/IEC 14496-12 §4.3: the brands of a file follow `ftyp`, four characters each. */
const BRANDS = { start: 8, length: 4, most: 16 }

/** Returns the format of a file by its first bytes, whatever anybody says of it; null for every other one, as SVG. */
export function imageFormatOf(bytes: Buffer): ImageFormat | null {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'png'
  if (bytes.subarray(0, JPEG.length).equals(JPEG)) return 'jpeg'
  if (/^GIF8[79]a$/.test(textAt(bytes, 0, 6))) return 'gif'
  if (textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 4) === 'WEBP') return 'webp'
  if (textAt(bytes, 4, 4) === 'ftyp' && brandsOf(bytes).includes('avif')) return 'avif'
  return null
}

function brandsOf(bytes: Buffer): string[] {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length)
  return Array.from({ length: BRANDS.most }, (_, index) => BRANDS.start + index * BRANDS.length)
    .filter((at) => at + BRANDS.length <= end)
    .map((at) => textAt(bytes, at, BRANDS.length))
}

function textAt(bytes: Buffer, start: number, length: number): string {
  return bytes.toString('latin1', start, start + length)
}
