import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ChildTask } from './child/report.ts'
import { type ConfinedEnd, runConfined } from './confined-process.ts'
import type { Sandbox, SandboxLimits } from './sandbox.ts'

const MAIN = fileURLToPath(new URL('child/main.ts', import.meta.url))
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin'
const HEAP_MEGABYTES = 256
const PROBE_TIMEOUT_MS = 20_000
const TRANSCODE_TIMEOUT_MS = 60_000
const TIMEOUT_PER_SECOND_MS = 10_000
const MAX_THREADS = 4
const SPARE_BYTES = 64 * 1024 * 1024
const MAX_BYTES_PER_SECOND = 600_000

/** What the child may say. It reads files of strangers: nothing that it says is taken on trust. */
const Report = z.discriminatedUnion('event', [
  z.object({ event: z.literal('described'), name: z.string().max(100) }),
  z.object({
    event: z.literal('probed'),
    media: z.object({
      container: z.enum(['mov', 'matroska']),
      durationSeconds: z.number().min(0),
      framesPerSecond: z.number().min(0),
      width: z.number().int().positive(),
      height: z.number().int().positive(),
      videoIndex: z.number().int().min(0),
      audioIndex: z.number().int().min(0).nullable(),
      isHdr: z.boolean(),
      isFitForWeb: z.boolean(),
    }),
  }),
  z.object({ event: z.literal('progress'), share: z.number().min(0).max(1) }),
  z.object({
    event: z.literal('done'),
    clip: z.object({ durationMs: z.number().int().min(0), width: z.number().int().positive(), height: z.number().int().positive() }),
  }),
  z.object({
    event: z.literal('converted'),
    image: z.object({ width: z.number().int().positive(), height: z.number().int().positive() }),
  }),
  z.object({
    event: z.literal('refused'),
    code: z.enum(['unsupported_media', 'no_video_track', 'too_long', 'corrupt']),
    message: z.string(),
  }),
  z.object({ event: z.literal('failed'), message: z.string() }),
])

type Report = z.infer<typeof Report>
export type ProbedMedia = Extract<Report, { event: 'probed' }>['media']

/** A report that ends a task. */
export type FinalReport = Exclude<Report, { event: 'progress' }>

export interface MediaTask extends ChildTask {
  inputPath: string
  signal: AbortSignal
  probeTimeoutMs?: number
  /** Those of a transcode of `maxSeconds` unless given. */
  limits?: SandboxLimits
  onProgress?: (share: number) => void
}

/** The limits of a transcode, from the length of the clip. */
export function transcodeTimeoutMs(seconds: number): number {
  return TRANSCODE_TIMEOUT_MS + TIMEOUT_PER_SECOND_MS * seconds
}

export function maxClipBytes(seconds: number): number {
  return MAX_BYTES_PER_SECOND * seconds + SPARE_BYTES
}

/** The processor time that both limits together leave. */
export function cpuSeconds(seconds: number): number {
  return (MAX_THREADS * (PROBE_TIMEOUT_MS + transcodeTimeoutMs(seconds))) / 1000
}

/** Runs a task in a child. Returns the last report that ends a task, and how the child ended. */
export async function runMediaChild(sandbox: Sandbox, task: MediaTask): Promise<{ report: FinalReport | null; end: ConfinedEnd }> {
  const { task: name, folder, maxSeconds, image, inputPath, signal, onProgress } = task
  let report: FinalReport | null = null
  let timeoutMs = task.probeTimeoutMs ?? PROBE_TIMEOUT_MS
  const limits = task.limits ?? { cpuSeconds: cpuSeconds(maxSeconds), fileBytes: maxClipBytes(maxSeconds) }
  const end = await runConfined({
    command: sandbox.wrap(command({ task: name, folder, maxSeconds, ...(image && { image }) }), limits),
    environment: childEnvironment(),
    inputPath,
    folder,
    signal,
    timeoutMs: () => timeoutMs,
    onLine(line) {
      const read = readReport(line)
      if (read?.event === 'progress') onProgress?.(read.share)
      if (read === null || read.event === 'progress') return
      report = read
      if (read.event === 'probed') timeoutMs += transcodeTimeoutMs(Math.min(maxSeconds, read.media.durationSeconds))
    },
  })
  return { report, end }
}

/** Nothing of this process's environment but where commands are: no secrets. */
export function childEnvironment(): Record<string, string> {
  return { PATH, MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' }
}

function command(task: ChildTask): string[] {
  const readable = [dirname(MAIN), packagesFolder()]
  return [
    process.execPath,
    ...[`--max-old-space-size=${HEAP_MEGABYTES}`, '--v8-pool-size=1', '--no-warnings'],
    ...['--permission', '--allow-addons', ...readable.map((folder) => `--allow-fs-read=${folder}`)],
    ...(task.task === 'transcode' || task.task === 'image' ? [`--allow-fs-write=${task.folder}`] : []),
    MAIN,
    JSON.stringify(task),
  ]
}

/** The `node_modules` that holds the libraries. Throws where they are not installed. */
function packagesFolder(): string {
  const entry = fileURLToPath(import.meta.resolve('mediabunny'))
  return entry.slice(0, entry.lastIndexOf(join('/', 'node_modules', 'mediabunny'))).concat('/node_modules')
}

function readReport(line: string): Report | null {
  try {
    return Report.parse(JSON.parse(line))
  } catch {
    return null
  }
}
