import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { BlobSizeError, type BlobStore, tryBlobStore } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { abortedAtEnd, chunksOf, generate, newKey, put, read, sha256 } from './blob-sources.ts'

const LARGE_BYTES = 300_000_000
/** A store that held the large blob would take more. */
const LARGE_MEMORY_BYTES = 150_000_000
/** More than S3 lists in one page. */
const MANY = 1_003
const LARGE_TIMEOUT_MS = 120_000
const REFUSED = ['', '/a', 'a/', 'a//b', '../a', 'a/..', 'a/../b', 'a/./b', 'a/.b', '.tmp/a', 'A', 'a b', 'a\\b', 'a\0', 'ä']

/** Registers the tests that every store passes. `open` is called once. */
export function testBlobStore(name: string, open: () => Promise<BlobStore & AsyncDisposable>): void {
  describe(`every blob store: ${name}`, () => {
    let store: BlobStore & AsyncDisposable
    beforeAll(async () => {
      store = await open()
    })
    afterAll(async () => {
      await store.close()
      await store[Symbol.asyncDispose]()
    })
    testRoundTrips(() => store)
    testRanges(() => store)
    testSources(() => store)
    testConcurrency(() => store)
    testKeys(() => store)
    testMemory(() => store)
    testSignedAddresses(() => store)
  })
}

/** For stores that clients can reach. */
function testSignedAddresses(store: () => BlobStore): void {
  test('a signed address reads the blob, whole and in part, with its headers; an altered one does not', async () => {
    const { sign } = store()
    if (!sign) return
    const key = newKey()
    const bytes = randomBytes(1_000)
    await put(store(), key, bytes)
    const options = { type: 'video/mp4', disposition: "inline; filename*=UTF-8''Gr%C3%BC%C3%9Fe.mp4", lifeSeconds: 60 }
    const address = await sign(key, options)
    const whole = await fetch(address)
    const headers = ['content-type', 'content-disposition'].map((name) => whole.headers.get(name))
    expect([whole.status, ...headers]).toEqual([200, options.type, options.disposition])
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(address, { headers: { range: 'bytes=990-' } })
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(990))]).toEqual([206, true])
    const other = await sign(newKey(), options)
    const altered = new URL(address)
    altered.searchParams.set('X-Amz-Signature', new URL(other).searchParams.get('X-Amz-Signature') ?? '')
    expect((await fetch(altered)).status).toBe(403)
    expect((await fetch(other)).status).toBe(404)
  })
}

