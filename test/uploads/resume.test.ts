import { randomBytes, randomInt } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import type { BlobStore } from '@earshot/drivers'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openS3Store } from '../../drivers/src/storage/s3-store.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { type FakeS3, startFakeS3 } from '../support/fake-s3.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { head, type ReservedUpload, reserveUpload, sha256, storedBytes, tusHeaders } from '../support/uploads.ts'

const CUTS = 50
const TIMEOUT_MS = 120_000
const environment = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)

beforeAll(() => void Object.assign(process.env, environment))
afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

describe.for(['directory', 'S3'] as const)('with blobs in %s', (kind) => {
  let s3: FakeS3
  let blobStore: BlobStore
  let services: [TestService, TestService]
  let team: Team
  beforeAll(async () => {
    s3 = await startFakeS3()
    blobStore =
      kind === 'S3'
        ? await openS3Store({ bucket: 'bucket', prefix: '', region: null, forcePathStyle: true, endpoint: s3.endpoint })
        : await openTestBlobStore()
    const first = await startTestService({ services: { blobStore } })
    const { secretBox } = first
    services = [first, await startTestService({ services: { blobStore, secretBox } }, { store: first })]
    team = await makeTeam(first.database)
  })
  afterAll(async () => {
    await services[1].close()
    await services[0].close()
    await blobStore.close()
    await s3[Symbol.asyncDispose]()
  })

  const reserve = (size: number) => reserveUpload(services[0].database, team.project, { size })
  const stored = (upload: ReservedUpload) => storedBytes(services[0].database, blobStore, upload)

  test(
    `a file is whole after ${CUTS} cuts, with replicas that take turns`,
    async () => {
      const file = randomBytes(24_000_000)
      const upload = await reserve(file.length)
      const nextCut = (cuts: number) => (cuts < CUTS ? randomInt(1, 600_000) : null)
      await using proxy = await startCuttingProxy({ targets: services.map(({ url }) => url), nextCut })
      await send(proxy.url, upload, file)
      expect(proxy.cuts()).toBe(CUTS)
      expect(sha256(await stored(upload))).toBe(sha256(file))
      console.log(`${kind}: ${proxy.cuts()} cuts, ${await partsOf(upload)} parts`)
    },
    TIMEOUT_MS,
  )

  test(
    'a request that breaks off never moves the offset beyond what is stored',
    async () => {
      const file = randomBytes(3_000_000)
      const upload = await reserve(file.length)
      for (let round = 0; round < CUTS; round += 1) {
        const service = services[round % 2] as TestService
        const offset = await offsetSeen(service, upload)
        const bytes = await stored(upload)
        expect(bytes.length).toBeGreaterThanOrEqual(offset)
        expect(bytes.equals(file.subarray(0, bytes.length))).toBe(true)
        await sendAndCut(service.url, upload, { file, offset, bytes: randomInt(0, 130_000) })
      }
      expect(await offsetSeen(services[0], upload)).toBeGreaterThan(0)
      await send(services[0].url, upload, file)
      expect(sha256(await stored(upload))).toBe(sha256(file))
    },
    TIMEOUT_MS,
  )

  test('tus-js-client sends a file of unknown length in chunks', async () => {
    const file = randomBytes(5_000_000)
    const { database } = services[0]
    const upload = await reserveUpload(database, team.project, { size: null, maxBytes: 6_000_000 })
    await send(services[1].url, upload, Readable.from(inChunks(file, 60_000)), { uploadLengthDeferred: true, chunkSize: 1_000_000 })
    expect(sha256(await stored(upload))).toBe(sha256(file))
    expect(await database.run('select size_bytes from videos where id = $1', [upload.id])).toEqual([{ size_bytes: file.length }])
  })

  async function partsOf({ id }: ReservedUpload): Promise<number> {
    return (await services[0].database.run('select from video_parts where video_id = $1', [id])).length
  }

  async function offsetSeen({ url }: TestService, upload: ReservedUpload): Promise<number> {
    return Number((await head(url, upload)).headers.get('upload-offset'))
  }
})

/** Sends a file with tus-js-client, which resumes as often as it must. */
function send(url: string, upload: ReservedUpload, file: Buffer | Readable, options: object = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  new Upload(file, {
    uploadUrl: url + upload.path,
    headers: { 'X-Upload-Token': upload.token },
    retryDelays: Array.from({ length: 200 }, () => 10),
    onShouldRetry: () => true,
    onSuccess: () => resolve(),
    onError: reject,
    ...options,
  }).start()
  return promise
}

/** Sends some bytes of a file, and breaks the connection. */
async function sendAndCut(
  url: string,
  upload: ReservedUpload,
  { file, offset, bytes }: { file: Buffer; offset: number; bytes: number },
): Promise<void> {
  const headers = tusHeaders(upload, {
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
    'content-length': String(file.length - offset),
  })
  const sent = Promise.withResolvers<void>()
  const outgoing = request(url + upload.path, { method: 'PATCH', headers }).on('error', () => {})
  outgoing.write(file.subarray(offset, offset + bytes), () => sent.resolve())
  await sent.promise
  outgoing.destroy()
}

function* inChunks(file: Buffer, bytes: number): Generator<Buffer> {
  for (let start = 0; start < file.length; start += bytes) yield file.subarray(start, start + bytes)
}
