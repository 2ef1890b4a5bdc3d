import { closeSync, openSync, writeSync } from 'node:fs'
import {
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
  type StreamTargetChunk,
} from 'mediabunny'

/** A track of the clip: what players must know of it, and how many packets it has at most. */
interface ClipTrack<Config> {
  config: Config
  maxPackets: number
}

export interface ClipTracks {
  video: ClipTrack<VideoDecoderConfig>
  audio: ClipTrack<AudioDecoderConfig> | null
}

/** Writes an MP4 whose table of contents stands at the start, with no metadata. */
export interface ClipWriter {
  addVideo: (packet: EncodedPacket) => Promise<void>
  addAudio: (packet: EncodedPacket) => Promise<void>
  /** Completes the file. Throws the first error of the disk. */
  finish: () => Promise<void>
}

export async function openClipWriter(path: string, { video, audio }: ClipTracks): Promise<ClipWriter> {
  const file = openFile(path)
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'reserve' }), target: new StreamTarget(file.writable) })
  const videoSource = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(videoSource, { maximumPacketCount: video.maxPackets })
  const audioSource = audio === null ? null : new EncodedAudioPacketSource('aac')
  if (audio !== null && audioSource !== null) output.addAudioTrack(audioSource, { maximumPacketCount: audio.maxPackets })
  await output.start()
  return {
    async addVideo(packet) {
      await videoSource.add(packet, { decoderConfig: video.config })
      file.throwFailure()
    },
    async addAudio(packet) {
      if (audio !== null) await audioSource?.add(packet, { decoderConfig: audio.config })
      file.throwFailure()
    },
    async finish() {
      await output.finalize()
      file.close()
      file.throwFailure()
    },
  }
}

/** A file that remembers the first error: the library's own target would go on after a full disk. */
function openFile(path: string): { writable: WritableStream<StreamTargetChunk>; throwFailure: () => void; close: () => void } {
  const fd = openSync(path, 'w', 0o600)
  let failure: unknown = null
  const writable = new WritableStream<StreamTargetChunk>({
    write({ data, position }) {
      try {
        writeAll(fd, data, position)
      } catch (error) {
        failure ??= error
        throw error
      }
    },
  })
  const throwFailure = () => {
    if (failure !== null) throw failure
  }
  return { writable, throwFailure, close: () => closeSync(fd) }
}

function writeAll(fd: number, data: Uint8Array, position: number): void {
  let written = 0
  while (written < data.length) written += writeSync(fd, data, written, data.length - written, position + written)
}
