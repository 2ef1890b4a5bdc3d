import type { MediaRecipe } from './media-maker.ts'

/** A file of the shelf, and what becomes of it. */
export type ShelfFile = MediaFile | BytesFile

interface MediaFile {
  name: string
  recipe: MediaRecipe
  /** Changes the bytes of the file. */
  damage?: 'cut-end' | 'cut-half' | 'flip-media' | 'huge-picture' | 'endless-samples'
  outcome: Outcome
}

interface BytesFile {
  name: string
  bytes: () => Buffer
  outcome: Outcome
}

export type Outcome =
  | { ready: { width: number; height: number; seconds: number; hasAudio: boolean; maxFramesPerSecond?: number; toleranceSeconds?: number } }
  | { refused: 'unsupported_media' | 'no_video_track' | 'too_long' | 'corrupt' }
  /** Any code that is final, or a clip. */
  | 'ends'

const SMALL = { width: 320, height: 180 }
const aac = { codec: 'aac', source: 'sine=frequency=440:duration=1' } as const
const opus = { codec: 'opus', source: 'sine=frequency=440:duration=1' } as const

function pattern({ size = '320x180', rate = 30, seconds = 1 } = {}): string {
  return `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`
}

function ready(facts: Partial<Extract<Outcome, { ready: unknown }>['ready']> = {}): Outcome {
  return { ready: { ...SMALL, seconds: 1, hasAudio: true, ...facts } }
}

const plain: MediaRecipe = { container: 'mp4', title: 'Secret place', video: { codec: 'avc', sources: [pattern()] }, audio: aac }
const recorded: MediaRecipe = { container: 'webm-recorded', video: { codec: 'vp8', sources: [pattern()] }, audio: opus }

