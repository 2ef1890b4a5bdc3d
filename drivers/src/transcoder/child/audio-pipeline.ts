import type { InputAudioTrack } from 'mediabunny'
import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC } from 'node-av/constants'
import { avChannelLayoutDefault, avGetSampleFmtName, Codec, CodecContext, type Frame, Rational } from 'node-av/lib'
import { openAudioDecoder, TIME_BASE } from './decoder.ts'
import { type Encoder, openEncoder } from './encoder.ts'
import { type FilterChain, openFilterChain } from './filter-chain.ts'
import { readPackets } from './packets.ts'
import type { Pipeline } from './pipeline.ts'

const SAMPLE_RATE = 48_000
const SAMPLES_PER_PACKET = 1024
const BITS_PER_SECOND = 128_000n
const STEREO = 2
const MICROSECONDS = 1_000_000
/** As loud as other clips of the web; gaps and the start are filled with silence. */
const FILTERS = [
  `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
  'loudnorm=I=-16:TP=-1.5:LRA=11',
  `aresample=${SAMPLE_RATE}`,
  'aformat=sample_fmts=fltp:channel_layouts=stereo',
  `asetnsamples=n=${SAMPLES_PER_PACKET}`,
]

/** What browsers are told of a track of AAC. */
export interface AudioConfig {
  codec: string
  sampleRate: number
  numberOfChannels: number
  description: Uint8Array
}

/** Opens the pipeline that decodes the sound, evens its loudness and encodes it, up to `endSeconds` of the clip. */
export async function openAudioPipeline(
  track: InputAudioTrack,
  { originSeconds, endSeconds }: { originSeconds: number; endSeconds: number },
): Promise<Pipeline<AudioConfig>> {
  const decoder = await openAudioDecoder(track)
  const filter = openSoundFilter(originSeconds)
  const packets = readPackets(track)
  let encoder: Encoder | null = null
  let position = 0
  const encode = (frame: Frame | null) => {
    encoder ??= openEncoder(aac(), null, SAMPLES_PER_PACKET / SAMPLE_RATE)
    return encoder.encode(frame)
  }
  return {
    position: () => position,
    config: () => (encoder === null ? null : configOf(encoder.context)),
    async advance() {
      const { value, done } = await packets.next()
      position = done ? Number.POSITIVE_INFINITY : Math.max(position, value.timestamp - originSeconds)
      const results = decoder
        .decode(value ?? null)
        .flatMap((frame) => filter(frame))
        .flatMap((frame) => encode(frame))
        .toArray()
      if (done) results.push(...filter(null).flatMap((frame) => encode(frame)), ...(encoder === null ? [] : encode(null)))
      // The normalizer adds a tenth of a second.
      return results.filter(({ timestamp }) => timestamp < endSeconds)
    },
  }
}

/** Sound of another rate or other channels in the middle of the file gets a chain of its own. */
function openSoundFilter(originSeconds: number): (frame: Frame | null) => Generator<Frame> {
  const origin = BigInt(Math.round(originSeconds * MICROSECONDS))
  let chain: FilterChain | null = null
  let kind = ''
  let written = 0n
  function* drain(frame: Frame | null): Generator<Frame> {
    if (chain === null) return
    for (const result of chain.push(frame)) {
      result.pts = written
      result.timeBase = new Rational(1, SAMPLE_RATE)
      written += BigInt(result.nbSamples)
      yield result
    }
  }
  return function* push(frame) {
    if (frame === null) return yield* drain(null)
    frame.pts = frame.bestEffortTimestamp - origin
    const options = sourceOptions(frame)
    if (options !== kind) {
      yield* drain(null)
      chain?.close()
      kind = options
      const startSeconds = Number(written) / SAMPLE_RATE
      chain = openFilterChain({ kind: 'abuffer', options }, startingAt(startSeconds))
    }
    yield* drain(frame)
  }
}

function startingAt(seconds: number): string[] {
  return FILTERS.map((filter) => filter.replace('first_pts=0', `first_pts=${Math.round(seconds * SAMPLE_RATE)}`))
}

function sourceOptions(frame: Frame): string {
  const { mask, nbChannels } = frame.channelLayout
  const layout = mask > 0n ? mask : avChannelLayoutDefault(nbChannels).mask
  // The frame is a frame of sound, so its format is one of samples.
  const format = avGetSampleFmtName(frame.format as Parameters<typeof avGetSampleFmtName>[0])
  const time = `time_base=${TIME_BASE.num}/${TIME_BASE.den}`
  return `${time}:sample_rate=${frame.sampleRate}:sample_fmt=${format}:channel_layout=0x${layout.toString(16)}`
}

function aac(): CodecContext {
  const context = new CodecContext()
  context.allocContext3(Codec.findEncoderByName(FF_ENCODER_AAC))
  context.sampleRate = SAMPLE_RATE
  context.sampleFormat = AV_SAMPLE_FMT_FLTP
  context.channelLayout = avChannelLayoutDefault(STEREO)
  context.bitRate = BITS_PER_SECOND
  context.timeBase = new Rational(1, SAMPLE_RATE)
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  return context
}

function configOf(context: CodecContext): AudioConfig {
  const description = new Uint8Array(context.extraData ?? [])
  return { codec: 'mp4a.40.2', sampleRate: SAMPLE_RATE, numberOfChannels: STEREO, description }
}
