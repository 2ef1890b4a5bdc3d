import { join } from 'node:path'
import type { EncodedPacket } from 'mediabunny'
import { AV_LOG_ERROR } from 'node-av/constants'
import { Log } from 'node-av/lib'
import { type AudioConfig, openAudioPipeline } from './audio-pipeline.ts'
import { CLIP_NAME, type Clip, type ClipRequest, POSTER_NAME } from './clip.ts'
import { type ClipWriter, openClipWriter } from './clip-writer.ts'
import { copyClip } from './copy-clip.ts'
import { isTooFast } from './picture-filter.ts'
import type { Pipeline } from './pipeline.ts'
import { choosePoster } from './poster.ts'
import type { Media } from './probe.ts'
import { Refusal, reportProgress } from './report.ts'
import { openVideoPipeline, type VideoConfig } from './video-pipeline.ts'

/** The muxer needs the first packets of sound before the second group of pictures; the normalizer holds back three seconds. */
const AUDIO_AHEAD_SECONDS = 4
const TOLERANCE_SECONDS = 1
const FRAMES_PER_SECOND = 30
const AUDIO_PACKETS_PER_SECOND = 47
const SPARE_PACKETS = 200

/** Writes the clip and its poster. Throws `Refusal` for what only decoding shows; any other error is not the file's. */
export async function produceClip(media: Media, request: ClipRequest): Promise<Clip> {
  Log.setLevel(AV_LOG_ERROR)
  return (await copyClip(media, request)) ?? (await encodeClip(media, request))
}

async function encodeClip(media: Media, { folder, maxSeconds }: ClipRequest): Promise<Clip> {
  const { facts, originSeconds } = media
  const poster = choosePoster(facts.durationSeconds)
  const video = await openVideoPipeline(media, poster.consider).catch(toCorrupt)
  const audio =
    media.audio === null
      ? null
      : await openAudioPipeline(media.audio, { originSeconds, endSeconds: facts.durationSeconds }).catch(toCorrupt)
  const firstVideo = await untilFirstPacket(video)
  const videoConfig = video.config()
  if (videoConfig === null) throw new Refusal('corrupt', 'No frame of the video can be decoded.')
  const firstAudio = audio === null ? [] : await untilFirstPacket(audio)
  const audioConfig = firstAudio.length === 0 ? null : (audio?.config() ?? null)
  const writer = await openClipWriter(join(folder, CLIP_NAME), {
    video: { config: videoConfig, maxPackets: countFrames(media) },
    audio: audioConfig === null ? null : { config: audioConfig, maxPackets: countSounds(facts.durationSeconds) },
  })
  const endSeconds = await pump({ writer, video, audio: audioConfig === null ? null : audio, firstVideo, firstAudio, media, maxSeconds })
  await writer.finish()
  poster.save(join(folder, POSTER_NAME))
  return { durationMs: Math.round(endSeconds * 1000), width: videoConfig.codedWidth, height: videoConfig.codedHeight }
}

interface Pump {
  writer: ClipWriter
  video: Pipeline<VideoConfig>
  audio: Pipeline<AudioConfig> | null
  firstVideo: EncodedPacket[]
  firstAudio: EncodedPacket[]
  media: Media
  maxSeconds: number
}

/** Converts the track that is behind, until both end. Returns the length of the clip in seconds. */
async function pump({ writer, video, audio, firstVideo, firstAudio, media, maxSeconds }: Pump): Promise<number> {
  let endSeconds = 0
  const note = ({ timestamp, duration }: EncodedPacket) => {
    endSeconds = Math.max(endSeconds, timestamp + duration)
    if (endSeconds > maxSeconds + TOLERANCE_SECONDS) throw new Refusal('too_long', `The clip is longer than ${maxSeconds} s.`)
  }
  const write = async (packets: EncodedPacket[], add: ClipWriter['addVideo']) => {
    for (const packet of packets) {
      note(packet)
      await add(packet)
    }
  }
  await write(firstAudio, writer.addAudio)
  await write(firstVideo, writer.addVideo)
  while (true) {
    const videoSeconds = video.position()
    const audioSeconds = audio?.position() ?? Number.POSITIVE_INFINITY
    if (videoSeconds === Number.POSITIVE_INFINITY && audioSeconds === Number.POSITIVE_INFINITY) return endSeconds
    if (audio !== null && audioSeconds < videoSeconds + AUDIO_AHEAD_SECONDS) await write(await audio.advance(), writer.addAudio)
    else await write(await video.advance(), writer.addVideo)
    reportProgress(shareOf(video.position(), media))
  }
}

async function untilFirstPacket(pipeline: Pipeline<unknown>): Promise<EncodedPacket[]> {
  while (pipeline.position() !== Number.POSITIVE_INFINITY) {
    const packets = await pipeline.advance()
    if (packets.length > 0) return packets
  }
  return []
}

function shareOf(seconds: number, { facts }: Media): number {
  return facts.durationSeconds > 0 ? Math.min(1, seconds / facts.durationSeconds) : 1
}

function countFrames({ facts, videoPackets }: Media): number {
  const frames = isTooFast(facts.framesPerSecond) ? Math.ceil(facts.durationSeconds * FRAMES_PER_SECOND) : videoPackets
  return frames + SPARE_PACKETS
}

function countSounds(seconds: number): number {
  return Math.ceil(seconds * AUDIO_PACKETS_PER_SECOND) + SPARE_PACKETS
}

function toCorrupt(error: Error): never {
  throw new Refusal('corrupt', error.message)
}
