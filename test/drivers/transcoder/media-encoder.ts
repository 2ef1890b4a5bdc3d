import { EncodedPacket } from 'mediabunny'
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_LOG_QUIET } from 'node-av/constants'
import { avChannelLayoutDefault, Codec, CodecContext, FilterGraph, Frame, Log, Packet, Rational } from 'node-av/lib'
import { codecOptions } from '../../../drivers/src/transcoder/child/codec-options.ts'
import type { AudioRecipe, VideoRecipe } from './media-recipe.ts'

const ENCODERS: Record<string, string> = {
  avc: 'libx264',
  hevc: 'libx265',
  vp8: 'libvpx',
  vp9: 'libvpx-vp9',
  av1: 'libsvtav1',
  prores: 'prores_ks',
  aac: 'aac',
  opus: 'libopus',
  mp3: 'libmp3lame',
  flac: 'flac',
  'pcm-s16': 'pcm_s16le',
}

const FASTEST: Record<string, Record<string, string>> = {
  avc: { preset: 'ultrafast', crf: '28' },
  hevc: { preset: 'ultrafast', 'x265-params': 'log-level=none' },
  vp8: { deadline: 'realtime', 'cpu-used': '8' },
  vp9: { deadline: 'realtime', 'cpu-used': '8' },
  av1: { preset: '12' },
}

const CODEC_STRINGS: Record<string, string> = {
  avc: 'avc1.640028',
  hevc: 'hev1.2.4.L120.B0',
  vp8: 'vp8',
  vp9: 'vp09.00.10.08',
  av1: 'av01.0.04M.08',
  prores: 'apch',
  aac: 'mp4a.40.2',
}

const SOUND_FORMATS: Record<string, string> = { aac: 'fltp', opus: 'flt', mp3: 'fltp', flac: 's16', 'pcm-s16': 's16' }
const SAMPLE_RATE = 48_000
const SAMPLES_PER_FRAME: Record<string, number> = { opus: 960, mp3: 1152, flac: 4608 }
const TIME_BASE = new Rational(1, 1_000_000)

export interface Encoded<Config> {
  packets: EncodedPacket[]
  config: Config
}

Log.setLevel(AV_LOG_QUIET)

/** Encodes what FFmpeg's test sources show. */
export function encodeVideo(recipe: VideoRecipe): Encoded<VideoDecoderConfig> {
  const { codec, sources, pixelFormat = 'yuv420p', retime = (seconds) => seconds } = recipe
  const packets: EncodedPacket[] = []
  let startSeconds = 0
  let config: VideoDecoderConfig | null = null
  for (const source of sources) {
    let encode: ((frame: Frame | null) => EncodedPacket[]) | null = null
    let lastSeconds = startSeconds
    for (const { frame, seconds, frameSeconds } of generate(`${source},format=${pixelFormat}`, 'buffersink')) {
      encode ??= openPictureEncoder(recipe, frame, frameSeconds)
      config ??= { codec: CODEC_STRINGS[codec] ?? codec, codedWidth: frame.width, codedHeight: frame.height }
      frame.pts = BigInt(Math.round(retime(startSeconds + seconds) * TIME_BASE.den))
      frame.timeBase = TIME_BASE
      lastSeconds = startSeconds + seconds + frameSeconds
      packets.push(...encode(frame))
    }
    packets.push(...(encode?.(null) ?? []))
    startSeconds = lastSeconds
  }
  if (config === null) throw new Error('The sources have no frames.')
  return { packets, config }
}

