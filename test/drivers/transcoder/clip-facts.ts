import { EncodedPacketSink, FilePathSource, Input, MP4 } from 'mediabunny'

/** What a player learns of a clip. */
export interface ClipFacts {
  width: number
  height: number
  rotation: number
  isHdr: boolean
  seconds: number
  framesPerSecond: number
  videoCodec: string | null
  audioCodec: string | null
  /** The bytes of the last frame. */
  lastFrame: Uint8Array | undefined
}

/** Reads a clip that a transcoder wrote. */
export async function readClip(path: string): Promise<ClipFacts> {
  const input = new Input({ source: new FilePathSource(path), formats: [MP4] })
  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  if (video === null) throw new Error('The clip has no video.')
  const last = await new EncodedPacketSink(video).getPacket(Number.POSITIVE_INFINITY)
  const facts = {
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    rotation: await video.getRotation(),
    isHdr: await video.hasHighDynamicRange(),
    seconds: await video.computeDuration(),
    framesPerSecond: (await video.computePacketStats()).averagePacketRate,
    videoCodec: await video.getCodec(),
    audioCodec: audio === null ? null : await audio.getCodec(),
    lastFrame: last?.data,
  }
  input.dispose()
  return facts
}
