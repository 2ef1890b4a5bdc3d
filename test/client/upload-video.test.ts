import { randomBytes, randomInt } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, EarshotApiError, EarshotConnectionError, type UploadProgress, uploadVideoFile } from '@earshot/contracts/client'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { playService, refusal } from '../cli/fake-service.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { sha256, storedBytes } from '../support/uploads.ts'

const CUTS = 12
const KIB = 1_024

let service: TestService
let team: Team
let folder: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  folder = await mkdtemp(join(tmpdir(), 'earshot-upload-video-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await service.close()
})

const bytes = new Uint8Array(randomBytes(3_000_000))
const file = { file_name: 'clip.webm', content_type: 'video/webm' }

/** What the service has of a video. */
async function stored(video_id: string): Promise<Buffer> {
  return storedBytes(service.database, service.blobStore, { id: video_id, token: '', path: '', ref: { ...team.project, video_id } })
}

function streamOf(content: Uint8Array, pieceBytes = 65_536): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= content.length) return controller.close()
      controller.enqueue(content.slice(at, at + pieceBytes))
      at += pieceBytes
    },
  })
}

describe('client.videos.upload', () => {
  test('stores bytes, a Blob, a file on disk and a stream of unknown length whole, and completes the video', async () => {
    const path = join(folder, 'clip.webm')
    await writeFile(path, bytes)
    const kinds = { bytes, blob: new Blob([bytes]), disk: await openAsBlob(path, { type: 'video/webm' }), stream: streamOf(bytes) }
    for (const [kind, source] of Object.entries(kinds)) {
      const reported: UploadProgress[] = []
      const video = await service
        .client(team.token)
        .videos.upload({ ...team.project, ...file, draft: { author: { name: 'Ada' } } }, source, { onProgress: (p) => reported.push(p) })
      expectTypeOf(video.state).toEqualTypeOf<'reserved' | 'uploading' | 'uploaded' | 'transcoding' | 'ready' | 'failed' | 'expired'>()
      expect(video).toMatchObject({ state: 'uploaded', ...file, size_bytes: bytes.length, draft: { author: { name: 'Ada' } } })
      expect([kind, sha256(await stored(video.id))]).toEqual([kind, sha256(bytes)])
      const totalBytes = kind === 'stream' ? null : bytes.length
      expect(reported[0]).toEqual({ sentBytes: 0, totalBytes })
      expect(reported.at(-1)).toEqual({ sentBytes: bytes.length, totalBytes })
      expect(reported.map(({ sentBytes }) => sentBytes)).toEqual(reported.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b))
    }
  })

  test('takes the name and the type from the File', async () => {
    const video = await service
      .client(team.token)
      .videos.upload(team.project, new File([bytes], 'holiday.mov', { type: 'video/quicktime' }))
    expect(video).toMatchObject({ file_name: 'holiday.mov', content_type: 'video/quicktime' })
    expect(await service.client(team.token).videos.upload(team.project, bytes.slice(0, 10))).toMatchObject({
      file_name: 'video',
      content_type: 'application/octet-stream',
    })
  })

  test.concurrent.for(['Blob', 'stream'] as const)(
    `a %s is whole after ${CUTS} cuts of the connection, with one video`,
    { timeout: 60_000 },
    async (kind, { expect }) => {
      const { project, token } = await makeTeam(service.database)
      // The first connection carries the reservation.
      const nextCut = (cuts: number) => (cuts < CUTS ? randomInt(2 * KIB, 100 * KIB) : null)
      await using proxy = await startCuttingProxy({ targets: [service.url], nextCut })
      const client = createClient({ baseUrl: proxy.url, token })
      const source = kind === 'Blob' ? new Blob([bytes]) : streamOf(bytes)
      const video = await client.videos.upload({ ...project, ...file }, source, { chunkBytes: 512 * KIB })
      expect(proxy.cuts()).toBe(CUTS)
      expect(video).toMatchObject({ state: 'uploaded', size_bytes: bytes.length })
      const ref = { ...project, video_id: video.id }
      expect(sha256(await storedBytes(service.database, service.blobStore, { id: video.id, token: '', path: '', ref }))).toBe(sha256(bytes))
      expect((await service.client(token).videos.list(project)).results).toHaveLength(1)
    },
  )

  test('an upload that is aborted throws the reason, and its reservation resumes with what has arrived', async () => {
    const controller = new AbortController()
    const client = service.client(team.token)
    let reserved: Awaited<ReturnType<typeof client.videos.reserve>> | undefined
    const aborted = client.videos.upload({ ...team.project, ...file }, bytes, {
      signal: controller.signal,
      chunkBytes: 256 * KIB,
      onReserved: (reservation) => {
        reserved = reservation
      },
      onProgress: ({ sentBytes }) => sentBytes > 0 && controller.abort(new Error('enough')),
    })
    await expect(aborted).rejects.toThrow('enough')
    if (!reserved) throw new Error('Nothing was reserved')
    const reported: UploadProgress[] = []
    const options = { baseUrl: service.url }
    expect(await uploadVideoFile(options, reserved, bytes, { onProgress: (progress) => reported.push(progress) })).toBe(bytes.length)
    expect(reported[0]).toEqual({ sentBytes: 256 * KIB, totalBytes: bytes.length })
    expect(sha256(await stored(reserved.video.id))).toBe(sha256(bytes))
    // Once more is no request for bytes.
    expect(await uploadVideoFile(options, reserved, bytes)).toBe(bytes.length)
  })

  test('a stream that waits for more is aborted too, and is cancelled', async () => {
    let cancelled: unknown
    const recording = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, 1_000)),
      cancel: (reason) => {
        cancelled = reason
      },
    })
    const controller = new AbortController()
    const onProgress = ({ sentBytes }: UploadProgress) => sentBytes === 1_000 && controller.abort(new Error('enough'))
    const result = service.client(team.token).videos.upload(team.project, recording, { signal: controller.signal, onProgress })
    await expect(result).rejects.toThrow('enough')
    expect(cancelled).toEqual(new Error('enough'))
  })

  test('refusals of the reservation, failures of a stream and empty files end it', async () => {
    const { videos } = service.client(team.token)
    await expect(service.client('svc_wrong').videos.upload(team.project, bytes)).rejects.toThrow(EarshotApiError)
    await expect(videos.upload(team.project, new Uint8Array())).rejects.toMatchObject({ code: 'validation_error' })
    await expect(videos.upload(team.project, streamOf(new Uint8Array()))).rejects.toThrow('The file is empty')
    const failing = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('camera unplugged')) })
    await expect(videos.upload(team.project, failing)).rejects.toThrow('camera unplugged')
  })
})

