import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { S3 } from '@aws-sdk/client-s3'
import { type BlobStore, openBlobStore, readStorageUrl } from '@earshot/drivers'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type ReservedUpload, reserveUpload, sha256, storedBytes } from '../support/uploads.ts'

const CUTS = 100
const TIMEOUT_MS = 300_000
const PROGRAM = fileURLToPath(new URL('upload.py', import.meta.url))
const { S3_STORE_URL: address = '', PYTHON: python = 'python3' } = process.env

describe.for(['directory', 'S3'] as const)('uploads with blobs in %s', (kind) => {
  let blobStore: BlobStore
  let services: [TestService, TestService]
  let team: Team
  let folder: string
  beforeAll(async () => {
    blobStore = kind === 'S3' ? await openBucket() : await openTestBlobStore()
    const first = await startTestService({ services: { blobStore } })
    const { secretBox } = first
    services = [first, await startTestService({ services: { blobStore, secretBox } }, { store: first })]
    team = await makeTeam(first.database)
    folder = await mkdtemp(join(tmpdir(), 'earshot-upload-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await services[1].close()
    await services[0].close()
    await blobStore.close()
  })

  const stored = (upload: ReservedUpload) => storedBytes(services[0].database, blobStore, upload)

  test('tus-py-client uploads with checksums, and goes on where it stopped', { timeout: TIMEOUT_MS }, async () => {
    const file = randomBytes(11_000_001)
    const path = join(folder, 'clip.webm')
    await writeFile(path, file)
    const upload = await reserveUpload(services[0].database, team.project, { size: file.length })
    await promisify(execFile)(python, [PROGRAM, services[0].url + upload.path, upload.token, path, '1500000'])
    expect(sha256(await stored(upload))).toBe(sha256(file))
  })

  test(`tus-js-client resumes after ${CUTS} cuts, with replicas that take turns`, { timeout: TIMEOUT_MS }, async () => {
    const file = randomBytes(40_000_000)
    const upload = await reserveUpload(services[0].database, team.project, { size: file.length })
    const nextCut = (cuts: number) => (cuts < CUTS ? randomInt(1, 500_000) : null)
    await using proxy = await startCuttingProxy({ targets: services.map(({ url }) => url), nextCut })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    new Upload(file, {
      uploadUrl: proxy.url + upload.path,
      headers: { 'X-Upload-Token': upload.token },
      retryDelays: Array.from({ length: 1_000 }, () => 10),
      onShouldRetry: () => true,
      onSuccess: () => resolve(),
      onError: reject,
    }).start()
    await promise
    expect(proxy.cuts()).toBe(CUTS)
    expect(sha256(await stored(upload))).toBe(sha256(file))
  })
})

/** The bucket of the server that the run has started. */
async function openBucket(): Promise<BlobStore> {
  const location = new URL(address)
  const client = new S3({ endpoint: location.searchParams.get('endpoint') ?? '', region: 'us-east-1', forcePathStyle: true })
  await client.createBucket({ Bucket: `${location.hostname}-uploads` })
  client.destroy()
  return openBlobStore(readStorageUrl(address.replace(location.hostname, `${location.hostname}-uploads`)))
}
