import { join } from 'node:path'
import type { EncodedPacket } from 'mediabunny'
import { AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { CLIP_NAME, type Clip, type ClipRequest, POSTER_NAME } from './clip.ts'
import { type ClipWriter, openClipWriter } from './clip-writer.ts'
import { openAudioDecoder, openVideoDecoder } from './decoder.ts'
import { readPackets } from './packets.ts'
import { choosePoster, type Poster } from './poster.ts'
import type { Media } from './probe.ts'
import { reportProgress } from './report.ts'
import { removeUserData, unitLengthBytes } from './user-data.ts'

/** How late the first picture or sound may come. */
const MAX_START_SECONDS = 0.1
const AUDIO_PACKETS_PER_SECOND = 100
const SPARE_PACKETS = 200
const INTERLACED = 8
const CORRUPT = 1

/** The file is not what its container says: it must be encoded. */
class NotFitError extends Error {}

/**
 * Copies the tracks of a file that is fit for the web, and decodes all of it on the way. Returns null when the file is not
 * fit after all: it must be encoded.
 */
export async function copyClip(media: Media, request: ClipRequest): Promise<Clip | null> {
  if (!media.facts.isFitForWeb) return null
  try {
    return await copy(media, request)
  } catch (error) {
    if (error instanceof NotFitError) return null
    throw error
  }
}

async function copy(media: Media, { folder }: ClipRequest): Promise<Clip> {
  const { facts, audio, video } = media
  const poster = choosePoster(facts.durationSeconds)
  const writer = await openWriter(media, join(folder, CLIP_NAME))
  const pictures = await openCheckedVideo(media, poster)
  const sounds = audio === null ? null : await openCheckedAudio(media, audio)
  let endSeconds = 0
  let videoSeconds = 0
  let audioSeconds = audio === null ? Number.POSITIVE_INFINITY : 0
  const write = async (packet: EncodedPacket | null, add: ClipWriter['addVideo']) => {
    if (packet === null) return Number.POSITIVE_INFINITY
    endSeconds = Math.max(endSeconds, packet.timestamp + packet.duration)
    if (packet.timestamp >= 0) await add(packet)
    return packet.timestamp
  }
  while (videoSeconds < Number.POSITIVE_INFINITY || audioSeconds < Number.POSITIVE_INFINITY) {
    if (sounds !== null && audioSeconds <= videoSeconds) audioSeconds = await write(await sounds.next(), writer.addAudio)
    else videoSeconds = await write(await pictures.next(), writer.addVideo)
    reportProgress(Math.min(1, Math.min(videoSeconds, audioSeconds) / Math.max(1, facts.durationSeconds)))
  }
  await writer.finish()
  poster.save(join(folder, POSTER_NAME))
  return { durationMs: Math.round(endSeconds * 1000), width: await video.getCodedWidth(), height: await video.getCodedHeight() }
}

async function openWriter({ video, audio, facts, videoPackets }: Media, path: string): Promise<ClipWriter> {
  const videoConfig = await video.getDecoderConfig()
  const audioConfig = (await audio?.getDecoderConfig()) ?? null
  if (videoConfig === null) throw new NotFitError()
  const maxSounds = Math.ceil(facts.durationSeconds * AUDIO_PACKETS_PER_SECOND) + SPARE_PACKETS
  return await openClipWriter(path, {
    video: { config: videoConfig, maxPackets: videoPackets + SPARE_PACKETS },
    audio: audioConfig === null ? null : { config: audioConfig, maxPackets: maxSounds },
  })
}

interface CheckedTrack {
  /** The next packet of the clip; null at the end. Throws `NotFitError`. */
  next: () => Promise<EncodedPacket | null>
}

/** Reads pictures, and decodes each: a browser must be able to. */
async function openCheckedVideo({ video, originSeconds }: Media, poster: Poster): Promise<CheckedTrack> {
  const decoder = await openVideoDecoder(video)
  const packets = readPackets(video)
  const width = await video.getCodedWidth()
  const height = await video.getCodedHeight()
  const lengthBytes = unitLengthBytes(toBytes((await video.getDecoderConfig())?.description))
  const check = (frame: Frame) => {
    const isPlain = frame.format === AV_PIX_FMT_YUV420P || frame.format === AV_PIX_FMT_YUVJ420P
    const isBroken = (frame.flags & INTERLACED) !== 0 || (frame.flags & CORRUPT) !== 0 || frame.decodeErrorFlags !== 0
    if (!isPlain || isBroken || frame.width !== width || frame.height !== height) throw new NotFitError()
    poster.consider({ frame, seconds: Number(frame.bestEffortTimestamp) / 1_000_000 - originSeconds })
  }
  let count = 0
  const next = async () => {
    const { value, done } = await packets.next()
    for (const frame of decoder.decode(value ?? null)) check(frame)
    if (decoder.failures() > 0) throw new NotFitError()
    if (done) return null
    const data = removeUserData(value.data, lengthBytes)
    const timestamp = value.timestamp - originSeconds
    const startsWell = value.type === 'key' && timestamp >= 0 && timestamp <= MAX_START_SECONDS
    if (data === null || data.length === 0 || (count++ === 0 && !startsWell) || timestamp < 0) throw new NotFitError()
    return value.clone({ timestamp, data })
  }
  return { next }
}

async function openCheckedAudio({ originSeconds }: Media, audio: NonNullable<Media['audio']>): Promise<CheckedTrack> {
  const decoder = await openAudioDecoder(audio)
  const packets = readPackets(audio)
  const next = async () => {
    const { value, done } = await packets.next()
    decoder.decode(value ?? null).toArray()
    if (decoder.failures() > 0) throw new NotFitError()
    return done ? null : value.clone({ timestamp: value.timestamp - originSeconds })
  }
  return { next }
}

function toBytes(description: ArrayBufferView | ArrayBufferLike | undefined): Uint8Array {
  if (description === undefined) throw new NotFitError()
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description)
}
