import { execFile } from 'node:child_process'
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { IMAGE_NAME, type ImageTask, imageFilters, MAX_IMAGE_PIXELS, WEBP_QUALITY } from './child/image-plan.ts'
import { runConfined } from './confined-process.ts'
import { exifOrientationOf } from './exif-orientation.ts'
import { type FindOptions, findFirst } from './find-first.ts'
import { ask } from './find-transcoder.ts'
import { type ImageFormat, imageFormatOf } from './image-format.ts'
import { childEnvironment, runMediaChild } from './media-child.ts'
import { requireExit, requireReport } from './outcome.ts'
import type { Sandbox } from './sandbox.ts'
import { TranscodeError } from './transcoder.ts'

/** FFmpeg's names of the formats. */
const DEMUXERS: Record<ImageFormat, string> = { png: 'png_pipe', jpeg: 'jpeg_pipe', gif: 'gif', webp: 'webp_pipe', avif: 'mov' }
const TIMEOUT_MS = 20_000
const LIMITS = { cpuSeconds: 20, fileBytes: 4 * 1024 * 1024 }
const MAX_SECONDS = 1
/** Far more than a copy has. The table of the copies refuses more, too. */
const MAX_COPY_BYTES = 1_048_576

interface ImageRequest {
  bytes: Buffer
  /** An empty folder on the local disk. The caller removes it. */
  folder: string
  /** The longest side of the copy. A smaller image keeps its size. */
  maxSide: number
  /** Whether only the square in the middle is kept. */
  isSquare: boolean
  signal: AbortSignal
}

/** A WebP without metadata, of pixels alone. */
interface SmallImage {
  bytes: Buffer
  width: number
  height: number
}

/** Makes small copies of images of strangers. */
export interface ImageConverter {
  /** For operators. */
  name: string
  /** Throws `TranscodeError`; one that `isFinal` says that the file is no image of a known format, or is damaged. */
  convert: (request: ImageRequest) => Promise<SmallImage>
}

interface Work {
  task: ImageTask
  inputPath: string
  folder: string
  signal: AbortSignal
}

/** Writes `image.webp` to the folder. */
type Convert = (work: Work) => Promise<void>

/** Finds what this machine can convert images with, as `findTranscoder` does: both read strangers' files in a confined process. */
export async function findImageConverter(options: FindOptions = {}): Promise<{ converter: ImageConverter } | { missing: string }> {
  const first = await findFirst({ libav: findLibav, ffmpeg: findFfmpeg }, options)
  if ('missing' in first) return first
  const { name, convert } = first.found
  return { converter: { name, convert: (request) => run(request, convert) } }
}

async function findLibav(sandbox: Sandbox): Promise<{ name: string; convert: Convert }> {
  const { name } = await ask(sandbox, 'describe')
  return {
    name,
    async convert({ task, ...work }) {
      const result = await runMediaChild(sandbox, { task: 'image', image: task, maxSeconds: MAX_SECONDS, limits: LIMITS, ...work })
      requireReport(result, 'converted')
    },
  }
}

async function findFfmpeg(sandbox: Sandbox): Promise<{ name: string; convert: Convert }> {
  const { stdout } = await promisify(execFile)('ffmpeg', ['-hide_banner', '-encoders'], { env: childEnvironment() })
  if (!/ libwebp /.test(stdout)) throw new Error('ffmpeg: it has no encoder libwebp.')
  return { name: 'ffmpeg', convert: (work) => runFfmpeg(sandbox, work) }
}

/** Turned by our filters alone: versions differ in whether they read EXIF. */
async function runFfmpeg(sandbox: Sandbox, { task, inputPath, folder, signal }: Work): Promise<void> {
  const source = ['-noautorotate', '-protocol_whitelist', 'file,pipe', '-f', task.demuxer, '-max_pixels', String(MAX_IMAGE_PIXELS)]
  const output = ['-c:v', 'libwebp', '-quality', String(WEBP_QUALITY), '-map_metadata', '-1', '-f', 'webp', join(folder, IMAGE_NAME)]
  const filters = ['-frames:v', '1', '-vf', imageFilters(task).join(',')]
  const end = await runConfined({
    command: sandbox.wrap(
      ['ffmpeg', '-nostdin', '-y', '-loglevel', 'error', '-threads', '1', ...source, '-i', inputPath, ...filters, ...output],
      LIMITS,
    ),
    environment: childEnvironment(),
    ...{ inputPath, folder, signal },
    timeoutMs: () => TIMEOUT_MS,
    onLine: () => undefined,
  })
  const isFault = end.reason === 'exit' && end.code !== 0 && end.code !== null && !/No space left|Cannot allocate/.test(end.errors)
  if (isFault) throw new TranscodeError('corrupt', 'The image cannot be decoded.')
  requireExit(end)
}

async function run({ bytes, folder, maxSide, isSquare, signal }: ImageRequest, convert: Convert): Promise<SmallImage> {
  const format = imageFormatOf(bytes)
  if (format === null) throw new TranscodeError('unsupported_media', 'The file is no PNG, JPEG, GIF, WebP or AVIF.')
  const orientation = format === 'jpeg' ? exifOrientationOf(bytes) : 1
  const inputPath = join(folder, 'original')
  const outputs = join(folder, 'outputs')
  await writeFile(inputPath, bytes, { mode: 0o600 })
  await mkdir(outputs)
  await convert({ task: { demuxer: DEMUXERS[format], orientation, maxSide, isSquare }, inputPath, folder: outputs, signal })
  return readCopy(join(outputs, IMAGE_NAME), maxSide)
}

/** Reads what a child wrote, which had strangers' bytes in its hands: it could be anything. */
async function readCopy(path: string, maxSide: number): Promise<SmallImage> {
  const file = await lstat(path)
  if (!file.isFile() || file.size > MAX_COPY_BYTES) throw new TranscodeError('failed', 'What was written is no small file.')
  const bytes = await readFile(path)
  const { width, height } = sizeOf(bytes)
  if (Math.max(width, height) > maxSide) throw new TranscodeError('failed', 'What was written is larger than it was to be.')
  return { bytes, width, height }
}

/** Reads what the file itself says: the child is not taken at its word. Throws for what is no WebP of one picture. */
function sizeOf(webp: Buffer): { width: number; height: number } {
  const chunk = webp.toString('latin1', 12, 16)
  // RFC 9649 §2.5 to 2.7: the sizes are of 14 bits in lossy and lossless pictures, and of 24 bits, less one, in extended files.
  if (imageFormatOf(webp) === 'webp' && chunk === 'VP8 ')
    return { width: webp.readUInt16LE(26) & 0x3fff, height: webp.readUInt16LE(28) & 0x3fff }
  if (imageFormatOf(webp) === 'webp' && chunk === 'VP8X') return { width: webp.readUIntLE(24, 3) + 1, height: webp.readUIntLE(27, 3) + 1 }
  throw new TranscodeError('failed', 'What was written is no WebP.')
}
