import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { head, offsetOf, patch, reserveUpload, storedBytes, tusHeaders } from '../support/uploads.ts'

const PART = 16 * 1_024 * 1_024
const FILE = randomBytes(1_000)

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

const reserve = (size: number | null = FILE.length, rest = {}) => reserveUpload(service.database, team.project, { size, ...rest })
const stored = (upload: Awaited<ReturnType<typeof reserve>>) => storedBytes(service.database, service.blobStore, upload)

describe('methods', () => {
  test('a file is sent in several requests, and HEAD tells how much has arrived', async () => {
    const upload = await reserve()
    const before = await head(service.url, upload)
    expect(before.status).toBe(200)
    expect(Object.fromEntries(before.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'upload-length': '1000',
      'cache-control': 'no-store',
      'upload-expires': expect.stringMatching(/GMT$/),
    })
    const first = await patch({ url: service.url, upload }, 0, FILE.subarray(0, 400))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '400'])
    expect(first.headers.get('upload-expires')).toMatch(/GMT$/)
    const second = await patch({ url: service.url, upload }, 400, FILE.subarray(400))
    expect([second.status, second.headers.get('upload-offset'), second.headers.get('upload-expires')]).toEqual([204, '1000', null])
    expect(await stored(upload)).toEqual(FILE)
    const keyed = { path: upload.path.replace('/public', '') }
    expect((await head(service.url, { ...upload, ...keyed })).headers.get('upload-offset')).toBe('1000')
  })

  test('a file larger than a part becomes several parts', async () => {
    const file = randomBytes(2 * PART + 5)
    const upload = await reserve(file.length)
    expect((await patch({ url: service.url, upload }, 0, file)).status).toBe(204)
    expect((await stored(upload)).equals(file)).toBe(true)
    expect(await service.database.run('select size_bytes from video_parts where video_id = $1 order by first_byte', [upload.id])).toEqual(
      [PART, PART, 5].map((size_bytes) => ({ size_bytes })),
    )
    expect(await service.database.run('select from unused_blobs where team_id = $1 and key like $2', [team.id, `%${upload.id}%`])).toEqual(
      [],
    )
  })

  test('a POST and a GET are refused, and a method override is ignored', async () => {
    const upload = await reserve()
    for (const method of ['POST', 'GET']) {
      const headers = tusHeaders(upload, { 'x-http-method-override': 'PATCH', 'upload-offset': '0' })
      const answer = await service.send(method, upload.path, { headers })
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.get('allow')).toBe('DELETE, HEAD, OPTIONS, PATCH')
    }
  })

  test('OPTIONS tells what the service supports, and a page may read the headers of tus', async () => {
    const upload = await reserve()
    const options = await fetch(service.url + upload.path, { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(Object.fromEntries(options.headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'expiration,checksum,termination,creation-defer-length',
      'tus-checksum-algorithm': 'sha1,sha256',
    })
    const preflight = await fetch(service.url + upload.path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'x-upload-token',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-upload-token')
    const read = await fetch(service.url + upload.path, { method: 'HEAD', headers: tusHeaders(upload, { origin: 'https://example.com' }) })
    expect(read.headers.get('access-control-allow-origin')).toBe('*')
    expect(read.headers.get('access-control-expose-headers')).toMatch(/Retry-After.*Upload-Offset/)
  })

  test('a DELETE ends the upload, and its parts are deleted', async () => {
    const upload = await reserve()
    await patch({ url: service.url, upload }, 0, FILE.subarray(0, 10))
    const gone = await fetch(service.url + upload.path, { method: 'DELETE', headers: tusHeaders(upload) })
    expect([gone.status, gone.headers.get('tus-resumable')]).toEqual([204, '1.0.0'])
    expect((await head(service.url, upload)).status).toBe(404)
    expect((await patch({ url: service.url, upload }, 10, FILE.subarray(10))).status).toBe(404)
    expect(await service.database.run('select from video_parts where video_id = $1', [upload.id])).toEqual([])
    const due = await service.database.run('select from unused_blobs where key like $1 and delete_at <= now()', [`%${upload.id}%`])
    expect(due).toHaveLength(1)
  })
})

describe('authorization', () => {
  test('without a token 401; with a wrong one, or that of another upload, 404', async () => {
    const [upload, other] = [await reserve(), await reserve()]
    const outcomes: [Record<string, string>, number, string][] = [
      [{}, 401, 'not_authenticated'],
      [{ 'x-upload-token': '' }, 401, 'not_authenticated'],
      [{ 'x-upload-token': 'wrong' }, 404, 'not_found'],
      [{ 'x-upload-token': other.token }, 404, 'not_found'],
    ]
    for (const method of ['PATCH', 'DELETE']) {
      for (const [headers, status, code] of outcomes) {
        const answer = await service.send(method, upload.path, { headers: { 'tus-resumable': '1.0.0', ...headers } })
        expect(answer).toMatchObject({ status, body: { code } })
        expect(answer.headers.get('tus-resumable')).toBe('1.0.0')
      }
    }
    const malformed = await service.send('PATCH', '/api/public/v1/uploads/nonsense/', { headers: tusHeaders(upload) })
    expect(malformed.status).toBe(404)
    expect(await offsetOf(service.database, upload.ref)).toBe(0)
  })

  test('an upload whose time is over is 410', async () => {
    const upload = await reserve(FILE.length, { until: '-1 second' })
    expect((await head(service.url, upload)).status).toBe(410)
    const answer = await patch({ url: service.url, upload }, 0, FILE)
    expect([answer.status, await answer.json()]).toEqual([410, expect.objectContaining({ code: 'upload_expired' })])
    const gone = await fetch(service.url + upload.path, { method: 'DELETE', headers: tusHeaders(upload) })
    expect(gone.status).toBe(410)
  })

  test('a complete upload can be read, and not changed', async () => {
    const upload = await reserve()
    await patch({ url: service.url, upload }, 0, FILE)
    await service.database.run("update videos set state = 'uploaded' where id = $1", [upload.id])
    expect((await head(service.url, upload)).headers.get('upload-offset')).toBe('1000')
    for (const method of ['PATCH', 'DELETE']) {
      const headers = tusHeaders(upload, { 'content-type': 'application/offset+octet-stream', 'upload-offset': '1000' })
      const answer = await service.send(method, upload.path, { headers })
      expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'uploaded' } })
    }
  })
})

