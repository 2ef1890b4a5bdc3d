import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { isBuilt, webFolder } from '@earshot/web/build'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/test-service.ts'

/** What a website loads for all elements. */
const MAX_GZIP_BYTES = 8 * 1_024

let service: TestService
beforeAll(async () => {
  if (!isBuilt()) await promisify(execFile)(process.execPath, [join(webFolder, 'build.ts')])
  service = await startTestService()
})
afterAll(() => service.close())

test('the script is served to every site, to be kept for minutes', async () => {
  const { status, headers } = await get({})
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    'content-type': 'text/javascript; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('set-cookie')
})

test('each client gets the smallest encoding that it accepts, of the same script, with a tag of its own', async () => {
  const plain = await get({})
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(plain.body.toString()).toContain('earshot-wall')
  const cases = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
  ] as const
  const tags = [plain.headers.etag]
  for (const [accepted, encoding, decompress] of cases) {
    const { headers, body } = await get({ 'accept-encoding': accepted })
    expect([accepted, headers['content-encoding']]).toEqual([accepted, encoding])
    expect(decompress(body).equals(plain.body)).toBe(true)
    tags.push(headers.etag)
  }
  expect(new Set(tags).size).toBe(3)
  for (const accepted of ['identity', 'br;q=0', 'br;q=0.0, gzip;q=0.000', 'brotli'])
    expect([accepted, (await get({ 'accept-encoding': accepted })).headers['content-encoding']]).toEqual([accepted, undefined])
})

test('a client that has the script gets 304, with the headers that a cache needs', async () => {
  const { headers } = await get({ 'accept-encoding': 'gzip' })
  const known = await get({ 'accept-encoding': 'gzip', 'if-none-match': `"other", ${headers.etag}` })
  expect([known.status, known.body.length]).toEqual([304, 0])
  expect(known.headers).toMatchObject({ etag: headers.etag, vary: 'accept-encoding', 'cache-control': headers['cache-control'] })
  expect((await get({ 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' })).status).toBe(200)
})

test('the script stays small, and holds nothing that a strict policy of a site blocks', async () => {
  const { body } = await get({ 'accept-encoding': 'gzip' })
  expect(body.length).toBeLessThanOrEqual(MAX_GZIP_BYTES)
  const script = gunzipSync(body).toString()
  expect(script).not.toMatch(
    /innerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|document\.cookie|localStorage|sessionStorage|["`(]data:/,
  )
  expect(script).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
})

test('while there is no build, sites are told when to come back', async () => {
  const webFolder = await mkdtemp(join(tmpdir(), 'earshot-web-'))
  const unbuilt = await startTestService({ webFolder })
  try {
    const { status, headers } = await unbuilt.send('GET', '/embed.js', { headers: { origin: 'https://site.example' } })
    expect([status, headers.get('retry-after'), headers.get('access-control-allow-origin')]).toEqual([503, '5', '*'])
  } finally {
    await unbuilt.close()
    await rm(webFolder, { recursive: true })
  }
})

/** Requests the script as it is sent: no client decompresses it on the way. */
async function get(headers: Record<string, string>) {
  const sent = request(`${service.url}/embed.js`, { headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}
