import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { type BlobRange, type BlobStore, BlobStoreError } from '@earshot/drivers'
import { parse } from 'content-disposition'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getMedia } from '../support/media.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { here, makeReadyVideo } from '../support/videos.ts'

/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(50_000_000, 'clip')

/** What the store does instead of a read; null for nothing. */
let failing: ((key: string, range?: BlobRange) => ReturnType<BlobStore['get']>) | null = null
/** The streams that the service opened. */
const opened: Readable[] = []
let blobStore: BlobStore
let service: TestService
let team: Team
beforeAll(async () => {
  blobStore = await openTestBlobStore()
  const get: BlobStore['get'] = async (...args) => {
    const blob = await (failing ?? blobStore.get)(...args)
    if (blob) opened.push(blob.bytes)
    return blob
  }
  const size: BlobStore['size'] = async (key) => (failing ? ((await failing(key))?.sizeBytes ?? null) : blobStore.size(key))
  service = await startTestService({ services: { blobStore: { ...blobStore, get, size } } })
  team = await makeTeam(service.database)
})
beforeEach(() => {
  failing = null
  opened.length = 0
})
afterAll(async () => {
  await service.close()
  await blobStore.close()
})

describe('the name of a download', () => {
  test.for([
    ['Holiday.MOV', 'Holiday.mp4'],
    ['../../etc/passwd', 'passwd.mp4'],
    ['C:\\Users\\Ada\\clip.webm', 'clip.mp4'],
    ['a "quoted" name.webm', 'a "quoted" name.mp4'],
    ['Grüße.webm', 'Grüße.mp4'],
    ['感想 👋.webm', '感想 👋.mp4'],
    ['100%25.webm', '100%25.mp4'],
    ['semi;colon, comma=.webm', 'semi;colon, comma=.mp4'],
    ['two\r\nset-cookie: a=b.webm', 'two set-cookie: a=b.mp4'],
    ['version 1.2', 'version 1.mp4'],
    ['.webm', 'video.mp4'],
    ['folder/', 'video.mp4'],
    ['..', 'video.mp4'],
    ['no extension', 'no extension.mp4'],
    ['evil\u202e4pm.exe', 'evil 4pm.mp4'],
    [' .hidden. ', 'hidden.mp4'],
  ] as const)('of %j is %j', async ([fileName, expected]) => {
    const ref = await makeReadyVideo(service, team, { clip: Buffer.from('a clip'), fileName })
    const { status, headers } = await getMedia(await linkOf(ref))
    const { type, parameters } = parse(headers['content-disposition'] ?? '')
    expect([status, type, parameters.filename]).toEqual([200, 'inline', expected])
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test('has at most 255 characters: 2,000 are refused at the reservation, on both planes', async () => {
    const file = { file_name: `${'a'.repeat(1_995)}.webm`, content_type: 'video/webm', size_bytes: 1 }
    const { team_id, project_id } = team.project
    const refusal = { status: 400, body: { code: 'validation_error', errors: [expect.objectContaining({ field: 'file_name' })] } }
    const path = `/api/v1/teams/${team_id}/projects/${project_id}/videos/`
    expect(await service.send('POST', path, { token: team.token, body: file })).toMatchObject(refusal)
    expect(await service.send('POST', `/api/public/v1/projects/${team.publicKey}/uploads/`, { body: file })).toMatchObject(refusal)
  })
})

describe('a store that fails', () => {
  let url: string
  beforeAll(async () => {
    url = await linkOf(await makeReadyVideo(service, team, { clip: LARGE }))
  })

  test.for(['GET', 'HEAD'])('without the blob: %s is 404', async (method) => {
    failing = async () => null
    const { status, headers } = await getMedia(url, { range: 'bytes=0-9' }, method)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([404, 'application/json; charset=utf-8', 'no-store'])
    expectNoFile(headers)
  })

  test.for(['full', 'forbidden', 'unavailable'] as const)('as it is %s: 503 that says when to come again, and no secret', async (code) => {
    failing = async () => {
      throw new BlobStoreError(code, 'The bucket secret-name said no.')
    }
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes } = await getMedia(url, {}, method)
      expect([method, status, Number(headers['retry-after']) > 0, headers['cache-control']]).toEqual([method, 503, true, 'no-store'])
      expect(bytes.toString()).not.toContain('secret-name')
      expectNoFile(headers)
    }
  })

  test('before the first byte: 503 too, not half of an answer', async () => {
    failing = async () => ({ sizeBytes: LARGE.length, bytes: failAfter([]) })
    const { status, headers, bytes } = await getMedia(url, { range: 'bytes=0-999' })
    expect([status, JSON.parse(bytes.toString()).code, Number(headers['retry-after']) > 0]).toEqual([503, 'dependency_unavailable', true])
    expect(Number(headers['content-length'])).toBe(bytes.length)
    expectNoFile(headers)
  })

  test('in the middle breaks the connection: nobody takes a part for the whole', async () => {
    failing = async () => ({ sizeBytes: LARGE.length, bytes: failAfter([LARGE.subarray(0, 100_000)]) })
    await expect(getMedia(url)).rejects.toThrow(/aborted|ECONNRESET/)
    failing = null
    expect((await getMedia(url, { range: 'bytes=0-3' })).status).toBe(206)
  })

  test('is not asked for what the client has, nor for a range beyond the end', async () => {
    const { headers } = await getMedia(url, {}, 'HEAD')
    failing = async () => {
      throw new BlobStoreError('unavailable', 'The store is down.')
    }
    expect((await getMedia(url, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
    expect((await getMedia(url, { range: 'bytes=999999999-' })).status).toBe(416)
  })

  test('does not take the captions with it: they are in the database', async () => {
    const ref = await makeReadyVideo(service, team, { clip: Buffer.from('a clip') })
    const captions = await service.client(team.token).videos.captions.create({ ...ref, language: 'en', vtt: 'WEBVTT\n' })
    failing = async () => null
    expect((await getMedia(here(service, captions.url))).status).toBe(200)
  })
})

describe('a client that leaves', () => {
  test.for([0, 1, 100_000])('after %d bytes leaves no stream behind', async (readBytes) => {
    const url = await linkOf(await makeReadyVideo(service, team, { clip: LARGE }))
    await leaveAfter(url, readBytes)
    await until('each stream is closed', () => opened.length > 0 && opened.every(({ closed }) => closed))
  })

  test('while the store looks for the blob leaves none either', async () => {
    const url = await linkOf(await makeReadyVideo(service, team, { clip: LARGE }))
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    failing = async (...args) => {
      ask()
      await left
      return blobStore.get(...args)
    }
    const sent = request(url, { agent: false }).end()
    sent.on('error', () => {})
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    sent.once('close', close)
    await asked
    sent.destroy()
    await closed
    leave()
    await until('the stream is closed', () => opened.length === 1 && opened.every(({ closed }) => closed))
  })
})

type Ref = Awaited<ReturnType<typeof makeReadyVideo>>

async function linkOf(ref: Ref): Promise<string> {
  return here(service, (await service.client(team.token).videos.retrieve(ref)).playback_url)
}

/** What describes a file is in no answer that is none. */
function expectNoFile(headers: Record<string, string | undefined>): void {
  for (const name of ['accept-ranges', 'content-disposition', 'content-range', 'etag']) expect(headers).not.toHaveProperty(name)
}

function failAfter(chunks: Buffer[]): Readable {
  return Readable.from(
    (async function* () {
      yield* chunks
      throw new BlobStoreError('unavailable', 'S3 cannot be reached for a read.')
    })(),
  )
}

/** Reads so many bytes at least, and breaks the connection. */
async function leaveAfter(url: string, readBytes: number): Promise<void> {
  const sent = request(url, { agent: false }).end()
  const [response] = await once(sent, 'response')
  for (let read = 0; read < readBytes; ) {
    await once(response, 'readable')
    read += response.read()?.length ?? 0
  }
  response.destroy()
}