function testRoundTrips(store: () => BlobStore): void {
  test.each([0, 1, 1_000, 5_000_000, 8_388_608, 20_000_001])('a blob of %d bytes comes back as it was', async (sizeBytes) => {
    const key = newKey()
    const bytes = randomBytes(sizeBytes)
    await put(store(), key, bytes)
    expect(await store().size(key)).toBe(sizeBytes)
    expect(await read(store(), key)).toEqual({ sizeBytes, sha256: sha256(bytes) })
  })

  test.each([0, 5_000_000, 8_388_608, 20_000_001])('a blob whose length is not said comes back: %d bytes', async (sizeBytes) => {
    for (const maxBytes of [sizeBytes, 2 * sizeBytes + 10_000_000]) {
      const key = newKey()
      const bytes = randomBytes(sizeBytes)
      await store().put(key, chunksOf(bytes), { maxBytes })
      expect(await read(store(), key)).toEqual({ sizeBytes, sha256: sha256(bytes) })
    }
  })

  test('chunks of any size make one blob', async () => {
    const key = newKey()
    const bytes = randomBytes(10_000)
    await store().put(key, chunksOf(bytes, { chunkBytes: 7 }), { sizeBytes: bytes.length })
    expect(await read(store(), key)).toEqual({ sizeBytes: bytes.length, sha256: sha256(bytes) })
  })

  test('a missing key is null', async () => {
    expect([await store().get(newKey()), await store().size(newKey()), await store().get(newKey(), { start: 5 })]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('a deleted blob is gone, and deleting it again does nothing', async () => {
    const key = newKey()
    await put(store(), key, randomBytes(10))
    await store().delete(key)
    await store().delete(key)
    await store().delete(newKey())
    expect([await store().get(key), await store().size(key), await all(store().list(key))]).toEqual([null, null, []])
  })

  test('it can be checked', async () => {
    await store().check()
    await tryBlobStore(store())
    expect(await all(store().list('probes/'))).toEqual([])
  })
}

function testRanges(store: () => BlobStore): void {
  const bytes = randomBytes(200_000)
  const key = newKey()
  const empty = newKey()
  beforeAll(async () => {
    await put(store(), key, bytes)
    await put(store(), empty, Buffer.alloc(0))
  })

  test.each([
    ['the start', 0, 10],
    ['one byte', 99_999, 100_000],
    ['the middle', 65_000, 140_000],
    ['the rest', 150_000, undefined],
    ['the last byte', 199_999, undefined],
    ['more than there is', 199_990, 300_000],
    ['nothing', 100, 100],
    ['nothing at the end', 200_000, undefined],
    ['nothing beyond the end', 500_000, 600_000],
  ])('a range reads %s', async (_what, start, end) => {
    const blob = await store().get(key, end === undefined ? { start } : { start, end })
    expect(blob?.sizeBytes).toBe(bytes.length)
    expect(blob && (await buffer(blob.bytes))).toEqual(bytes.subarray(start, end))
  })

  test('any range of an empty blob is empty', async () => {
    const blob = await store().get(empty, { start: 0, end: 10 })
    expect(blob && [blob.sizeBytes, await buffer(blob.bytes)]).toEqual([0, Buffer.alloc(0)])
  })

  test('a stream can be destroyed unread, half read, and by its signal', async () => {
    const large = newKey()
    await put(store(), large, randomBytes(5_000_000))
    const unread = await store().get(large)
    unread?.bytes.destroy()
    const halfRead = await store().get(large)
    for await (const _chunk of halfRead?.bytes ?? []) break
    const aborting = new AbortController()
    const aborted = await store().get(large, { signal: aborting.signal })
    const failed = aborted && once(aborted.bytes, 'error')
    aborting.abort()
    expect((await failed)?.[0]).toMatchObject({ name: 'AbortError' })
    expect(await read(store(), large)).toMatchObject({ sizeBytes: 5_000_000 })
  })
}

function testSources(store: () => BlobStore): void {
  const thrown = Object.assign(new Error('The visitor disconnected'), { code: 'ECONNRESET' })
  const bytes = randomBytes(20_000_000)
  const short = bytes.subarray(0, 1_000)

  /** What goes wrong with a source, for a blob of one request and of several. */
  const failures: [string, (content: Buffer) => { source: AsyncIterable<Uint8Array> } & Parameters<BlobStore['put']>[2], object][] = [
    ['is short by a byte', (content) => ({ source: chunksOf(content), sizeBytes: content.length + 1 }), BlobSizeError],
    ['is long by a byte', (content) => ({ source: chunksOf(content), sizeBytes: content.length - 1 }), BlobSizeError],
    ['is longer than it may be', (content) => ({ source: chunksOf(content), maxBytes: content.length - 1 }), BlobSizeError],
    ['is empty', (content) => ({ source: chunksOf(Buffer.alloc(0)), sizeBytes: content.length }), BlobSizeError],
    [
      'throws at its end',
      (content) => ({ source: chunksOf(content, { onEnd: () => Promise.reject(thrown) }), sizeBytes: content.length }),
      thrown,
    ],
    [
      'is aborted while it hangs',
      (content) => ({ ...abortedAtEnd(content), sizeBytes: content.length + 1 }),
      new Error('No longer wanted'),
    ],
    [
      'was aborted before',
      (content) => ({ source: chunksOf(content), sizeBytes: content.length, signal: AbortSignal.abort(thrown) }),
      thrown,
    ],
  ]

  describe.each([short, bytes].map((content) => [content.length, content] as const))('with %d bytes', (_size, content) => {
    test.each(failures)('a source that %s leaves nothing, or the old blob', async (_what, make, error) => {
      const [fresh, replaced] = [newKey(), newKey()]
      const old = randomBytes(3_000)
      await put(store(), replaced, old)
      for (const key of [fresh, replaced]) {
        const { source, ...options } = make(content)
        await expect(store().put(key, source, options)).rejects.toThrow(error as Error)
      }
      expect([await store().get(fresh), await all(store().list(fresh))]).toEqual([null, []])
      expect(await read(store(), replaced)).toEqual({ sizeBytes: old.length, sha256: sha256(old) })
    })
  })
}

function testConcurrency(store: () => BlobStore): void {
  test('a reader of a blob that is replaced reads the old one to its end', async () => {
    const key = newKey()
    const [old, next] = [randomBytes(5_000_000), randomBytes(4_000_000)]
    await put(store(), key, old)
    const reading = await store().get(key)
    const chunks = reading?.bytes.iterator()
    const first: Uint8Array = (await chunks?.next())?.value
    await put(store(), key, next)
    const rest = await all(chunks ?? [])
    expect(sha256(Buffer.concat([first, ...rest]))).toBe(sha256(old))
    expect(await read(store(), key)).toEqual({ sizeBytes: next.length, sha256: sha256(next) })
  })

  test.each([2_000_000, 20_000_000])('of several puts of %d bytes to one key, one wins whole', async (sizeBytes) => {
    const key = newKey()
    const rivals = Array.from({ length: 4 }, () => randomBytes(sizeBytes))
    await Promise.all(rivals.map((bytes) => put(store(), key, bytes)))
    const found = await read(store(), key)
    expect(rivals.map(sha256)).toContain(found?.sha256)
  })

  test('a reader sees nothing of a blob that is being put', async () => {
    const key = newKey()
    const bytes = randomBytes(20_000_000)
    const seen: unknown[] = []
    await store().put(key, chunksOf(bytes, { onEnd: async () => void seen.push(await store().get(key), await all(store().list(key))) }), {
      sizeBytes: bytes.length,
    })
    expect(seen).toEqual([null, []])
    expect(await read(store(), key)).toEqual({ sizeBytes: bytes.length, sha256: sha256(bytes) })
  })
}

function testKeys(store: () => BlobStore): void {
  test.each(REFUSED)('the key %j is refused', async (key) => {
    const attempts = [() => put(store(), key, Buffer.alloc(1)), () => store().get(key), () => store().size(key), () => store().delete(key)]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(TypeError)
  })

  test('a key that is too long is refused', async () => {
    for (const key of [`a/${'b'.repeat(256)}`, `${'a/'.repeat(256)}b`]) {
      await expect(put(store(), key, Buffer.alloc(1))).rejects.toThrow(TypeError)
    }
  })

  test('keys are listed by prefix, more than fit on a page', { timeout: LARGE_TIMEOUT_MS }, async () => {
    const folder = newKey()
    const keys = Array.from({ length: MANY }, (_, index) => `${folder}/${index % 7}/part-${index}.bin`)
    for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map((key) => put(store(), key, Buffer.of(1))))
    expect((await all(store().list(`${folder}/`))).sort()).toEqual(keys.sort())
    expect((await all(store().list(`${folder}/3/`))).sort()).toEqual(keys.filter((key) => key.startsWith(`${folder}/3/`)).sort())
    expect((await all(store().list(`${folder}/3/part-10`))).sort()).toEqual(
      [10, 101, 108].map((index) => `${folder}/3/part-${index}.bin`).sort(),
    )
    expect(await all(store().list(`${folder}/nothing`))).toEqual([])
    await expect(all(store().list(''))).resolves.toContain(keys[0])
  })
}

function testMemory(store: () => BlobStore): void {
  test(`a blob of ${LARGE_BYTES} bytes takes little memory`, { timeout: LARGE_TIMEOUT_MS }, async () => {
    const key = newKey()
    const before = process.memoryUsage.rss()
    let most = before
    const look = () => {
      most = Math.max(most, process.memoryUsage.rss())
    }
    await store().put(key, generate(LARGE_BYTES, look), { sizeBytes: LARGE_BYTES })
    const blob = await store().get(key)
    let readBytes = 0
    for await (const chunk of blob?.bytes ?? []) {
      readBytes += chunk.length
      look()
    }
    await store().delete(key)
    expect(readBytes).toBe(LARGE_BYTES)
    expect(most - before).toBeLessThan(LARGE_MEMORY_BYTES)
  })
}

async function all<Item>(items: AsyncIterable<Item> | Iterable<Item>): Promise<Item[]> {
  return Array.fromAsync(items)
}
