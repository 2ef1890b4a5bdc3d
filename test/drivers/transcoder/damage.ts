/** Cuts or changes the bytes of a file. */
export function damage(bytes: Buffer, kind: 'cut-end' | 'cut-half' | 'flip-media' | 'huge-picture' | 'endless-samples'): Buffer {
  if (kind === 'cut-end') return bytes.subarray(0, bytes.length - 1000)
  if (kind === 'cut-half') return bytes.subarray(0, Math.floor(bytes.length / 2))
  if (kind === 'flip-media') return flip(bytes, bytes.indexOf('mdat') + 4)
  if (kind === 'huge-picture') return patchPictureSize(bytes)
  return patchSampleCount(bytes)
}

function flip(bytes: Buffer, start: number): Buffer {
  for (let at = start + 3000; at < bytes.length; at += 1009) bytes[at] = (bytes[at] ?? 0) ^ 0x10
  return bytes
}

/** ISO/IEC 14496-12 §12.1.3: width and height of the sample entry. */
function patchPictureSize(bytes: Buffer): Buffer {
  const entry = bytes.indexOf('avc1', bytes.indexOf('stsd')) + 4
  bytes.writeUInt16BE(16_384, entry + 24)
  bytes.writeUInt16BE(16_384, entry + 26)
  return bytes
}

/** ISO/IEC 14496-12 §8.6.1.2: how many samples have the first length. */
function patchSampleCount(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(0xff_ff_ff_ff, bytes.indexOf('stts') + 12)
  return bytes
}
