import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findImageConverter, type ImageConverter, TranscodeError } from '@earshot/drivers'
import { beforeAll, describe, expect, test } from 'vitest'
import { drawPng } from '../../support/image-site.ts'

const GENEROUS = { timeout: 60_000 }
/** A picture of 64 × 32 pixels: red on the left, blue on the right. */
const FORMATS = ['two.jpg', 'two.gif', 'two.webp', 'two.avif']

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const fixture = (name: string) => readFile(new URL(`../../fixtures/images/${name}`, import.meta.url))

describe('with libav', () => testConverter('libav'))
describe.runIf(hasFfmpeg)('with the ffmpeg of the system', () => testConverter('ffmpeg'))

function testConverter(only: 'libav' | 'ffmpeg'): void {
  let converter: ImageConverter
  beforeAll(async () => {
    const found = await findImageConverter({ only, niceness: 0 })
    if ('missing' in found) throw new Error(found.missing)
    converter = found.converter
  }, 60_000)

  async function convert(bytes: Buffer, shape: { maxSide?: number; isSquare?: boolean } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'earshot-image-'))
    try {
      return await converter.convert({ bytes, folder, maxSide: 16, isSquare: false, signal: new AbortController().signal, ...shape })
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  test.for(FORMATS)('%s becomes a small WebP', GENEROUS, async (name) => {
    const { bytes, ...size } = await convert(await fixture(name))
    expect(size).toEqual({ width: 16, height: 8 })
    expect(bytes.toString('latin1', 8, 12)).toBe('WEBP')
    expect(await convert(await fixture(name), { isSquare: true })).toMatchObject({ width: 16, height: 16 })
  })

  test('an image that is small enough keeps its size', GENEROUS, async () => {
    expect(await convert(drawPng(9, 7))).toMatchObject({ width: 9, height: 7 })
  })

  test.for([
    [1, 16, 8],
    [3, 16, 8],
    [6, 8, 16],
    [8, 8, 16],
  ] as const)('a photo that EXIF says is turned (%i) stands upright', GENEROUS, async ([orientation, width, height]) => {
    const photo = await withExif(orientation)
    const copy = await convert(photo)
    expect(copy).toMatchObject({ width, height })
    expect(copy.bytes.includes('Exif')).toBe(false)
  })

  test('what is no image, or damaged, or far too large, is the fault of the file', GENEROUS, async () => {
    const claims = { width: 30_000, height: 30_000 }
    const files = {
      unsupported_media: [
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        Buffer.from('GIF'),
        Buffer.alloc(0),
        Buffer.from('#EXTM3U\n'),
      ],
      corrupt: [drawPng(50, 50).subarray(0, 70), drawPng(2, 2, { claims }), Buffer.from('GIF89a'), Buffer.from('ffd8ffe000104a46', 'hex')],
    }
    for (const [code, all] of Object.entries(files))
      for (const bytes of all) {
        const error = await convert(bytes).catch((error: unknown) => error)
        expect(error, bytes.toString('latin1', 0, 20)).toBeInstanceOf(TranscodeError)
        expect(error).toMatchObject({ code, isFinal: true })
      }
  })

  test('an end of the signal ends it', GENEROUS, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'earshot-image-'))
    const request = { bytes: drawPng(9, 7), folder, maxSide: 16, isSquare: false, signal: AbortSignal.abort() }
    await expect(converter.convert(request)).rejects.toMatchObject({ code: 'closed' })
    expect(await readdir(join(folder, 'outputs'))).toEqual([])
    await rm(folder, { recursive: true })
  })
}

/** Puts a segment with an orientation behind the start of the picture (CIPA DC-008 §4.5.4). */
async function withExif(orientation: number): Promise<Buffer> {
  const jpeg = await fixture('two.jpg')
  // In the order of Intel: a directory at 8 of one entry, the tag 0x0112 of one short.
  const tiff = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex')
  tiff.writeUInt16LE(orientation, 18)
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(body.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from('ffe1', 'hex'), length, body, jpeg.subarray(2)])
}
