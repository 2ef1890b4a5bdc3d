import type { InputVideoTrack } from 'mediabunny'
import type { Frame } from 'node-av/lib'
import { TIME_BASE } from './decoder.ts'
import { type FilterChain, openFilterChain } from './filter-chain.ts'
import { clipSize, containedSize, type Size } from './picture-size.ts'

/** Clips have at most 30 frames per second; a source that is hardly faster keeps its own. */
const MAX_FRAMES_PER_SECOND = 33
const PQ = 16
const HLG = 18
const TONE_MAP = 'tonemapx=tonemap=bt2390:desat=0:p=bt709:t=bt709:m=bt709:r=tv'
const TURNS: Record<number, string[]> = { 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] }

/** How the container says that pictures are shown. */
export interface Presentation {
  /** Clockwise degrees. */
  rotation: number
  isFlipped: boolean
  /** Width of a pixel through its height. */
  pixelAspect: number
}

/** A picture of the clip, upright, in its final size. */
export interface Picture {
  frame: Frame
  seconds: number
}

export async function readPresentation(track: InputVideoTrack): Promise<Presentation> {
  const { num, den } = await track.getPixelAspectRatio()
  return { rotation: await track.getRotation(), isFlipped: await track.getFlip(), pixelAspect: num > 0 && den > 0 ? num / den : 1 }
}

/** Whether a source of this rate is brought down to 30 frames per second. */
export function isTooFast(framesPerSecond: number): boolean {
  return framesPerSecond > MAX_FRAMES_PER_SECOND
}

/**
 * Turns decoded frames into pictures. The first frame decides on the size of the clip; when a later one has another size
 * (recordings of a window do that), it is scaled into that size, with black bars.
 */
export function openPictureFilter(presentation: Presentation, framesPerSecond: number): (frame: Frame | null) => Generator<Picture> {
  let chain: FilterChain | null = null
  let kind = ''
  let size: Size | null = null
  function* drain(frame: Frame | null): Generator<Picture> {
    if (chain === null) return
    for (const result of chain.push(frame)) yield { frame: result, seconds: Number(result.pts) * chain.timeBase.toDouble() }
  }
  return function* push(frame) {
    if (frame === null) return yield* drain(null)
    if (kindOf(frame) !== kind) {
      yield* drain(null)
      chain?.close()
      kind = kindOf(frame)
      const shown = shownSize(frame, presentation)
      size ??= unturned(clipSize(unturned(shown, presentation)), presentation)
      chain = openFilterChain(
        { kind: 'buffer', options: sourceOptions(frame) },
        filters(frame, { shown, size, presentation, framesPerSecond }),
      )
    }
    yield* drain(frame)
  }
}

/** All that a chain of filters is built for. */
function kindOf(frame: Frame): string {
  const { width, height, format, colorTrc, colorSpace, colorRange, sampleAspectRatio } = frame
  return [width, height, format, colorTrc, colorSpace, colorRange, sampleAspectRatio.num, sampleAspectRatio.den].join(':')
}

function sourceOptions({ width, height, format, colorSpace, colorRange }: Frame): string {
  const time = `time_base=${TIME_BASE.num}/${TIME_BASE.den}`
  return `width=${width}:height=${height}:pix_fmt=${format}:${time}:colorspace=${colorSpace}:range=${colorRange}`
}

function shownSize({ width, height, sampleAspectRatio: { num, den } }: Frame, { pixelAspect }: Presentation): Size {
  const ofFrame = num > 0 && den > 0 ? num / den : 1
  return { width: Math.max(1, Math.round(width * (pixelAspect === 1 ? ofFrame : pixelAspect))), height }
}

/** The size after a quarter turn, or the same. */
function unturned({ width, height }: Size, { rotation }: Presentation): Size {
  return rotation % 180 === 0 ? { width, height } : { width: height, height: width }
}

interface Plan {
  shown: Size
  /** Of the clip, before it is turned. */
  size: Size
  presentation: Presentation
  framesPerSecond: number
}

function filters(frame: Frame, { shown, size, presentation, framesPerSecond }: Plan): string[] {
  const inner = containedSize(shown, size)
  const isWide = frame.colorTrc === PQ || frame.colorTrc === HLG
  const isInner = inner.width === size.width && inner.height === size.height
  return [
    ...(isTooFast(framesPerSecond) ? ['fps=30'] : []),
    ...(inner.width === frame.width && inner.height === frame.height ? [] : [`scale=${inner.width}:${inner.height}`]),
    ...(isWide ? [TONE_MAP] : []),
    // Only 4:2:0 is padded at even positions, and full range would get grey bars.
    ...(isInner ? [] : ['format=yuv420p', `pad=${size.width}:${size.height}:(ow-iw)/2:(oh-ih)/2`]),
    ...(TURNS[presentation.rotation] ?? []),
    ...(presentation.isFlipped ? ['hflip'] : []),
    'setsar=1',
    'format=yuv420p',
  ]
}
