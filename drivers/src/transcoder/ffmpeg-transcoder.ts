import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { CLIP_NAME, POSTER_NAME } from './child/clip.ts'
import { MAX_PIXELS } from './child/codecs.ts'
import { clipSize, type Size } from './child/picture-size.ts'
import { runConfined } from './confined-process.ts'
import { childEnvironment, cpuSeconds, maxClipBytes, type ProbedMedia, runMediaChild, transcodeTimeoutMs } from './media-child.ts'
import { type Conversion, type ConvertedClip, openTranscoder } from './open-transcoder.ts'
import { requireExit, requireReport } from './outcome.ts'
import type { Sandbox } from './sandbox.ts'
import { TranscodeError, type Transcoder } from './transcoder.ts'

const TOLERANCE_SECONDS = 1
const MAX_THREADS = 4
const MAX_FRAMES_PER_SECOND = 33
const HD_PIXELS = 1280 * 720
const POSTER_CANDIDATES = 8
const POSTER_SECONDS = 12
/** Leaves out frames whose mean luma is hardly above black, which is 16 (ITU-R BT.709, limited range). */
const BRIGHT = ['signalstats', 'metadata=mode=select:key=lavfi.signalstats.YAVG:value=32:function=greater']
/** Works on linear light; white is 100 cd/m². */
const TONE_MAP = [
  'zscale=transfer=linear:npl=100',
  'format=gbrpf32le',
  'zscale=primaries=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=transfer=bt709:matrix=bt709:range=limited',
]
const NO_METADATA = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags', '+bitexact']
const LOUDNESS = 'aresample=48000:async=1:first_pts=0,loudnorm=I=-16:TP=-1.5:LRA=11,aresample=48000'

/** An `ffmpeg` of the system. */
export interface FfmpegBuild {
  name: string
  /** Whether it has the filters `zscale` and `tonemap`, which turn HDR into SDR. */
  hasToneMapping: boolean
}

/** Transcodes with the `ffmpeg` of the system, confined as the child is, after a probe by the child. */
export function openFfmpegTranscoder({ name, hasToneMapping }: FfmpegBuild, sandbox: Sandbox): Transcoder {
  return openTranscoder(name, async (conversion) => {
    const probe = await runMediaChild(sandbox, { task: 'probe', ...conversion })
    const { media } = requireReport(probe, 'probed')
    const ffmpeg = confine(sandbox, conversion, media)
    const toneMap = media.isHdr && hasToneMapping ? TONE_MAP : []
    if (!(media.isFitForWeb && (await copyClip(ffmpeg, conversion, media)))) await encodeClip(ffmpeg, conversion, media, toneMap)
    const clip = await probeClip(sandbox, conversion)
    await savePoster(ffmpeg, conversion, clip)
    return clip
  })
}

/** Runs ffmpeg. Returns the seconds that it wrote. */
type Ffmpeg = (parameters: string[]) => Promise<number>

function confine(sandbox: Sandbox, { inputPath, folder, maxSeconds, signal, onProgress }: Conversion, media: ProbedMedia): Ffmpeg {
  const limits = { cpuSeconds: cpuSeconds(maxSeconds), fileBytes: maxClipBytes(maxSeconds) }
  const base = ['ffmpeg', '-nostdin', '-y', '-loglevel', 'error', '-progress', 'pipe:4', '-filter_threads', '1']
  return async (parameters) => {
    let seconds = 0
    const end = await runConfined({
      command: sandbox.wrap([...base, ...parameters], limits),
      environment: childEnvironment(),
      inputPath,
      folder,
      signal,
      timeoutMs: () => transcodeTimeoutMs(media.durationSeconds),
      onLine(line) {
        const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? Number.NaN)
        if (Number.isNaN(microseconds)) return
        seconds = microseconds / 1_000_000
        onProgress(Math.min(1, seconds / Math.max(1, media.durationSeconds)))
      },
    })
    if (end.reason === 'exit' && isFault(end)) throw new TranscodeError('corrupt', 'No frame of the video can be decoded.')
    requireExit(end)
    return seconds
  }
}

/** ffmpeg has one exit code for a broken file and for a full disk; its words tell them apart. */
function isFault({ code, errors }: { code: number | null; errors: string }): boolean {
  const isOurs = /No space left|File too large|Cannot allocate|Permission denied/.test(errors)
  return code !== 0 && code !== null && !isOurs && /Invalid data found|Nothing was written|does not contain any stream/.test(errors)
}

/** A playlist that is renamed to `.mp4` would otherwise open the files and addresses that it names. */
function inputOf({ inputPath }: Conversion, { container }: ProbedMedia): string[] {
  const threads = String(Math.min(MAX_THREADS, availableParallelism()))
  const limits = ['-max_pixels', String(MAX_PIXELS), '-threads', threads]
  return ['-protocol_whitelist', 'file,pipe', '-f', container, ...limits, '-i', inputPath]
}