export function encodeSound({ codec, source }: AudioRecipe): Encoded<AudioDecoderConfig> {
  const format = `aformat=sample_fmts=${SOUND_FORMATS[codec]}:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`
  const filters = `${source},${format},asetnsamples=n=${SAMPLES_PER_FRAME[codec] ?? 1024}`
  const context = allocate(codec)
  context.sampleRate = SAMPLE_RATE
  context.channelLayout = avChannelLayoutDefault(2)
  context.timeBase = new Rational(1, SAMPLE_RATE)
  context.bitRate = 96_000n
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  let encode: ((frame: Frame | null) => EncodedPacket[]) | null = null
  const packets: EncodedPacket[] = []
  for (const { frame } of generate(filters, 'abuffersink')) {
    // A frame of sound has a format of samples.
    context.sampleFormat = frame.format as typeof context.sampleFormat
    encode ??= open(context, {}, 0.02)
    packets.push(...encode(frame))
  }
  packets.push(...(encode?.(null) ?? []))
  const header = context.extraData
  return {
    packets: packets.map((packet) => packet.clone({ type: 'key', timestamp: Math.max(0, packet.timestamp) })),
    config: {
      codec: CODEC_STRINGS[codec] ?? codec,
      sampleRate: SAMPLE_RATE,
      numberOfChannels: 2,
      ...(header === null || header.length === 0 ? {} : { description: new Uint8Array(describe(codec, header)) }),
    },
  }
}

/** FLAC is described with its marker before the block of stream information. */
function describe(codec: string, header: Buffer): Buffer {
  return codec === 'flac' ? Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, header.length]), header]) : header
}

function* generate(filters: string, sink: string): Generator<{ frame: Frame; seconds: number; frameSeconds: number }> {
  const graph = new FilterGraph()
  graph.alloc()
  if (graph.parsePtr(`${filters},${sink}@out`) < 0 || graph.configSync() < 0) throw new Error(`Cannot open ${filters}`)
  const output = graph.getFilter(`${sink}@out`)
  if (output === null) throw new Error(`There is no end of ${filters}`)
  const unit = output.buffersinkGetTimeBase().toDouble()
  const frame = new Frame()
  frame.alloc()
  while (output.buffersinkGetFrameSync(frame) >= 0) {
    yield { frame, seconds: Number(frame.pts) * unit, frameSeconds: unit }
    frame.unref()
  }
  graph.free()
}

function openPictureEncoder({ codec, options, colors }: VideoRecipe, first: Frame, frameSeconds: number) {
  const context = allocate(codec)
  context.width = first.width
  context.height = first.height
  // A frame of video has a format of pixels.
  context.pixelFormat = first.format as typeof context.pixelFormat
  context.timeBase = TIME_BASE
  context.framerate = new Rational(Math.round(1 / frameSeconds), 1)
  context.gopSize = Math.round(2 / frameSeconds)
  context.threadCount = 2
  if (colors !== undefined) {
    // The numbers of ITU-T H.273 are those of FFmpeg.
    context.colorPrimaries = colors.primaries as typeof context.colorPrimaries
    context.colorTrc = colors.transfer as typeof context.colorTrc
    context.colorSpace = colors.matrix as typeof context.colorSpace
  }
  return open(context, { ...FASTEST[codec], ...options }, frameSeconds)
}

function allocate(codec: string): CodecContext {
  const context = new CodecContext()
  context.allocContext3(Codec.findEncoderByName(ENCODERS[codec] as Parameters<typeof Codec.findEncoderByName>[0]))
  return context
}

function open(context: CodecContext, options: Record<string, string>, frameSeconds: number) {
  const status = context.open2Sync(null, codecOptions(options))
  if (status < 0) throw new Error(`The encoder cannot be opened (${status}).`)
  const packet = new Packet()
  packet.alloc()
  const unit = context.timeBase.toDouble()
  return (frame: Frame | null): EncodedPacket[] => {
    const sent = context.sendFrameSync(frame)
    if (sent < 0) throw new Error(`A frame cannot be encoded (${sent}).`)
    const packets: EncodedPacket[] = []
    while (context.receivePacketSync(packet) >= 0) {
      const data = new Uint8Array(packet.data ?? [])
      const duration = packet.duration > 0n ? Number(packet.duration) * unit : frameSeconds
      packets.push(new EncodedPacket(data, packet.isKeyframe ? 'key' : 'delta', Number(packet.pts) * unit, duration))
      packet.unref()
    }
    return packets
  }
}
