import type { InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { isClipSize } from './picture-size.ts'

/** Baseline, Main and High: 4:2:0 with 8 bits, in the byte of the configuration that names the profile. */
const PROFILES = [66, 77, 100]
const PROFILE_AT = 1
const MAX_FRAMES_PER_SECOND = 60.5
/** What the encoder may take for 1080p: a larger source costs viewers more than it shows them. */
const MAX_BITS_PER_SECOND = 4_500_000
const AAC_LC = 'mp4a.40.2'
const STEREO = 2

export interface Tracks {
  video: InputVideoTrack
  audio: InputAudioTrack | null
  framesPerSecond: number
  bitsPerSecond: number
}

/** Whether browsers play the tracks as they are. Decoding them must still prove what the container says. */
export async function isFitForWeb({ video, audio, framesPerSecond, bitsPerSecond }: Tracks): Promise<boolean> {
  if (framesPerSecond > MAX_FRAMES_PER_SECOND || bitsPerSecond > MAX_BITS_PER_SECOND) return false
  return (await isVideoFit(video)) && (audio === null || (await isAudioFit(audio)))
}

async function isVideoFit(video: InputVideoTrack): Promise<boolean> {
  if ((await video.getCodec()) !== 'avc' || (await video.getRotation()) !== 0 || (await video.getFlip())) return false
  const { num, den } = await video.getPixelAspectRatio()
  if (num !== den || !isClipSize({ width: await video.getCodedWidth(), height: await video.getCodedHeight() })) return false
  const description = (await video.getDecoderConfig())?.description
  if (description === undefined) return false
  const profile = new Uint8Array(ArrayBuffer.isView(description) ? description.buffer : description, offsetOf(description))[PROFILE_AT]
  return profile !== undefined && PROFILES.includes(profile)
}

async function isAudioFit(audio: InputAudioTrack): Promise<boolean> {
  const isAac = (await audio.getCodec()) === 'aac' && (await audio.getCodecParameterString()) === AAC_LC
  const hasDescription = (await audio.getDecoderConfig())?.description !== undefined
  return isAac && hasDescription && (await audio.getNumberOfChannels()) <= STEREO
}

function offsetOf(description: ArrayBufferView | ArrayBufferLike): number {
  return ArrayBuffer.isView(description) ? description.byteOffset : 0
}
