import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getMedia, type MediaResponse, type OpenedStore, openStoreOf, STORES } from '../support/media.ts'
import { makeTeam } from '../support/people.ts'
import { useS3Credentials } from '../support/s3-credentials.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, makeReadyVideo } from '../support/videos.ts'

const CLIP = randomBytes(100_000)
const SIZE = CLIP.length
const MANY_RANGES = Array.from({ length: 1_000 }, (_, index) => `${index}-${index}`).join(',')
const VTT = 'WEBVTT\n\n00:00.000 --> 00:02.000\nGrüße 👋\n'

useS3Credentials()

/** What is asked for, and the first and the last byte that come; null for the whole file. */
const ranges: [what: string, range: string, expected: [number, number] | null][] = [
  ['the first byte', 'bytes=0-0', [0, 0]],
  ['first bytes', 'bytes=0-999', [0, 999]],
  ['bytes in the middle', 'bytes=50000-50999', [50_000, 50_999]],
  ['the last byte', `bytes=${SIZE - 1}-${SIZE - 1}`, [SIZE - 1, SIZE - 1]],
  ['an open end', 'bytes=99000-', [99_000, SIZE - 1]],
  ['everything by an open end', 'bytes=0-', [0, SIZE - 1]],
  ['an end beyond the end', 'bytes=99000-100000', [99_000, SIZE - 1]],
  ['an end that is no safe integer', 'bytes=99000-99999999999999999999999', [99_000, SIZE - 1]],
  ['an end of 500 digits', `bytes=99000-${'9'.repeat(500)}`, [99_000, SIZE - 1]],
  ['a suffix', 'bytes=-1000', [99_000, SIZE - 1]],
  ['a suffix longer than the file', 'bytes=-100001', [0, SIZE - 1]],
  ['a huge suffix', `bytes=-${'9'.repeat(400)}`, [0, SIZE - 1]],
  ['the unit in capitals', 'Bytes=0-9', [0, 9]],
  ['spaces around a range', 'bytes= 0-9 ', [0, 9]],
  ['empty elements of the list', 'bytes=,0-9,', [0, 9]],
  ['several ranges', 'bytes=0-9,20-29', null],
  ['a thousand ranges', `bytes=${MANY_RANGES}`, null],
  ['overlapping ranges', 'bytes=0-,0-,0-', null],
  ['another unit', 'seconds=0-9', null],
  ['no unit', '0-9', null],
  ['no range', 'bytes=', null],
  ['nothing', '', null],
  ['a lone hyphen', 'bytes=-', null],
  ['letters', 'bytes=a-b', null],
  ['a sign', 'bytes=+0-9', null],
  ['a fraction', 'bytes=0.5-9', null],
  ['an exponent', 'bytes=0-1e3', null],
  ['hexadecimal numbers', 'bytes=0x0-0x9', null],
  ['the end before the start', 'bytes=9-0', null],
  ['two hyphens', 'bytes=0-9-', null],
  ['a range beside one that cannot be read', 'bytes=0-9,x', null],
]

const beyond: [what: string, range: string][] = [
  ['the first byte after the end', `bytes=${SIZE}-`],
  ['far beyond the end', 'bytes=999999999-'],
  ['a start of 500 digits', `bytes=${'9'.repeat(500)}-`],
  ['a suffix of nothing', 'bytes=-0'],
  ['several ranges beyond the end', `bytes=${SIZE}-,${SIZE + 9}-`],
]