describe('uploadVideoFile', () => {
  test('sends the file of a visitor with the token of the upload, and resumes a stream behind what has arrived', async () => {
    const visitor = service.client()
    const reserved = await visitor.public.uploads.reserve({ public_key: team.publicKey, ...file, size_bytes: bytes.length })
    const options = { baseUrl: `${service.url}/` }
    const half = streamOf(bytes.slice(0, 1_500_000))
    await expect(uploadVideoFile(options, reserved, half)).rejects.toThrow('The file has less than the 3000000 bytes')
    expect(await uploadVideoFile(options, reserved, streamOf(bytes))).toBe(bytes.length)
    const { id: video_id, upload } = reserved
    expect(await visitor.public.uploads.complete({ video_id, upload_token: upload.token })).toMatchObject({ state: 'uploaded' })
    expect(sha256(await stored(video_id))).toBe(sha256(bytes))
  })

  test('refuses a file of another size than was reserved before a byte is sent', async () => {
    const { videos } = service.client(team.token)
    const reserved = await videos.reserve({ ...team.project, ...file, size_bytes: 10 })
    for (const size of [9, 11])
      await expect(uploadVideoFile({ baseUrl: service.url }, reserved, bytes.slice(0, size))).rejects.toThrow(TypeError)
    expect(await stored(reserved.video.id)).toHaveLength(0)
  })

  test('throws the refusal of the service where a HEAD has no body', async () => {
    const { videos } = service.client(team.token)
    const reserved = await videos.reserve({ ...team.project, ...file, size_bytes: 10 })
    const wrong = { upload: { ...reserved.upload, token: 'wrong' } }
    await expect(uploadVideoFile({ baseUrl: service.url }, wrong, bytes)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await service.database.run('update videos set upload_until = now() where id = $1', [reserved.video.id])
    await expect(uploadVideoFile({ baseUrl: service.url }, reserved, bytes)).rejects.toMatchObject({ status: 410, code: 'upload_expired' })
  })

  test('goes on after 423, 503 and a stalled body, sends no Authorization, and takes no redirect or login page for success', async () => {
    const tus = (offset: number) => ({ headers: { 'tus-resumable': '1.0.0', 'upload-offset': String(offset), 'upload-length': '10' } })
    const again = { headers: { 'retry-after': '0' } }
    await using played = await playService(
      { status: 302, headers: { location: 'https://example.com/login' } },
      { status: 200, ...tus(0) },
      { ...refusal(423, 'upload_locked'), ...again },
      { status: 503, ...again },
      { status: 200, ...tus(4) },
      { ...refusal(400, 'validation_error') },
      { status: 200, ...tus(4) },
      { status: 204, ...tus(10) },
    )
    const upload = { url: 'https://feedback.example.com/api/public/v1/uploads/V/', token: 'upl_test' }
    const options = { baseUrl: `${played.url}/feedback`, token: 'svc_test', userAgent: 'a-test' }
    expect(await uploadVideoFile(options, { upload }, new Blob(['0123456789']))).toBe(10)
    expect(played.requests.map(({ method, body }) => [method, body])).toEqual([
      ['HEAD', ''],
      ['HEAD', ''],
      ['PATCH', '0123456789'],
      ['HEAD', ''],
      ['HEAD', ''],
      ['PATCH', '456789'],
      ['HEAD', ''],
      ['PATCH', '456789'],
    ])
    for (const { path, headers } of played.requests) {
      expect(path).toBe('/feedback/api/public/v1/uploads/V/')
      expect(headers).toMatchObject({ 'x-upload-token': 'upl_test', 'tus-resumable': '1.0.0', 'user-agent': 'a-test' })
      expect(headers).not.toHaveProperty('authorization')
    }
    await expect(uploadVideoFile(options, { upload: { ...upload, url: 'https://example.com/x' } }, bytes)).rejects.toThrow(TypeError)
  })

  test('gives up with the last failure after the time that the caller chose', async () => {
    await using played = await playService({ instead: 'reset' })
    const upload = { url: 'https://feedback.example.com/api/v1/uploads/V/', token: 'upl_test' }
    const result = uploadVideoFile({ baseUrl: played.url }, { upload }, bytes, { giveUpAfterMs: 400 })
    await expect(result).rejects.toThrow(EarshotConnectionError)
    expect(played.requests.length).toBeGreaterThan(1)
    await expect(uploadVideoFile({ baseUrl: played.url }, { upload }, bytes, { timeoutMs: 50 })).rejects.toThrow('No response within 50 ms')
  })
})
