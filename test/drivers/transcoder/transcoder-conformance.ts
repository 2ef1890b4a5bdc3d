import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTranscoder } from '../../../drivers/src/transcoder/find-transcoder.ts'
import { TranscodeError, type Transcoder } from '../../../drivers/src/transcoder/transcoder.ts'
import { isLongForm } from '../../support/form.ts'
import { watchChildren } from './children-memory.ts'
import { type ClipFacts, readClip } from './clip-facts.ts'
import { hostileFiles } from './hostile-files.ts'
import { GOOD_FILES, type Outcome, REFUSED_MEDIA } from './shelf.ts'

const MAKE_SHELF = fileURLToPath(new URL('make-shelf.ts', import.meta.url))
const MAX_SECONDS = 5
const SHELF_MS = 120_000
const FINAL = ['unsupported_media', 'no_video_track', 'too_long', 'corrupt', 'timeout']
/** Of a child in RAM: a clip of 1080p, and everything else, whatever its file claims. */
const MAX_MEGABYTES = { large: 600, small: 300 }
/** A refused file costs a child that loads the libraries, and one look. */
const REFUSAL_MS = 10_000

/** What every transcoder does with a shelf of files. */
export function testTranscoder(kind: 'libav' | 'ffmpeg'): void {
  describe(`a transcoder of ${kind}`, () => {
    let folder = ''
    let transcoder: Transcoder
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(String(request.url))
      response.end()
    })

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'earshot-shelf-'))
      await promisify(execFile)(process.execPath, ['--no-warnings', MAKE_SHELF, folder])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      // The address is that of a server that listens on a port.
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/segment.mp4`
      for (const file of hostileFiles({ url, path: join(folder, 'fit-for-web.mp4') })) {
        if ('bytes' in file) await writeFile(join(folder, file.name), file.bytes())
      }
      const found = await findTranscoder({ only: kind, niceness: 0 })
      if ('missing' in found) throw new Error(found.missing)
      transcoder = found.transcoder
    }, SHELF_MS)

    afterAll(async () => {
      await transcoder.close()
      server.close()
      await rm(folder, { recursive: true, force: true })
    })

    test.each(filesFor(kind))(
      'the file $name has its documented outcome',
      async ({ name, outcome }) => {
        expectOutcome(await transcode(transcoder, join(folder, name)), outcome)
      },
      SHELF_MS,
    )

    test('no file makes it open an address, or another file', async () => {
      expect(requests).toEqual([])
    })

    test('a clip has nothing of the metadata of its file', async () => {
      const input = join(folder, 'fit-for-web.mp4')
      expect(readFileSync(input, 'latin1')).toContain('Secret place')
      const result = await transcode(transcoder, input)
      expect(result).toMatchObject({ hasTitle: false })
    })

    test('the poster of a clip that begins in black shows what comes after', async () => {
      const poster = async (name: string) => {
        const result = await transcode(transcoder, join(folder, name))
        return 'posterBytes' in result ? result.posterBytes : 0
      }
      // At this size a JPEG of one colour takes some 600 bytes, and the pattern of both files some 8,000.
      expect(await poster('black-and-silent-start.mp4')).toBeGreaterThan(0.8 * (await poster('fit-for-web.mp4')))
    })

    test('a clip that is black throughout has a poster too', async () => {
      const result = await transcode(transcoder, join(folder, 'black.mp4'))
      expect('posterBytes' in result && result.posterBytes).toBeGreaterThan(0)
    })

    test('a clip that is fit for the web is copied, not encoded again', async () => {
      const result = await transcode(transcoder, join(folder, 'fit-for-web.mp4'))
      const source = await readClip(join(folder, 'fit-for-web.mp4'))
      expect('facts' in result && result.facts.lastFrame).toEqual(source.lastFrame)
    })

    test('an abort ends the work at once, with the reason of the signal', async () => {
      const reason = new Error('No longer needed')
      const work = withFolder((output) =>
        transcoder.transcode({ inputPath: join(folder, '4k60.mp4'), folder: output, maxSeconds: MAX_SECONDS, signal: aborting(reason) }),
      )
      await expect(work).rejects.toBe(reason)
    })
  })
}

/** Both probe with the same child, so the short form shows only one what is refused, and the other what may open more than its file. */
function filesFor(kind: 'libav' | 'ffmpeg') {
  const hostile = hostileFiles({ url: '', path: '' })
  if (kind === 'libav' || isLongForm) return [...GOOD_FILES, ...REFUSED_MEDIA, ...hostile]
  return [...GOOD_FILES, ...hostile.filter(({ name }) => /playlist|concat|reference/.test(name))]
}

type Result = { megabytes: number } & (
  | { facts: ClipFacts; hasTitle: boolean; posterBytes: number; durationMs: number; width: number; height: number }
  | { error: TranscodeError; ms: number }
)

async function transcode(transcoder: Transcoder, inputPath: string): Promise<Result> {
  const startedMs = performance.now()
  using memory = watchChildren()
  return await withFolder(async (folder) => {
    try {
      const clip = await transcoder.transcode({ inputPath, folder, maxSeconds: MAX_SECONDS })
      const megabytes = memory.most()
      expect(clip.posterBytes).toBeGreaterThan(0)
      const { posterBytes, durationMs, width, height } = clip
      return {
        megabytes,
        facts: await readClip(clip.clipPath),
        hasTitle: (await readFile(clip.clipPath)).includes('Secret'),
        posterBytes,
        durationMs,
        width,
        height,
      }
    } catch (error) {
      if (!(error instanceof TranscodeError)) throw error
      return { error, ms: performance.now() - startedMs, megabytes: memory.most() }
    }
  })
}

async function withFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-clip-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function expectOutcome(result: Result, outcome: Outcome): void {
  const isLarge = typeof outcome === 'object' && 'ready' in outcome && outcome.ready.width * outcome.ready.height > 1_000_000
  expect(result.megabytes).toBeGreaterThan(20)
  expect(result.megabytes).toBeLessThan(isLarge ? MAX_MEGABYTES.large : MAX_MEGABYTES.small)
  if (outcome === 'ends') {
    if ('error' in result) expect(FINAL).toContain(result.error.code)
    return
  }
  if ('refused' in outcome) {
    expect(result).toMatchObject({ error: { code: outcome.refused, isFinal: true } })
    expect('ms' in result && result.ms).toBeLessThan(REFUSAL_MS)
    return
  }
  const { width, height, seconds, hasAudio, maxFramesPerSecond = 61, toleranceSeconds = 0.15 } = outcome.ready
  const codecs = { videoCodec: 'avc', audioCodec: hasAudio ? 'aac' : null, rotation: 0, isHdr: false }
  expect(result).toMatchObject({ width, height, facts: { width, height, ...codecs } })
  if (!('facts' in result)) return
  expect(Math.abs(result.durationMs / 1000 - seconds)).toBeLessThan(toleranceSeconds)
  expect(Math.abs(result.facts.seconds - seconds)).toBeLessThan(toleranceSeconds)
  expect(result.facts.framesPerSecond).toBeLessThan(maxFramesPerSecond)
}

function aborting(reason: Error): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 300)
  return controller.signal
}