describe('headers', () => {
  const table: [string, Record<string, string | null>, number, string][] = [
    ['no version', { 'tus-resumable': null }, 412, 'tus_version_unsupported'],
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'tus_version_unsupported'],
    ['another type', { 'content-type': 'application/octet-stream' }, 415, 'unsupported_media_type'],
    ['no offset', { 'upload-offset': null }, 400, 'validation_error'],
    ['a malformed offset', { 'upload-offset': '-1' }, 400, 'validation_error'],
    ['another offset', { 'upload-offset': '7' }, 409, 'offset_conflict'],
    ['another length', { 'upload-length': '999' }, 400, 'validation_error'],
    ['the same length', { 'upload-length': '1000' }, 204, ''],
  ]
  test.for(table)('%s', async ([, changes, status, code]) => {
    const upload = await reserve()
    const all: Record<string, string | null> = {
      ...tusHeaders(upload, { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }),
      ...changes,
    }
    const headers = Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
    const answer = await fetch(service.url + upload.path, { method: 'PATCH', headers, body: FILE })
    expect(answer.status).toBe(status)
    if (status !== 204) expect(await answer.json()).toMatchObject({ code, request_id: expect.any(String) })
    if (status === 412) expect(answer.headers.get('tus-version')).toBe('1.0.0')
    if (status === 409) expect(answer.headers.get('upload-offset')).toBe('0')
    expect(await offsetOf(service.database, upload.ref)).toBe(status === 204 ? 1_000 : 0)
  })
})

