const SEI = 6
const TYPE_MASK = 0x1f
const USER_DATA = [4, 5]
const MORE = 0xff

/**
 * Removes the messages of H.264 that hold what a camera or an encoder noted: user data, registered or not (ITU-T H.264
 * D.1.6, D.1.7). `lengthBytes` is the size of the length before each unit. Returns null when the units do not add up.
 */
export function removeUserData(packet: Uint8Array, lengthBytes: number): Uint8Array | null {
  const kept: Uint8Array[] = []
  let position = 0
  while (position < packet.length) {
    const start = position + lengthBytes
    if (start > packet.length) return null
    let length = 0
    for (const byte of packet.subarray(position, start)) length = length * 256 + byte
    const end = start + length
    if (length === 0 || end > packet.length) return null
    if (!hasUserData(packet.subarray(start, end))) kept.push(packet.subarray(position, end))
    position = end
  }
  return new Uint8Array(Buffer.concat(kept))
}

/** The size of the length before each unit, from the configuration of the track (ISO/IEC 14496-15 §5.3.3.1). */
export function unitLengthBytes(configuration: Uint8Array): number {
  return ((configuration[4] ?? 3) & 3) + 1
}

/** H.264 §7.3.2.3.1: types and sizes are bytes of 255 and one below. */
function hasUserData(unit: Uint8Array): boolean {
  if (((unit[0] ?? 0) & TYPE_MASK) !== SEI) return false
  let position = 1
  while (position < unit.length - 1) {
    const type = readNumber(unit, position)
    const size = readNumber(unit, type.next)
    if (USER_DATA.includes(type.value)) return true
    position = size.next + size.value
  }
  return false
}

function readNumber(unit: Uint8Array, start: number): { value: number; next: number } {
  let value = 0
  let position = start
  while (unit[position] === MORE) {
    value += MORE
    position++
  }
  return { value: value + (unit[position] ?? 0), next: position + 1 }
}