describe.for(STORES)('media in %s', (kind) => {
  let store: OpenedStore
  let service: TestService
  let links: { clip: string; poster: string; captions: string }
  beforeAll(async () => {
    store = await openStoreOf(kind)
    service = await startTestService({ services: { blobStore: store.blobStore } })
    const team = await makeTeam(service.database)
    const client = service.client(team.token)
    const ref = await makeReadyVideo(service, team, { clip: CLIP })
    const captions = await client.videos.captions.create({ ...ref, language: 'de', vtt: VTT })
    const { playback_url, poster_url } = await client.videos.retrieve(ref)
    links = { clip: here(service, playback_url), poster: here(service, poster_url), captions: here(service, captions.url) }
  })
  afterAll(async () => {
    await service.close()
    await store[Symbol.asyncDispose]()
  })

  test.for([
    ['clip', 'video/mp4', CLIP, 'clip.mp4'],
    ['poster', 'image/jpeg', Buffer.from('a poster'), 'clip.jpg'],
    ['captions', 'text/vtt; charset=utf-8', Buffer.from(VTT), 'clip.vtt'],
  ] as const)('%s: the whole comes, with headers that let players seek and pages do nothing else', async ([file, type, bytes, name]) => {
    const response = await getMedia(links[file])
    expect(response.status).toBe(200)
    expect(response.bytes.equals(bytes)).toBe(true)
    expect(response.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename=${name}`,
      'content-length': String(bytes.length),
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': type,
      'cross-origin-resource-policy': 'cross-origin',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.headers).not.toHaveProperty('content-range')
  })

  test.for(ranges)('a range of %s', async ([_what, range, expected]) => {
    const { status, headers, bytes } = await getMedia(links.clip, { range })
    const [first, last] = expected ?? [0, SIZE - 1]
    const contentRange = expected === null ? undefined : `bytes ${first}-${last}/${SIZE}`
    expect([status, headers['content-range'], headers['content-length']]).toEqual([
      expected === null ? 200 : 206,
      contentRange,
      String(last - first + 1),
    ])
    expect(bytes.equals(CLIP.subarray(first, last + 1))).toBe(true)
    expect(headers).toMatchObject({ 'content-type': 'video/mp4', etag: expect.any(String), 'accept-ranges': 'bytes' })
  })

  test.for(beyond)('a range of %s is 416 with the size', async ([_what, range]) => {
    const { status, headers, bytes } = await getMedia(links.clip, { range })
    expect([status, headers['content-range'], bytes.length]).toEqual([416, `bytes */${SIZE}`, 0])
    expect(headers).not.toHaveProperty('content-disposition')
    expect(headers).not.toHaveProperty('etag')
  })

  test('a range of captions counts bytes, not characters', async () => {
    const { status, bytes } = await getMedia(links.captions, { range: 'bytes=-6' })
    expect([status, bytes.equals(Buffer.from(VTT).subarray(-6))]).toEqual([206, true])
  })

  test('If-Range lets a range count for this version of the file alone', async () => {
    const { headers } = await getMedia(links.clip, {}, 'HEAD')
    const etag = headers.etag ?? ''
    const statusFor = async (ifRange: string) => (await getMedia(links.clip, { range: 'bytes=0-9', 'if-range': ifRange })).status
    expect(await statusFor(etag)).toBe(206)
    for (const other of [`W/${etag}`, '"another"', etag.slice(1, -1), '*', new Date().toUTCString(), ''])
      expect([other, await statusFor(other)]).toEqual([other, 200])
  })

  test('a range beyond the end of another version is the whole file', async () => {
    const { status } = await getMedia(links.clip, { range: `bytes=${SIZE}-`, 'if-range': '"another"' })
    expect(status).toBe(200)
  })

  test.for(['clip', 'poster', 'captions'] as const)('HEAD of the %s has the headers of GET, no body, and no range', async (file) => {
    const whole = await getMedia(links[file])
    for (const range of ['bytes=0-3', 'bytes=999999999-']) {
      const { status, headers, bytes } = await getMedia(links[file], { range }, 'HEAD')
      expect([status, bytes.length]).toEqual([200, 0])
      expect(comparable(headers)).toEqual(comparable(whole.headers))
    }
  })

  test.for(['GET', 'HEAD'])('%s of what the client has is 304 without a body, whatever the range', async (method) => {
    const { headers } = await getMedia(links.clip, {}, 'HEAD')
    const etag = headers.etag ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await getMedia(links.clip, { 'if-none-match': known, range: 'bytes=0-9' }, method)
      expect([response.status, response.bytes.length, response.headers.etag]).toEqual([304, 0, etag])
      expect(response.headers).not.toHaveProperty('content-range')
    }
    expect((await getMedia(links.clip, { 'if-none-match': '"other"' }, method)).status).toBe(200)
  })

  test('pages of other sites may read it, and ask before with a preflight', async () => {
    const origin = 'https://shop.example'
    const read = await getMedia(links.clip, { origin, range: 'bytes=0-9' })
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([206, '*'])
    expect(read.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(read.headers['access-control-expose-headers']).toMatch(/\bContent-Range\b/)
    const asked = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' }
    const preflight = await getMedia(links.clip, asked, 'OPTIONS')
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, 'range'])
  })

  test.for(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is 405', async (method) => {
    const { status, headers } = await getMedia(links.clip, {}, method)
    expect([status, headers.allow]).toEqual([405, expect.stringContaining('GET')])
  })
})

/** What does not differ from one response to the next. */
function comparable(headers: MediaResponse['headers']) {
  return { ...headers, date: null, 'x-request-id': null }
}
