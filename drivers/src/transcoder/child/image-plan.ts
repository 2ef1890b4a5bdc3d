export const IMAGE_NAME = 'image.webp'
/** The largest picture that is decoded: 8,000 × 5,000. */
export const MAX_IMAGE_PIXELS = 40_000_000
export const WEBP_QUALITY = 82

/** What becomes of an image: with `isSquare` the square in its middle, scaled to at most this side; otherwise all of it. */
export interface ImageTask {
  /** FFmpeg's name of the format. */
  demuxer: string
  /** The turn that EXIF asks for, 1 to 8. */
  orientation: number
  maxSide: number
  isSquare: boolean
}

/** The size of a converted image, in pixels. */
export interface ConvertedImage {
  width: number
  height: number
}

/** By EXIF's number (CIPA DC-008, Orientation): how the stored picture is turned so that it stands upright. */
const TURNS: Record<number, string[]> = {
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
}

/** The filters of FFmpeg that make the image: cropped, scaled down, turned, with what transparency it has. */
export function imageFilters({ orientation, maxSide, isSquare }: ImageTask): string[] {
  const side = (own: string) => `'max(1,min(${maxSide},${own}))'`
  return [
    ...(isSquare ? ["crop='min(iw,ih)':'min(iw,ih)'"] : []),
    `scale=${side('iw')}:${side('ih')}:force_original_aspect_ratio=decrease:flags=lanczos`,
    ...(TURNS[orientation] ?? []),
    'setsar=1',
    'format=bgra',
  ]
}