describe('checksums', () => {
  const digest = (algorithm: string, bytes: Uint8Array = FILE) => createHash(algorithm).update(bytes).digest('base64')
  const table: [string, string, number][] = [
    ['sha1', `sha1 ${digest('sha1')}`, 204],
    ['sha256', `sha256 ${digest('sha256')}`, 204],
    ['sha256 of other bytes', `sha256 ${digest('sha256', Buffer.from('x'))}`, 460],
    ['sha1 of other bytes', `sha1 ${digest('sha1', Buffer.from('x'))}`, 460],
    ['an unknown algorithm', `md5 ${digest('md5')}`, 400],
    ['no digest', 'sha1', 400],
    ['a digest of another size', `sha256 ${digest('sha1')}`, 400],
    ['no Base64', 'sha1 ***', 400],
  ]
  test.for(table)('%s', async ([, checksum, status]) => {
    const upload = await reserve()
    const answer = await patch({ url: service.url, upload }, 0, FILE, { 'upload-checksum': checksum })
    expect(answer.status).toBe(status)
    expect((await stored(upload)).equals(status === 204 ? FILE : Buffer.alloc(0))).toBe(true)
  })

  test('a wrong checksum of several parts leaves none of them, and the right one leaves all', async () => {
    const file = randomBytes(2 * PART + 1)
    const upload = await reserve(file.length)
    const wrong = await patch({ url: service.url, upload }, 0, file, { 'upload-checksum': `sha1 ${digest('sha1')}` })
    expect([wrong.status, (await stored(upload)).length]).toEqual([460, 0])
    const due = await service.database.run('select from unused_blobs where key like $1 and delete_at <= now()', [`%${upload.id}%`])
    expect(due).toHaveLength(3)
    const right = await patch({ url: service.url, upload }, 0, file, { 'upload-checksum': `sha1 ${digest('sha1', file)}` })
    expect([right.status, (await stored(upload)).equals(file)]).toEqual([204, true])
  })
})

describe('sizes', () => {
  test('a body that reaches over the length is 413, with and without a length of its own', async () => {
    const upload = await reserve()
    for (const body of [randomBytes(1_001), new Blob([randomBytes(1_001)]).stream()]) {
      const answer = await patch({ url: service.url, upload }, 0, body)
      expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'body_too_large', limit_bytes: 1_000 })])
    }
    expect(await stored(upload)).toEqual(Buffer.alloc(0))
  })

  test('an empty body moves nothing', async () => {
    const upload = await reserve()
    const answer = await patch({ url: service.url, upload }, 0, '')
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, '0'])
    await patch({ url: service.url, upload }, 0, FILE)
    const end = await patch({ url: service.url, upload }, 1_000, '')
    expect([end.status, end.headers.get('upload-offset')]).toEqual([204, '1000'])
  })

  test('a length that was not known is set once, within what was reserved', async () => {
    const upload = await reserve(null, { maxBytes: 2_000 })
    expect((await head(service.url, upload)).headers.get('upload-defer-length')).toBe('1')
    expect((await patch({ url: service.url, upload }, 0, FILE)).status).toBe(204)
    for (const [length, status] of [
      ['999', 400],
      ['2001', 413],
      ['x', 400],
      ['1500', 204],
      ['1600', 400],
    ] as const) {
      const answer = await patch({ url: service.url, upload }, 1_000, '', { 'upload-length': length })
      expect([length, answer.status]).toEqual([length, status])
    }
    const known = await head(service.url, upload)
    expect([known.headers.get('upload-length'), known.headers.get('upload-defer-length')]).toEqual(['1500', null])
    expect((await patch({ url: service.url, upload }, 1_000, randomBytes(501))).status).toBe(413)
    expect((await patch({ url: service.url, upload }, 1_000, randomBytes(500))).status).toBe(204)
  })

  test('without a length the reserved size is the limit', async () => {
    const upload = await reserve(null, { maxBytes: 999 })
    expect((await patch({ url: service.url, upload }, 0, FILE)).status).toBe(413)
    expect((await patch({ url: service.url, upload }, 0, FILE.subarray(1))).status).toBe(204)
  })
})