function tracksOf({ videoIndex, audioIndex }: ProbedMedia): string[] {
  const audio = audioIndex === null ? [] : ['-map', `0:a:${audioIndex}`]
  return ['-map', `0:V:${videoIndex}`, ...audio, '-sn', '-dn']
}

/** Copies the tracks when all of them can be decoded; false when they must be encoded. */
async function copyClip(ffmpeg: Ffmpeg, conversion: Conversion, media: ProbedMedia): Promise<boolean> {
  const source = [...inputOf(conversion, media), ...tracksOf(media)]
  const isWhole = await ffmpeg(['-xerror', '-err_detect', 'explode', ...source, '-f', 'null', '-']).then(
    () => true,
    (error: TranscodeError) => {
      if (error.code !== 'failed' && error.code !== 'corrupt') throw error
      return false
    },
  )
  if (!isWhole) return false
  const copy = ['-c', 'copy', '-bsf:v', 'filter_units=remove_types=6', ...NO_METADATA, '-movflags', '+faststart']
  await ffmpeg([...source, ...copy, join(conversion.folder, CLIP_NAME)])
  return true
}

async function encodeClip(ffmpeg: Ffmpeg, conversion: Conversion, media: ProbedMedia, toneMap: string[]): Promise<void> {
  const limitSeconds = conversion.maxSeconds + TOLERANCE_SECONDS
  const seconds = await ffmpeg([
    ...inputOf(conversion, media),
    ...tracksOf(media),
    ...encoding(media, clipSize(media), toneMap),
    ...NO_METADATA,
    ...['-t', String(limitSeconds), '-movflags', '+faststart', join(conversion.folder, CLIP_NAME)],
  ])
  if (seconds === 0) throw new TranscodeError('corrupt', 'No frame of the video can be decoded.')
  if (seconds >= limitSeconds) throw new TranscodeError('too_long', `The clip is longer than ${conversion.maxSeconds} s.`)
}

/** What was written, as the child reads it. The fault of a clip that cannot be read is ours. */
async function probeClip(sandbox: Sandbox, conversion: Conversion): Promise<ConvertedClip> {
  const inputPath = join(conversion.folder, CLIP_NAME)
  const result = await runMediaChild(sandbox, { ...conversion, task: 'probe', inputPath, maxSeconds: 2 * conversion.maxSeconds + 60 })
  if (result.report?.event === 'refused') throw new TranscodeError('failed', `The clip cannot be read: ${result.report.message}`)
  const { durationSeconds, width, height } = requireReport(result, 'probed').media
  return { durationMs: Math.round(durationSeconds * 1000), width, height }
}

function encoding(media: ProbedMedia, { width, height }: Size, toneMap: string[]): string[] {
  const bitsPerSecond = width * height <= HD_PIXELS ? 2_500_000 : 4_500_000
  const pictures = [
    ...(media.framesPerSecond > MAX_FRAMES_PER_SECOND ? ['fps=30'] : []),
    'scale=iw*sar:ih',
    `scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2`,
    ...toneMap,
    'format=yuv420p',
    `pad=${width}:${height}:-1:-1`,
    'setsar=1',
  ]
  return [
    // Without it, version 5.1 makes 1,000 frames per second of a recording.
    ...['-vsync', 'vfr', '-vf', pictures.join(','), '-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', '23'],
    ...['-maxrate', String(bitsPerSecond), '-bufsize', String(2 * bitsPerSecond), '-force_key_frames', 'expr:gte(t,n_forced*2)'],
    ...['-threads', String(Math.min(MAX_THREADS, availableParallelism()))],
    ...(media.audioIndex === null ? [] : ['-af', LOUDNESS, '-c:a', 'aac', '-b:a', '128k', '-ac', '2']),
  ]
}

/** The frame of the first seconds that is most like the others, of those that are not black if there are any. */
async function savePoster(ffmpeg: Ffmpeg, { folder }: Conversion, { durationMs }: ConvertedClip): Promise<void> {
  const path = join(folder, POSTER_NAME)
  const seconds = Math.min(POSTER_SECONDS, Math.max(0.1, durationMs / 1000))
  const source = ['-protocol_whitelist', 'file,pipe', '-f', 'mov', '-t', String(seconds), '-i', join(folder, CLIP_NAME)]
  const scale = "scale='min(1280,iw)':'min(1280,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2"
  const image = ['-frames:v', '1', '-q:v', '4', '-f', 'image2', '-update', '1', ...NO_METADATA, path]
  for (const choice of [BRIGHT, []]) {
    const filters = [`fps=${POSTER_CANDIDATES / seconds}`, ...choice, `thumbnail=${POSTER_CANDIDATES}`, scale]
    await ffmpeg([...source, '-an', '-vf', filters.join(','), ...image]).catch((error: TranscodeError) => {
      // Versions of ffmpeg differ in what they say when no frame is left.
      if (choice.length === 0 || error.code !== 'corrupt') throw error
    })
    if (existsSync(path)) return
  }
}
