import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { BlobSizeError, type BlobStore, BlobStoreError, createBlobStoreHealth, tryBlobStore } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openS3Store } from '../../drivers/src/storage/s3-store.ts'
import { type FakeS3, type Fault, hang, refuse, reset, sendPart, startFakeS3 } from '../support/fake-s3.ts'
import { measureLateness } from '../support/lateness.ts'

/** Long enough for the pauses between three attempts. */
const IMPATIENT = { connectMs: 2_000, requestMs: 5_000, putMs: 5_000, joinMs: 5_000, silenceMs: 300 }
/** For a test that waits for it. */
const VERY_IMPATIENT = { ...IMPATIENT, requestMs: 2_000, putMs: 2_000, joinMs: 2_000 }
const LOCATION = { bucket: 'bucket', prefix: 'earshot/', region: null, forcePathStyle: true }
const SMALL = Buffer.alloc(1_000, 'new')
/** Two parts. */
const LARGE = Buffer.alloc(9_000_000, 'new')
const OLD = Buffer.from('old')
const PUT_SMALL = /^PUT \/bucket\/earshot\/a$/
const PUT_PART = /^PUT .*\?partNumber$/
const JOIN = /^POST .*\?uploadId$/
const LIST_UPLOADS = /^GET \/bucket\/\?/
const DAY_MS = 86_400_000
const SECRETS = /signature|AKIA|5f0c|x-amz|127\.0\.0\.1/i

const environment = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)

beforeAll(() => void Object.assign(process.env, environment))
afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

const failures: [string, Fault, Pick<BlobStoreError, 'code'>['code'], string][] = [
  ['refuses access', refuse(403, 'AccessDenied'), 'forbidden', 'S3 refused {} (403 AccessDenied).'],
  ['does not know the key', refuse(403, 'InvalidAccessKeyId'), 'forbidden', 'S3 refused {} (403 InvalidAccessKeyId).'],
  ['has no such bucket', refuse(404, 'NoSuchBucket'), 'unavailable', 'S3 refused {} (404 NoSuchBucket).'],
  ['is too slow', refuse(503, 'SlowDown'), 'unavailable', 'S3 refused {} (503 SlowDown).'],
  ['fails', refuse(500, 'InternalError'), 'unavailable', 'S3 refused {} (500 InternalError).'],
  ['has no space', refuse(507, 'InsufficientStorage'), 'full', 'S3 refused {} (507 InsufficientStorage).'],
  ['has a quota', refuse(403, 'QuotaExceeded'), 'full', 'S3 refused {} (403 QuotaExceeded).'],
  ['has a full disk', refuse(500, 'XMinioStorageFull'), 'full', 'S3 refused {} (500 XMinioStorageFull).'],
  ['hangs', hang, 'unavailable', 'S3 did not answer {} in'],
  ['resets the connection', reset, 'unavailable', 'S3 cannot be reached for {} ('],
]

/** Each request of the store that can fail. */
const requests: [string, RegExp, (store: BlobStore) => Promise<unknown>][] = [
  ['PutObject', PUT_SMALL, (store) => put(store, SMALL)],
  ['CreateMultipartUpload', /^POST .*\?uploads$/, (store) => put(store, LARGE)],
  ['UploadPart', PUT_PART, (store) => put(store, LARGE)],
  ['CompleteMultipartUpload', JOIN, (store) => put(store, LARGE)],
  ['GetObject', /^GET \/bucket\/earshot\/a$/, (store) => store.get('a')],
  ['DeleteObject', /^DELETE \/bucket\/earshot\/a$/, (store) => store.delete('a')],
  ['ListObjectsV2', /^GET \/bucket\/?\?/, (store) => Array.fromAsync(store.list(''))],
]

describe.concurrent.each(requests)('when S3 fails at %s', (action, pattern, work) => {
  test.each(failures)('because it %s, the error says so, and the old blob is left', async (_what, fault, code, message) => {
    await using s3 = await startFakeS3()
    s3.blobs.set('/bucket/earshot/a', OLD)
    s3.breakRequests(pattern, fault)
    await using store = await open(s3, fault === hang ? VERY_IMPATIENT : IMPATIENT)
    const error = await work(store).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BlobStoreError)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message.replace('{}', action)) })
    expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(SECRETS)
    expect([s3.blobs.get('/bucket/earshot/a'), s3.uploads.size]).toEqual([OLD, 0])
  })
})

