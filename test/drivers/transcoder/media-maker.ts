import { writeFile } from 'node:fs/promises'
import {
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny'
import { encodeSound, encodeVideo } from './media-encoder.ts'
import type { AudioRecipe, VideoRecipe } from './media-recipe.ts'

const CONTAINERS = {
  mp4: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  'mp4-end': () => new Mp4OutputFormat({ fastStart: false }),
  'mp4-fragmented': () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
  mov: () => new MovOutputFormat({ fastStart: 'in-memory' }),
  webm: () => new WebMOutputFormat(),
  // As browsers record: no duration, no cues.
  'webm-recorded': () => new WebMOutputFormat({ appendOnly: true }),
  mkv: () => new MkvOutputFormat(),
} satisfies Record<string, () => OutputFormat>

export interface MediaRecipe {
  container: keyof typeof CONTAINERS
  video?: VideoRecipe
  audio?: AudioRecipe
  title?: string
}

/** Writes a small file like those of cameras and recorders, made with the libraries that read it. Returns its path. */
export async function makeMedia(path: string, { container, video, audio, title }: MediaRecipe): Promise<string> {
  const target = new BufferTarget()
  const output = new Output({ format: CONTAINERS[container](), target })
  if (title !== undefined) output.setMetadataTags({ title, comment: title })
  const videoSource = video === undefined ? null : new EncodedVideoPacketSource(video.codec)
  const audioSource = audio === undefined ? null : new EncodedAudioPacketSource(audio.codec)
  if (videoSource !== null) output.addVideoTrack(videoSource, { rotation: video?.rotation ?? 0 })
  if (audioSource !== null) output.addAudioTrack(audioSource)
  await output.start()
  const startSeconds = audio?.startSeconds ?? 0
  const sounds = audio === undefined ? null : encodeSound(audio)
  const pictures = video === undefined ? null : encodeVideo(video)
  const all = [
    ...(sounds?.packets ?? []).map((packet) => ({ packet: shift(packet, startSeconds), isAudio: true })),
    ...(pictures?.packets ?? []).map((packet) => ({ packet, isAudio: false })),
  ]
  // The sort is stable: each track keeps its decoding order.
  const behind = (packet: EncodedPacket) => Math.floor(packet.timestamp)
  for (const { packet, isAudio } of all.sort((a, b) => behind(a.packet) - behind(b.packet) || Number(b.isAudio) - Number(a.isAudio))) {
    if (isAudio && sounds !== null) await audioSource?.add(packet, { decoderConfig: sounds.config })
    if (!isAudio && pictures !== null) await videoSource?.add(packet, { decoderConfig: pictures.config })
  }
  await output.finalize()
  await writeFile(path, new Uint8Array(target.buffer ?? new ArrayBuffer(0)))
  return path
}

function shift(packet: EncodedPacket, seconds: number): EncodedPacket {
  return packet.clone({ timestamp: Math.max(0, packet.timestamp) + seconds })
}
