import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type BlobStore, BlobStoreError } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { head, offsetOf, patch, reserveUpload, sha256, storedBytes } from '../support/uploads.ts'

/** Instead of 16 MiB. */
const PART = 256 * 1_024
const FILE = randomBytes(2 * PART + 100)
const PARTS = [0, 1, 2]

/** The part whose put fails; null for none. */
let failing: { index: number; error: BlobStoreError; isStored: boolean } | null = null
let store: BlobStore
let service: TestService
let team: Team
beforeAll(async () => {
  store = await openTestBlobStore()
  const put: BlobStore['put'] = async (key, source, options) => {
    const { index, bytes } = await placeOf(source)
    const fault = failing?.index === index ? failing : null
    if (!fault || fault.isStored) await store.put(key, bytes, options)
    // A disk is full in the middle of a blob.
    else if (fault.error.code === 'full') for await (const _ of bytes) break
    if (fault) throw fault.error
  }
  service = await startTestService({ services: { blobStore: { ...store, put, partBytes: PART } } })
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await service.close()
  await store.close()
})

const reserve = () => reserveUpload(service.database, team.project, { size: FILE.length })

function breakPut(index: number, code: BlobStoreError['code'], isStored = false): void {
  failing = { index, error: new BlobStoreError(code, 'The bucket secret-name said no.'), isStored }
}

describe.for(PARTS)('the store fails at part %i', (index) => {
  test.for([
    ['full', false],
    ['forbidden', false],
    ['unavailable', false],
    ['unavailable', true],
  ] as const)('as it is %s (stored: %s): 503, and the upload resumes where it was', async ([code, isStored]) => {
    const upload = await reserve()
    breakPut(index, code, isStored)
    const refused = await patch({ url: service.url, upload }, 0, FILE)
    failing = null
    const body = await refused.json()
    expect([refused.status, body]).toEqual([503, expect.objectContaining({ code: 'dependency_unavailable' })])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toContain('secret-name')
    const offset = Number((await head(service.url, upload)).headers.get('upload-offset'))
    expect(offset).toBe(index * PART)
    expect((await storedBytes(service.database, store, upload)).equals(FILE.subarray(0, offset))).toBe(true)
    expect((await patch({ url: service.url, upload }, offset, FILE.subarray(offset))).status).toBe(204)
    expect(sha256(await storedBytes(service.database, store, upload))).toBe(sha256(FILE))
  })

  test('with a checksum none of the parts counts', async () => {
    const upload = await reserve()
    const checksum = { 'upload-checksum': `sha256 ${Buffer.from(sha256(FILE), 'hex').toString('base64')}` }
    breakPut(index, 'unavailable')
    expect((await patch({ url: service.url, upload }, 0, FILE, checksum)).status).toBe(503)
    failing = null
    expect(await offsetOf(service.database, upload.ref)).toBe(0)
    expect((await patch({ url: service.url, upload }, 0, FILE, checksum)).status).toBe(204)
    expect(sha256(await storedBytes(service.database, store, upload))).toBe(sha256(FILE))
  })
})

test('what was stored and does not count is due for deletion', async () => {
  const upload = await reserve()
  breakPut(1, 'unavailable', true)
  await patch({ url: service.url, upload }, 0, FILE)
  failing = null
  const { database } = service
  const due = await database.run<{ key: string }>('select key from unused_blobs where key like $1 and delete_at <= now()', [
    `%${upload.id}%`,
  ])
  const parts = await database.run<{ key: string }>('select key from video_parts where video_id = $1', [upload.id])
  const uncounted = new Set(await Array.fromAsync(store.list(`uploads/${team.id}/${upload.id}/`))).difference(keysOf(parts))
  expect(uncounted.size).toBe(1)
  expect(uncounted.isSubsetOf(keysOf(due))).toBe(true)
})

/** Finds which part of the file the bytes are: the put of one may begin before that of the one before it. */
async function placeOf(source: AsyncIterable<Uint8Array>): Promise<{ index: number; bytes: Readable }> {
  const chunks = source[Symbol.asyncIterator]()
  const { value: first } = await chunks.next()
  const whole = async function* () {
    yield first
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { index: FILE.indexOf(first.subarray(0, 32)) / PART, bytes: Readable.from(whole(), { objectMode: false }) }
}

function keysOf(rows: { key: string }[]): Set<string> {
  return new Set(rows.map(({ key }) => key))
}
