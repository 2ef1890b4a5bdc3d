import { writeFileSync } from 'node:fs'
import { AV_CODEC_FLAG_QSCALE, AV_PIX_FMT_YUVJ420P, AVCOL_RANGE_JPEG, FF_ENCODER_MJPEG } from 'node-av/constants'
import { Codec, CodecContext, type Frame } from 'node-av/lib'
import { TIME_BASE } from './decoder.ts'
import { openEncoder } from './encoder.ts'
import { openFilterChain } from './filter-chain.ts'
import type { Picture } from './picture-filter.ts'
import { containedSize } from './picture-size.ts'

const CANDIDATES = 8
const WINDOW_SECONDS = 12
const DARKEST_MEAN = 30
const BRIGHTEST_MEAN = 225
const SAMPLED_EVERY = 8
const MAX_SIDE = 1280
/** Four of FFmpeg's scale of 2 to 31, in its units. */
const QUALITY = 4 * 118

/** Chooses a frame that shows something: clips often start black. */
export interface Poster {
  consider: (picture: Picture) => void
  /** Writes the best frame as a JPEG. */
  save: (path: string) => void
}

export function choosePoster(durationSeconds: number): Poster {
  const stepSeconds = Math.min(WINDOW_SECONDS, durationSeconds) / CANDIDATES
  let best: { frame: Frame; score: number } | null = null
  let taken = 0
  return {
    consider({ frame, seconds }) {
      if (taken >= CANDIDATES || seconds < taken * stepSeconds) return
      taken++
      const score = scoreOf(frame)
      if (best !== null && score <= best.score) return
      const copy = frame.clone()
      if (copy === null) return
      best?.frame.free()
      best = { frame: copy, score }
    },
    save(path) {
      if (best === null) throw new Error('There is no frame for the poster.')
      writeFileSync(path, encodeJpeg(best.frame), { mode: 0o600 })
    },
  }
}

/** The spread of the brightness. A frame that is nearly black or white comes after all others. */
function scoreOf(frame: Frame): number {
  const luma = frame.data?.[0]
  const stride = frame.linesize[0]
  if (luma === undefined || stride === undefined) return Number.NEGATIVE_INFINITY
  let count = 0
  let sum = 0
  let squares = 0
  for (let y = 0; y < frame.height; y += SAMPLED_EVERY) {
    for (let x = 0; x < frame.width; x += SAMPLED_EVERY) {
      const value = luma[y * stride + x] ?? 0
      count++
      sum += value
      squares += value * value
    }
  }
  const mean = sum / count
  const spread = Math.sqrt(Math.max(0, squares / count - mean * mean))
  return mean < DARKEST_MEAN || mean > BRIGHTEST_MEAN ? spread - 1000 : spread
}

function encodeJpeg(frame: Frame): Uint8Array {
  const { width, height, format, colorSpace, colorRange } = frame
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  const size = containedSize({ width, height }, { width: Math.round(width * scale), height: Math.round(height * scale) })
  const time = `time_base=${TIME_BASE.num}/${TIME_BASE.den}`
  const options = `width=${width}:height=${height}:pix_fmt=${format}:${time}:colorspace=${colorSpace}:range=${colorRange}`
  const filters = [`scale=${size.width}:${size.height}:out_range=pc`, 'format=yuvj420p']
  const chain = openFilterChain({ kind: 'buffer', options }, filters)
  const encoder = openEncoder(jpeg(size), null, 0)
  frame.pts = 0n
  const packets = [...chain.push(frame).flatMap(encodeFrame), ...chain.push(null).flatMap(encodeFrame), ...encoder.encode(null)]
  const data = packets[0]?.data
  if (data === undefined) throw new Error('The poster cannot be encoded.')
  return data

  function encodeFrame(scaled: Frame) {
    scaled.quality = QUALITY
    return encoder.encode(scaled)
  }
}

function jpeg({ width, height }: { width: number; height: number }): CodecContext {
  const context = new CodecContext()
  context.allocContext3(Codec.findEncoderByName(FF_ENCODER_MJPEG))
  context.width = width
  context.height = height
  context.pixelFormat = AV_PIX_FMT_YUVJ420P
  context.colorRange = AVCOL_RANGE_JPEG
  context.timeBase = TIME_BASE
  context.setFlags(AV_CODEC_FLAG_QSCALE)
  context.globalQuality = QUALITY
  return context
}