describe.concurrent('an S3 store', () => {
  test('puts a blob again when S3 failed once, at any part of it', async () => {
    await using s3 = await startFakeS3()
    for (const pattern of [PUT_SMALL, /POST .*\?uploads$/, PUT_PART, JOIN]) s3.breakRequests(pattern, refuse(503, 'SlowDown'), 1)
    s3.breakRequests(PUT_PART, reset, 1)
    await using store = await open(s3, { ...IMPATIENT, requestMs: 15_000, putMs: 15_000, joinMs: 15_000 })
    await put(store, SMALL)
    expect(s3.blobs.get('/bucket/earshot/a')).toEqual(SMALL)
    await put(store, LARGE)
    expect(s3.blobs.get('/bucket/earshot/a')?.equals(LARGE)).toBe(true)
    expect(s3.uploads.size).toBe(0)
  })

  test('sends nothing of a source with another size', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    await expect(store.put('a', Readable.from([SMALL]), { sizeBytes: SMALL.length + 1 })).rejects.toThrow(BlobSizeError)
    expect(s3.requests).toEqual([])
  })

  test('ends an upload in parts when its caller aborts, even while S3 hangs', async () => {
    await using s3 = await startFakeS3()
    s3.breakRequests(PUT_PART, hang)
    await using store = await open(s3, { ...IMPATIENT, putMs: 60_000 })
    const reason = new Error('The visitor disconnected')
    const aborting = new AbortController()
    setTimeout(() => aborting.abort(reason), 100)
    await expect(store.put('a', Readable.from([LARGE]), { sizeBytes: LARGE.length, signal: aborting.signal })).rejects.toBe(reason)
    expect([s3.blobs.size, s3.uploads.size]).toEqual([0, 0])
  })

  test.each([
    ['breaks off', sendPart('resets'), /^S3 cannot be reached for a read \(/],
    ['stops', sendPart('hangs'), /^S3 sent nothing for 300 ms\.$/],
  ])('fails a read that %s, after the bytes that came', async (_what, fault, message) => {
    await using s3 = await startFakeS3()
    s3.breakRequests(/^GET/, fault)
    await using store = await open(s3)
    const blob = await store.get('a')
    let readBytes = 0
    const reading = (async () => {
      for await (const chunk of blob?.bytes ?? []) readBytes += chunk.length
    })()
    await expect(reading).rejects.toMatchObject({ name: 'BlobStoreError', code: 'unavailable', message: expect.stringMatching(message) })
    expect([readBytes, blob?.sizeBytes]).toEqual([100_000, 1_000_000])
  })

  test('lets a reader take longer than S3 may be silent', async () => {
    await using s3 = await startFakeS3()
    s3.blobs.set('/bucket/earshot/a', LARGE)
    // So long that the fake S3 itself is never silent for that time, also on a busy machine.
    const silenceMs = 2_000
    await using store = await open(s3, { ...IMPATIENT, silenceMs })
    const blob = await store.get('a')
    const chunks = blob?.bytes.iterator()
    const first: Buffer = (await chunks?.next())?.value
    await once(AbortSignal.timeout(2 * silenceMs), 'abort')
    const rest = await Array.fromAsync(chunks ?? [])
    expect(Buffer.concat([first, ...rest]).equals(LARGE)).toBe(true)
  })

  test('survives a connection that breaks before anybody reads', async () => {
    await using s3 = await startFakeS3()
    s3.breakRequests(/^GET/, sendPart('resets'))
    await using store = await open(s3)
    const blob = await store.get('a')
    await once(AbortSignal.timeout(50), 'abort')
    await expect(buffer(blob?.bytes ?? Readable.from([]))).rejects.toMatchObject({ name: 'BlobStoreError' })
  })

  test('puts blobs while a hundred readers wait', async () => {
    await using s3 = await startFakeS3()
    s3.blobs.set('/bucket/earshot/a', LARGE)
    await using store = await open(s3, { ...IMPATIENT, requestMs: 60_000, putMs: 60_000, silenceMs: 60_000 })
    const blobs = await Promise.all(Array.from({ length: 100 }, () => store.get('a')))
    await put(store, SMALL)
    expect(s3.blobs.get('/bucket/earshot/a')).toEqual(SMALL)
    for (const blob of blobs) blob?.bytes.destroy()
  })

  test('signs an address that reads a blob with the headers that are given, without asking S3', async () => {
    await using s3 = await startFakeS3()
    s3.blobs.set('/bucket/earshot/a', SMALL)
    await using store = await open(s3)
    const headers = { type: 'video/mp4', disposition: 'inline; filename="Grüße.mp4"' }
    const address = new URL((await store.sign?.('a', { ...headers, lifeSeconds: 300 })) ?? '')
    expect(s3.requests).toEqual([])
    expect([address.origin, address.pathname]).toEqual([s3.endpoint, '/bucket/earshot/a'])
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      'X-Amz-Expires': '300',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
      'response-content-type': headers.type,
      'response-content-disposition': headers.disposition,
    })
    expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(SMALL)).toBe(true)
  })

  test('is tried with a small blob that is gone afterwards', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    await tryBlobStore(store)
    expect(s3.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE'])
    expect(s3.blobs.size).toBe(0)
    s3.breakRequests(/^GET/, (_request, response) => void response.end('other bytes'))
    await expect(tryBlobStore(store)).rejects.toThrow('The store returns other bytes than it was given.')
    expect(s3.blobs.size).toBe(0)
  })

  test('aborts uploads in parts that nobody has completed for a day', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    const [old, recent] = [DAY_MS + 60_000, DAY_MS - 60_000].map((ageMs) => new Date(Date.now() - ageMs).toISOString())
    for (const id of ['old', 'recent']) s3.uploads.set(id, new Map())
    s3.breakRequests(LIST_UPLOADS, (_request, response) => {
      response.end(`<ListMultipartUploadsResult>
        <Upload><Key>earshot/a</Key><UploadId>old</UploadId><Initiated>${old}</Initiated></Upload>
        <Upload><Key>earshot/b</Key><UploadId>recent</UploadId><Initiated>${recent}</Initiated></Upload>
      </ListMultipartUploadsResult>`)
    })
    await store.removeLeftovers()
    expect([...s3.uploads.keys()]).toEqual(['recent'])
  })

  test('goes without that where the server cannot list them', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    s3.breakRequests(LIST_UPLOADS, refuse(501, 'NotImplemented'))
    await store.removeLeftovers()
  })

  test.each([
    [401, 'forbidden'],
    [403, 'forbidden'],
    [404, 'unavailable'],
    [503, 'unavailable'],
  ])('whose bucket answers %d fails its check', async (status, code) => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    s3.breakRequests(/./, refuse(status, 'ThereIsNoBodyForHead'))
    await expect(store.check()).rejects.toMatchObject({ code, message: expect.stringContaining(`S3 refused HeadBucket (${status}`) })
  })
})

