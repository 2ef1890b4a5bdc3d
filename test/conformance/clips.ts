import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTranscoder } from '../../drivers/src/transcoder/find-transcoder.ts'
import { hostileFiles } from '../drivers/transcoder/hostile-files.ts'
import { GOOD_FILES } from '../drivers/transcoder/shelf.ts'
import { openChromium } from './chromium.ts'
import { run } from './command.ts'
import { installDebian } from './debian.ts'

const MAKE_SHELF = fileURLToPath(new URL('../drivers/transcoder/make-shelf.ts', import.meta.url))
const TRANSCODE_ONE = fileURLToPath(new URL('../drivers/transcoder/transcode-one.ts', import.meta.url))
const MAX_SECONDS = 60
const PLAY_MS = 60_000

/** A clip that a transcoder made of a file of the shelf. */
interface Clip {
  name: string
  path: string
}

/** Transcodes the shelf of files; ffprobe, Chromium and strace judge what comes of it. Resolves to the problems, or null. */
export async function checkClips(): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-clips-'))
  try {
    if ((await run('ffprobe', ['-version'])).exitCode !== 0) await installDebian('ffmpeg')
    if ((await run('strace', ['-V'])).exitCode !== 0) await installDebian('strace')
    const made = await run(process.execPath, ['--no-warnings', MAKE_SHELF, folder])
    if (made.exitCode !== 0) return `the shelf could not be made: ${made.output.slice(-500)}`
    const clips = await transcodeAll(folder)
    const problems = [...(await probe(clips)), ...(await play(clips)), ...(await trace(folder))]
    console.log(`${clips.length} clips, judged by ffprobe and Chromium; the calls of the transcoder by strace`)
    return problems.length === 0 ? null : problems.join('; ')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function transcodeAll(folder: string): Promise<Clip[]> {
  const found = await findTranscoder()
  if ('missing' in found) throw new Error(found.missing)
  const clips: Clip[] = []
  for (const { name } of GOOD_FILES) {
    const output = join(folder, `${name}-clip`)
    mkdirSync(output)
    const { clipPath } = await found.transcoder.transcode({ inputPath: join(folder, name), folder: output, maxSeconds: MAX_SECONDS })
    clips.push({ name, path: clipPath })
  }
  await found.transcoder.close()
  return clips
}

interface Probe {
  streams: { codec_type: string; codec_name: string; pix_fmt?: string; width?: number; height?: number }[]
  format: { tags?: Record<string, string> }
}

async function probe(clips: Clip[]): Promise<string[]> {
  const problems: string[] = []
  for (const { name, path } of clips) {
    // Decodes all of it. What it reports stands before the JSON.
    const { output } = await run('ffprobe', ['-v', 'error', '-of', 'json', '-count_frames', '-show_streams', '-show_format', path])
    if (!output.startsWith('{')) {
      problems.push(`ffprobe of ${name}: ${output.slice(0, 200)}`)
      continue
    }
    const { streams, format } = JSON.parse(output) as Probe
    const video = streams.filter(({ codec_type }) => codec_type === 'video')
    const others = streams.filter(({ codec_type, codec_name }) => codec_type !== 'video' && codec_name !== 'aac')
    const [{ codec_name, pix_fmt, width = 0, height = 0 } = { codec_name: 'none' }] = video
    const isFit = codec_name === 'h264' && pix_fmt === 'yuv420p' && Math.max(width, height) <= 1920 && Math.min(width, height) <= 1080
    const tags = Object.keys(format.tags ?? {}).filter((tag) => !/brand|version|creation_time|encoder/.test(tag))
    if (!isFit || video.length !== 1 || others.length > 0 || tags.length > 0)
      problems.push(`ffprobe of ${name}: ${codec_name} ${pix_fmt} ${width} × ${height}, ${others.length} others, tags ${tags}`)
  }
  return problems
}

async function play(clips: Clip[]): Promise<string[]> {
  const browser = await openChromium()
  if (typeof browser === 'string') return [browser]
  const server = createServer((request, response) => {
    const clip = clips[Number(request.url?.slice(1))]
    if (!clip) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<video muted playsinline></video>')
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': statSync(clip.path).size })
    createReadStream(clip.path).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const problems: string[] = []
    for (const [index, { name }] of clips.entries()) {
      const played = await page.evaluate<string>(playToEnd(`/${index}`))
      if (played !== 'ended') problems.push(`Chromium with ${name}: ${played}`)
    }
    return problems
  } finally {
    await browser.close()
    server.close()
  }
}

/** The text of a script that plays a video from start to end in the page. */
function playToEnd(url: string): string {
  return `new Promise((resolve) => {
    const video = document.querySelector('video')
    const timer = setTimeout(() => resolve('stopped at ' + video.currentTime + ' of ' + video.duration + ' s'), ${PLAY_MS})
    const end = (result) => { clearTimeout(timer); resolve(result) }
    video.onended = () => end(video.videoWidth > 0 ? 'ended' : 'no picture')
    video.onerror = () => end(video.error?.message ?? 'error')
    video.src = ${JSON.stringify(url)}
    video.playbackRate = 2
    video.play().catch((error) => end(error.message))
  })`
}

/** Files that name others, and a good one: the transcoder opens no connection, and none of the files that are named. */
async function trace(folder: string): Promise<string[]> {
  const secret = join(folder, 'secret.mp4')
  writeFileSync(secret, readFileSync(join(folder, 'fit-for-web.mp4')))
  const naming = hostileFiles({ url: 'http://127.0.0.1:9/segment.mp4', path: secret }).filter(({ name }) =>
    /playlist|concat|reference/.test(name),
  )
  for (const file of naming) if ('bytes' in file) writeFileSync(join(folder, file.name), file.bytes())
  const problems: string[] = []
  for (const name of [...naming.map((file) => file.name), 'recorded.webm']) {
    const log = join(folder, 'strace.log')
    const output = join(folder, `${name}-traced`)
    mkdirSync(output)
    const calls = ['-f', '-qq', '-s', '4096', '-e', 'trace=connect,sendto,open,openat,execve', '-o', log]
    await run('strace', [...calls, process.execPath, '--no-warnings', TRANSCODE_ONE, join(folder, name), output])
    const lines = readFileSync(log, 'utf8').split('\n')
    if (!lines.some((line) => line.includes('execve') && line.includes('child/main.ts'))) problems.push(`strace saw no child for ${name}`)
    const foreign = lines.filter((line) => /sa_family=AF_INET/.test(line) || line.includes(secret))
    if (foreign.length > 0) problems.push(`strace with ${name}: ${foreign[0]}`)
  }
  return problems
}
