const LONG_SIDE = 1920
const SHORT_SIDE = 1080

/** Sizes in pixels. */
export interface Size {
  width: number
  height: number
}

/** The largest even size of the same shape that a clip may have; a small picture keeps its size. */
export function clipSize({ width, height }: Size): Size {
  const scale = Math.min(1, LONG_SIDE / Math.max(width, height), SHORT_SIDE / Math.min(width, height))
  return { width: toEven(width * scale), height: toEven(height * scale) }
}

/** The largest even size of the shape of `inner` that fits into `outer`. */
export function containedSize(inner: Size, outer: Size): Size {
  const scale = Math.min(outer.width / inner.width, outer.height / inner.height)
  return { width: Math.min(outer.width, toEven(inner.width * scale)), height: Math.min(outer.height, toEven(inner.height * scale)) }
}

export function isClipSize({ width, height }: Size): boolean {
  return Math.max(width, height) <= LONG_SIDE && Math.min(width, height) <= SHORT_SIDE && width % 2 === 0 && height % 2 === 0
}

// H.264 with 4:2:0 has even sides.
function toEven(length: number): number {
  return Math.max(2, 2 * Math.round(length / 2))
}
