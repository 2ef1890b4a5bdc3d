import { availableParallelism } from 'node:os'
import type { EncodedPacket, InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { avChannelLayoutDefault, Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib'
import { codecOptions } from './codec-options.ts'
import { audioDecoderFor, MAX_PIXELS, videoDecoderFor } from './codecs.ts'

/** Times inside of the loop are whole microseconds. */
export const TIME_BASE = new Rational(1, 1_000_000)
const MAX_THREADS = 4

/** Decodes packets of one track. */
export interface Decoder {
  /**
   * Decodes a packet, or with null what is left. Each frame is valid until the next is asked for; its `pts` is in
   * microseconds. A broken packet gives no frames.
   */
  decode: (packet: EncodedPacket | null) => Generator<Frame>
  /** How many packets were broken. */
  failures: () => number
}

/** The threads that a codec may use. */
export function codecThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism())
}

/** Opens the decoder of a video track. Throws if it cannot be opened. */
export async function openVideoDecoder(track: InputVideoTrack): Promise<Decoder> {
  const config = await track.getDecoderConfig()
  const context = allocate(videoDecoderFor(await track.getCodec()))
  // Frames can be larger than the container says.
  const options = { max_pixels: MAX_PIXELS, threads: codecThreads() }
  context.width = await track.getCodedWidth()
  context.height = await track.getCodedHeight()
  const tag = await track.getInternalCodecId()
  // ProRes has its profile in the tag.
  if (typeof tag === 'string' && tag.length === 4) context.codecTag = tag
  return open(context, config?.description, options)
}

/** Opens the decoder of an audio track. Throws if it cannot be opened. */
export async function openAudioDecoder(track: InputAudioTrack): Promise<Decoder> {
  const config = await track.getDecoderConfig()
  const context = allocate(audioDecoderFor(await track.getCodec()))
  context.sampleRate = await track.getSampleRate()
  context.channelLayout = avChannelLayoutDefault(await track.getNumberOfChannels())
  return open(context, config?.description, {})
}

function allocate(name: string | null): CodecContext {
  // The names of codecs.ts are those of FFmpeg.
  const codec = name === null ? null : Codec.findDecoderByName(name as Parameters<typeof Codec.findDecoderByName>[0])
  if (codec === null) throw new Error(`There is no decoder ${name}.`)
  const context = new CodecContext()
  context.allocContext3(codec)
  context.pktTimebase = TIME_BASE
  return context
}

function open(context: CodecContext, description: ArrayBufferView | ArrayBufferLike | undefined, options: Record<string, number>): Decoder {
  if (description !== undefined) context.extraData = toBuffer(description)
  const status = context.open2Sync(null, codecOptions(options))
  if (status < 0) throw new Error(`The decoder cannot be opened (${status}).`)
  const packet = new Packet()
  packet.alloc()
  const frame = new Frame()
  frame.alloc()
  let failures = 0
  function* decode(encoded: EncodedPacket | null): Generator<Frame> {
    if (encoded !== null) fill(packet, encoded)
    if (context.sendPacketSync(encoded === null ? null : packet) < 0 && encoded !== null) failures++
    packet.unref()
    while (context.receiveFrameSync(frame) >= 0) {
      yield frame
      frame.unref()
    }
  }
  return { decode, failures: () => failures }
}

function fill(packet: Packet, { data, timestamp, type }: EncodedPacket): void {
  packet.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  packet.pts = BigInt(Math.round(timestamp * TIME_BASE.den))
  packet.isKeyframe = type === 'key'
}

function toBuffer(source: ArrayBufferView | ArrayBufferLike): Buffer {
  return ArrayBuffer.isView(source) ? Buffer.from(source.buffer, source.byteOffset, source.byteLength) : Buffer.from(source)
}
