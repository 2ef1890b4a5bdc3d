import type { AudioCodec, Rotation, VideoCodec } from 'mediabunny'

export interface VideoRecipe {
  codec: VideoCodec
  /** A source of FFmpeg's filters: what is seen, its size, rate and length. Several follow each other. */
  sources: string[]
  pixelFormat?: string
  options?: Record<string, string>
  colors?: { primaries: number; transfer: number; matrix: number }
  rotation?: Rotation
  /** Changes the time of each frame, in seconds. */
  retime?: (seconds: number) => number
}

export interface AudioRecipe {
  codec: AudioCodec
  source: string
  startSeconds?: number
}