/** Files of cameras and recorders, which become clips. */
export const GOOD_FILES: MediaFile[] = [
  { name: 'fit-for-web.mp4', recipe: plain, outcome: ready() },
  { name: 'fit-for-web.mkv', recipe: { ...plain, container: 'mkv' }, outcome: ready() },
  { name: 'contents-at-the-end.mp4', recipe: { ...plain, container: 'mp4-end' }, outcome: ready() },
  {
    name: 'fragmented.mp4',
    recipe: { ...recorded, container: 'mp4-fragmented', video: { codec: 'vp9', sources: [pattern()] } },
    outcome: ready(),
  },
  { name: 'recorded.webm', recipe: recorded, outcome: ready() },
  {
    name: 'rotated.mov',
    recipe: { container: 'mov', video: { codec: 'avc', rotation: 270, sources: [pattern()] }, audio: { ...aac, codec: 'pcm-s16' } },
    outcome: ready({ width: 180, height: 320 }),
  },
  {
    name: 'hdr.mov',
    recipe: {
      container: 'mov',
      video: { codec: 'hevc', pixelFormat: 'yuv420p10le', colors: { primaries: 9, transfer: 18, matrix: 9 }, sources: [pattern()] },
      audio: aac,
    },
    outcome: ready(),
  },
  {
    name: '4k60.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: [pattern({ size: '3840x2160', rate: 60, seconds: 0.3 })] } },
    outcome: ready({ width: 1920, height: 1080, seconds: 0.3, hasAudio: false, maxFramesPerSecond: 31 }),
  },
  {
    name: 'portrait.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: [pattern({ size: '1440x2560', seconds: 0.3 })] } },
    outcome: ready({ width: 1080, height: 1920, seconds: 0.3, hasAudio: false }),
  },
  {
    name: 'variable-rate.webm',
    recipe: { ...recorded, video: { codec: 'vp8', sources: [pattern()], retime: (seconds) => seconds + 0.02 * Math.sin(40 * seconds) } },
    outcome: ready(),
  },
  {
    name: 'video-only.webm',
    recipe: { container: 'webm', video: { codec: 'vp9', sources: [pattern()] } },
    outcome: ready({ hasAudio: false }),
  },
  {
    name: 'late-sound.webm',
    recipe: { ...recorded, video: { codec: 'vp8', sources: [pattern({ seconds: 2 })] }, audio: { ...opus, startSeconds: 1 } },
    outcome: ready({ seconds: 2 }),
  },
  {
    name: 'black-and-silent-start.mp4',
    recipe: {
      container: 'mp4',
      video: { codec: 'avc', sources: ['color=black:size=320x180:rate=30:duration=1', pattern()] },
      audio: { codec: 'aac', source: 'anullsrc,atrim=duration=2' },
    },
    outcome: ready({ seconds: 2 }),
  },
  {
    name: 'black.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: ['color=black:size=320x180:rate=30:duration=1'] } },
    outcome: ready({ hasAudio: false }),
  },
  {
    name: 'changing-size.webm',
    recipe: { ...recorded, video: { codec: 'vp8', sources: [pattern({ seconds: 0.5 }), pattern({ size: '180x320', seconds: 0.5 })] } },
    outcome: ready(),
  },
  {
    name: '240-frames.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: [pattern({ rate: 240, seconds: 0.5 })] } },
    outcome: ready({ seconds: 0.5, hasAudio: false, maxFramesPerSecond: 31 }),
  },
  { name: 'mp3.mp4', recipe: { ...plain, audio: { ...aac, codec: 'mp3' } }, outcome: ready() },
  {
    name: 'prores.mov',
    recipe: { container: 'mov', video: { codec: 'prores', pixelFormat: 'yuv422p10le', sources: [pattern({ seconds: 0.3 })] } },
    outcome: ready({ seconds: 0.3, hasAudio: false }),
  },
  {
    name: '444-and-flac.mkv',
    recipe: { container: 'mkv', video: { codec: 'avc', pixelFormat: 'yuv444p', sources: [pattern()] }, audio: { ...aac, codec: 'flac' } },
    outcome: ready(),
  },
  {
    name: 'odd-size.webm',
    recipe: { container: 'webm', video: { codec: 'vp8', sources: ['testsrc=size=321x181:rate=30:duration=1'] } },
    outcome: ready({ width: 322, height: 182, hasAudio: false }),
  },
  {
    name: 'one-frame.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: [pattern({ seconds: 0.03 })] } },
    outcome: ready({ seconds: 0.033, hasAudio: false }),
  },
  // What came before the cut is worth a clip.
  {
    name: 'cut.webm',
    recipe: { ...recorded, video: { codec: 'vp8', sources: [pattern({ seconds: 3 })] } },
    damage: 'cut-half',
    outcome: ready({ seconds: 1.2, toleranceSeconds: 0.3 }),
  },
  { name: 'cut.mp4', recipe: plain, damage: 'cut-half', outcome: ready({ seconds: 0.5 }) },
  { name: 'flipped.mp4', recipe: plain, damage: 'flip-media', outcome: ready() },
]

/** Files that no clip can be made from. */
export const REFUSED_MEDIA: MediaFile[] = [
  { name: 'sound.mp4', recipe: { container: 'mp4', audio: aac }, outcome: { refused: 'no_video_track' } },
  { name: 'sound.webm', recipe: { container: 'webm', audio: opus }, outcome: { refused: 'no_video_track' } },
  {
    name: '300-frames.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', sources: [pattern({ rate: 300 })] } },
    outcome: { refused: 'unsupported_media' },
  },
  {
    name: 'long.mp4',
    recipe: { container: 'mp4', video: { codec: 'avc', pixelFormat: 'yuv444p', sources: [pattern({ size: '1280x720', seconds: 7 })] } },
    outcome: { refused: 'too_long' },
  },
  {
    name: 'long.webm',
    recipe: { ...recorded, video: { codec: 'vp8', sources: [pattern({ seconds: 7 })] } },
    outcome: { refused: 'too_long' },
  },
  {
    name: 'gap-of-ten-hours.mkv',
    recipe: {
      container: 'mkv',
      video: { codec: 'vp8', sources: [pattern()], retime: (seconds) => (seconds < 0.9 ? seconds : seconds + 36_000) },
    },
    outcome: { refused: 'too_long' },
  },
  { name: 'cut-contents.mp4', recipe: { ...plain, container: 'mp4-end' }, damage: 'cut-end', outcome: { refused: 'corrupt' } },
  { name: '16384-pixels.mp4', recipe: plain, damage: 'huge-picture', outcome: { refused: 'unsupported_media' } },
  { name: 'endless-samples.mp4', recipe: plain, damage: 'endless-samples', outcome: { refused: 'too_long' } },
]
