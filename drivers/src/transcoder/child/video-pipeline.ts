import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE, AV_PIX_FMT_YUV420P, FF_ENCODER_LIBX264 } from 'node-av/constants'
import { Codec, CodecContext, type Frame, Rational } from 'node-av/lib'
import { codecOptions } from './codec-options.ts'
import { codecThreads, openVideoDecoder, TIME_BASE } from './decoder.ts'
import { type Encoder, openEncoder } from './encoder.ts'
import { readPackets } from './packets.ts'
import { isTooFast, openPictureFilter, type Picture, readPresentation } from './picture-filter.ts'
import type { Pipeline } from './pipeline.ts'
import type { Media } from './probe.ts'

const HD_PIXELS = 1280 * 720
const HD_BITS_PER_SECOND = 2_500_000
const FULL_HD_BITS_PER_SECOND = 4_500_000
const KEY_FRAME_SECONDS = 2
const LONGEST_GROUP_SECONDS = 8
const SETTINGS = { preset: 'veryfast', profile: 'high', crf: '23', 'forced-idr': '1' }
const DEFAULT_RATE = 30
const MICROSECONDS = 1_000_000

/** What browsers are told of a track of H.264. The sequence header in the packets says the rest. */
export interface VideoConfig {
  codec: string
  codedWidth: number
  codedHeight: number
}

/** Opens the pipeline that decodes, filters and encodes the pictures, and shows each to `onPicture`. */
export async function openVideoPipeline(media: Media, onPicture: (picture: Picture) => void): Promise<Pipeline<VideoConfig>> {
  const decoder = await openVideoDecoder(media.video)
  const rate = media.facts.framesPerSecond
  const filter = openPictureFilter(await readPresentation(media.video), rate)
  const packets = readPackets(media.video)
  const clock = startClock(media.originSeconds)
  const encode = createEncoding(isTooFast(rate) ? DEFAULT_RATE : rate || DEFAULT_RATE, onPicture)
  let position = 0
  return {
    position: () => position,
    config: encode.config,
    async advance() {
      const { value, done } = await packets.next()
      position = done ? Number.POSITIVE_INFINITY : Math.max(position, value.timestamp - media.originSeconds)
      const pictures = decoder
        .decode(value ?? null)
        .filter((frame) => clock(frame))
        .flatMap((frame) => filter(frame))
      const results = pictures.flatMap((picture) => encode.picture(picture)).toArray()
      return done ? [...results, ...filter(null).flatMap((picture) => encode.picture(picture)), ...encode.rest()] : results
    },
  }
}

/** Sets the time of a frame in the clip; false for one that is not shown. The first is shown from the start. */
function startClock(originSeconds: number): (frame: Frame) => boolean {
  const origin = BigInt(Math.round(originSeconds * MICROSECONDS))
  let last: bigint | null = null
  return (frame) => {
    const time = frame.bestEffortTimestamp - origin
    if (time < 0n || (last !== null && time <= last)) return false
    frame.pts = last === null ? 0n : time
    last = time
    return true
  }
}

interface Encoding {
  picture: (picture: Picture) => ReturnType<Encoder['encode']>
  rest: () => ReturnType<Encoder['encode']>
  config: () => VideoConfig | null
}

function createEncoding(rate: number, onPicture: (picture: Picture) => void): Encoding {
  let encoder: Encoder | null = null
  let config: VideoConfig | null = null
  let lastTime = -1n
  let nextKeySeconds = 0
  return {
    picture({ frame, seconds }) {
      const time = BigInt(Math.round(seconds * MICROSECONDS))
      if (time <= lastTime) return []
      lastTime = time
      onPicture({ frame, seconds })
      encoder ??= openEncoder(h264(frame, rate), codecOptions(SETTINGS), 1 / rate)
      config ??= { codec: 'avc1.640028', codedWidth: frame.width, codedHeight: frame.height }
      frame.pts = time
      frame.timeBase = TIME_BASE
      frame.pictType = seconds >= nextKeySeconds ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
      if (seconds >= nextKeySeconds) nextKeySeconds = seconds + KEY_FRAME_SECONDS
      return encoder.encode(frame)
    },
    rest: () => encoder?.encode(null) ?? [],
    config: () => config,
  }
}

function h264(first: Frame, rate: number): CodecContext {
  const context = new CodecContext()
  context.allocContext3(Codec.findEncoderByName(FF_ENCODER_LIBX264))
  const bitsPerSecond = first.width * first.height <= HD_PIXELS ? HD_BITS_PER_SECOND : FULL_HD_BITS_PER_SECOND
  context.width = first.width
  context.height = first.height
  context.pixelFormat = AV_PIX_FMT_YUV420P
  context.timeBase = TIME_BASE
  // Without a rate, x264 declares level 6.0.
  context.framerate = new Rational(Math.max(1, Math.round(rate * 1000)), 1000)
  context.gopSize = Math.max(1, Math.round(rate * LONGEST_GROUP_SECONDS))
  context.rcMaxRate = BigInt(bitsPerSecond)
  context.rcBufferSize = 2 * bitsPerSecond
  context.threadCount = codecThreads()
  // Wrong tags shift colours.
  context.colorRange = first.colorRange
  context.colorPrimaries = first.colorPrimaries
  context.colorTrc = first.colorTrc
  context.colorSpace = first.colorSpace
  return context
}
