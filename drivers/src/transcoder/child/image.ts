import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AV_PIX_FMT_BGRA, FF_ENCODER_LIBWEBP } from 'node-av/constants'
import { Codec, CodecContext, FormatContext, Frame, InputFormat, Packet } from 'node-av/lib'
import { codecOptions } from './codec-options.ts'
import { TIME_BASE } from './decoder.ts'
import { openEncoder } from './encoder.ts'
import { openFilterChain } from './filter-chain.ts'
import { type ConvertedImage, IMAGE_NAME, type ImageTask, imageFilters, MAX_IMAGE_PIXELS, WEBP_QUALITY } from './image-plan.ts'
import { Refusal } from './report.ts'

const INPUT = '/dev/fd/3'

/** Writes the first picture of the image on descriptor 3 as a small WebP without metadata. Throws `Refusal` for a file that is none. */
export function convertImage(folder: string, task: ImageTask): ConvertedImage {
  const frame = decodeFirst(task.demuxer)
  const { width, height, format, colorSpace, colorRange } = frame
  const time = `time_base=${TIME_BASE.num}/${TIME_BASE.den}`
  const options = `width=${width}:height=${height}:pix_fmt=${format}:${time}:colorspace=${colorSpace}:range=${colorRange}`
  const chain = openFilterChain({ kind: 'buffer', options }, imageFilters(task))
  frame.pts = 0n
  for (const results of [chain.push(frame), chain.push(null)])
    for (const scaled of results) {
      const image = { width: scaled.width, height: scaled.height }
      writeFileSync(join(folder, IMAGE_NAME), encode(scaled), { mode: 0o600 })
      return image
    }
  throw new Error('The image was lost by the filters.')
}

/** The format is given, never guessed: playlists and other files that name files or addresses are none of the formats. */
function decodeFirst(demuxer: string): Frame {
  const input = new FormatContext()
  input.allocContext()
  const opened = input.openInputSync(INPUT, InputFormat.findInputFormat(demuxer), codecOptions({ protocol_whitelist: 'file' }))
  const [stream] = opened < 0 ? [] : (input.streams ?? [])
  const codec = stream ? Codec.findDecoder(stream.codecpar.codecId) : null
  if (!stream || !codec) throw new Refusal('corrupt', 'The image cannot be read.')
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  decoder.parametersToContext(stream.codecpar)
  // Checked before memory is taken: a file of a few kilobytes can say that it has billions of pixels.
  const status = decoder.open2Sync(null, codecOptions({ max_pixels: MAX_IMAGE_PIXELS, threads: 1 }))
  if (status < 0) throw new Error(`The decoder cannot be opened (${status}).`)
  const packet = new Packet()
  packet.alloc()
  const frame = new Frame()
  frame.alloc()
  while (input.readFrameSync(packet) >= 0) {
    if (packet.streamIndex === stream.index) decoder.sendPacketSync(packet)
    packet.unref()
    if (decoder.receiveFrameSync(frame) >= 0) return frame
  }
  decoder.sendPacketSync(null)
  if (decoder.receiveFrameSync(frame) >= 0) return frame
  throw new Refusal('corrupt', 'The image cannot be decoded.')
}

function encode(frame: Frame): Uint8Array {
  const context = new CodecContext()
  context.allocContext3(Codec.findEncoderByName(FF_ENCODER_LIBWEBP))
  context.width = frame.width
  context.height = frame.height
  context.pixelFormat = AV_PIX_FMT_BGRA
  context.timeBase = TIME_BASE
  const encoder = openEncoder(context, codecOptions({ quality: WEBP_QUALITY }), 0)
  const [packet] = [...encoder.encode(frame), ...encoder.encode(null)]
  if (packet === undefined) throw new Error('The image cannot be encoded.')
  return packet.data
}
