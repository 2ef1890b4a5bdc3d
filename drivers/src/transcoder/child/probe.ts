import {
  EncodedPacketSink,
  type Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  UnsupportedInputFormatError,
} from 'mediabunny'
import { audioDecoderFor, MAX_PIXELS, videoDecoderFor } from './codecs.ts'
import { isFitForWeb } from './fit-for-web.ts'
import type { MediaFacts } from './media-facts.ts'
import { Refusal } from './report.ts'

const MAX_TRACKS = 32
const MAX_FRAMES_PER_SECOND = 240
/** Recorders stop a little late. */
const TOLERANCE_SECONDS = 1
/** Packets that a rate is measured over, even in a clip of no length. */
const LEAST_PACKETS = 16

/** A file that may be transcoded. */
export interface Media {
  facts: MediaFacts
  video: InputVideoTrack
  audio: InputAudioTrack | null
  /** The first moment of the clip, in the time of the file. */
  originSeconds: number
  videoPackets: number
}

/** Reads what the container says. Throws `Refusal` for a file that cannot become a clip. */
export async function probe(input: Input, maxSeconds: number): Promise<Media> {
  try {
    return await readMedia(input, maxSeconds)
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof UnsupportedInputFormatError) throw new Refusal('unsupported_media', 'The file is no MP4, MOV, WebM or MKV.')
    throw new Refusal('corrupt', `The file cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

async function readMedia(input: Input, maxSeconds: number): Promise<Media> {
  const format = await input.getFormat()
  const tracks = await input.getTracks()
  if (tracks.length === 0) throw new Refusal('corrupt', 'The file has no tracks.')
  if (tracks.length > MAX_TRACKS) throw new Refusal('unsupported_media', `The file has ${tracks.length} tracks.`)
  const video = await chooseVideo(tracks)
  const audio = await chooseAudio(tracks)
  const originSeconds = await firstMoment(video, audio)
  const durationSeconds = (await lastMoment(video, audio)) - originSeconds
  if (durationSeconds > maxSeconds + TOLERANCE_SECONDS) throw new Refusal('too_long', `The file lasts ${Math.round(durationSeconds)} s.`)
  const { videoPackets, framesPerSecond, bitsPerSecond } = await measureRate(video)
  const facts: MediaFacts = {
    container: ['Matroska', 'WebM'].includes(format.name) ? 'matroska' : 'mov',
    durationSeconds: Math.max(0, durationSeconds),
    framesPerSecond,
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    videoIndex: tracks.filter((track) => track.isVideoTrack()).indexOf(video),
    audioIndex: audio === null ? null : tracks.filter((track) => track.isAudioTrack()).indexOf(audio),
    isHdr: await video.hasHighDynamicRange(),
    isFitForWeb: await isFitForWeb({ video, audio, framesPerSecond, bitsPerSecond }),
  }
  return { facts, video, audio, originSeconds, videoPackets }
}

async function chooseVideo(tracks: InputTrack[]): Promise<InputVideoTrack> {
  const videos = tracks.filter((track) => track.isVideoTrack())
  if (videos.length === 0) throw new Refusal('no_video_track', 'The file has no video track.')
  for (const video of videos) {
    if (videoDecoderFor(await video.getCodec()) === null || !(await hasPackets(video))) continue
    const pixels = (await video.getCodedWidth()) * (await video.getCodedHeight())
    if (pixels > MAX_PIXELS) throw new Refusal('unsupported_media', `The video has ${pixels} pixels.`)
    return video
  }
  const isKnown = (await Promise.all(videos.map((video) => video.getCodec()))).some((codec) => videoDecoderFor(codec) !== null)
  throw isKnown
    ? new Refusal('corrupt', 'The video track has no frames.')
    : new Refusal('unsupported_media', 'The codec of the video is not supported.')
}

/** Phones add a second audio track in a format of their own: the first that can be decoded is taken. */
async function chooseAudio(tracks: InputTrack[]): Promise<InputAudioTrack | null> {
  const audios = tracks.filter((track) => track.isAudioTrack())
  for (const audio of audios) {
    if (audioDecoderFor(await audio.getCodec()) !== null) return (await hasPackets(audio)) ? audio : null
  }
  if (audios.length > 0) throw new Refusal('unsupported_media', 'The codec of the audio is not supported.')
  return null
}

async function hasPackets(track: InputTrack): Promise<boolean> {
  return (await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true })) !== null
}

/** What an edit list cuts off is before zero. */
async function firstMoment(video: InputVideoTrack, audio: InputAudioTrack | null): Promise<number> {
  const moments = [await video.getFirstTimestamp(), ...(audio === null ? [] : [await audio.getFirstTimestamp()])]
  return Math.max(0, Math.min(...moments))
}

/** Computed from packets: what containers say of their length is missing in recordings, and wrong in fragmented files. */
async function lastMoment(video: InputVideoTrack, audio: InputAudioTrack | null): Promise<number> {
  const moments = [await video.computeDuration(), ...(audio === null ? [] : [await audio.computeDuration()])]
  return Math.max(...moments)
}

interface Rate {
  videoPackets: number
  framesPerSecond: number
  bitsPerSecond: number
}

async function measureRate(video: InputVideoTrack): Promise<Rate> {
  const seconds = Math.max(0, (await video.computeDuration()) - (await video.getFirstTimestamp()))
  const limit = Math.ceil(seconds * MAX_FRAMES_PER_SECOND * 1.01) + LEAST_PACKETS
  const { packetCount, averageBitrate } = await video.computePacketStats(limit + 1, { metadataOnly: true })
  if (packetCount > limit) throw new Refusal('unsupported_media', `The video has more than ${MAX_FRAMES_PER_SECOND} frames per second.`)
  const framesPerSecond = seconds > 0 ? Math.min(MAX_FRAMES_PER_SECOND, packetCount / seconds) : 0
  return { videoPackets: packetCount, framesPerSecond, bitsPerSecond: averageBitrate }
}
