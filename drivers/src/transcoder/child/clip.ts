export const CLIP_NAME = 'clip.mp4'
export const POSTER_NAME = 'poster.jpg'

/** What a clip is written from. */
export interface ClipRequest {
  folder: string
  maxSeconds: number
}

export interface Clip {
  durationMs: number
  width: number
  height: number
}