describe('the health of a store', () => {
  test('is checked once for probes that come together, and the reason is reported', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3)
    s3.breakRequests(/^HEAD/, refuse(403, 'AccessDenied'))
    const reasons: unknown[] = []
    const isHealthy = createBlobStoreHealth(store, { onFailure: (error) => void reasons.push(error) })
    expect(await Promise.all([isHealthy(), isHealthy(), isHealthy()])).toEqual([false, false, false])
    expect(s3.requests).toEqual(['HEAD /bucket/'])
    expect(reasons).toEqual([expect.objectContaining({ code: 'forbidden' })])
  })

  test('is known soon, even if the store hangs', async () => {
    await using s3 = await startFakeS3()
    await using store = await open(s3, { ...IMPATIENT, requestMs: 60_000 })
    s3.breakRequests(/^HEAD/, hang)
    using late = measureLateness()
    const startMs = performance.now()
    expect(await createBlobStoreHealth(store, { onFailure: () => {} })()).toBe(false)
    expect(performance.now() - startMs).toBeLessThan(4_000 + 1_000 * late.seconds())
  })
})

async function open({ endpoint }: FakeS3, timeouts = IMPATIENT): Promise<BlobStore & AsyncDisposable> {
  const store = await openS3Store({ ...LOCATION, endpoint }, timeouts)
  return { ...store, [Symbol.asyncDispose]: store.close }
}

function put(store: BlobStore, bytes: Buffer): Promise<void> {
  return store.put('a', Readable.from([bytes]), { sizeBytes: bytes.length })
}
