import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { requestHead, sendRaw } from '../support/raw-http.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** The first load of the dashboard: its document, style and scripts, compressed. */
const MAX_FIRST_LOAD_BYTES = 180 * 1024

let service: TestService
let cookie: string
beforeAll(async () => {
  service = await startTestService()
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  cookie = browser.cookie()
})
afterAll(() => service.close())

const open = (path: string) => service.send('GET', path, { headers: { cookie } })
/** `fetch` decompresses by itself. */
async function openRaw(address: string, encoding: string) {
  const [response] = await once(request(address, { headers: { 'accept-encoding': encoding } }).end(), 'response')
  const { headers } = response as IncomingMessage // The event has it alone.
  return { headers, bytes: await buffer(response) }
}

const assetsOf = (page: string) => [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address = '']) => address)

test('every address of the dashboard is a document with the same script, for people who are signed in', async () => {
  const addresses = ['/app', '/app/', '/app/acme/website/inbox?item=1', '/app/acme/-/webhooks/', '/app/acme/website/nothing']
  const scripts = await Promise.all(addresses.map(async (address) => /<script type="module"[^>]*>/.exec((await open(address)).body)?.[0]))
  expect(new Set(scripts).size).toBe(1)
  expect(scripts[0]).toMatch(/^<script type="module" src="\/assets\/main-/)
  const { status, headers } = await service.send('GET', '/app/acme/website/inbox?q=a')
  expect([status, headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Fapp%2Facme%2Fwebsite%2Finbox%3Fq%3Da'])
})

test('a document names the files of its page, and of no other', async () => {
  const namesAt = async (path: string) =>
    assetsOf((await open(path)).body).map((address) => address.replace(/^.assets.|-[\w-]{8}\.\w+$/g, ''))
  const shared = await namesAt('/app/acme/website/nothing')
  expect(shared).toEqual(expect.arrayContaining(['main', 'packages', 'shell']))
  const others = async (path: string) => new Set((await namesAt(path)).filter((name) => !shared.includes(name)))
  expect(await others('/app/')).toEqual(new Set(['inbox']))
  expect(await others('/app/acme/website/inbox?item=1')).toEqual(new Set(['inbox']))
  expect(await others('/app/acme/-/members')).toContain('members-page')
  expect(await others('/app/acme/website/widgets/01a2197f-7310-7685-a806-9136155296a3')).toContain('editor')
})

test('the document is kept nowhere, cannot be framed, and loads scripts and styles of this service alone', async () => {
  const { headers } = await open('/app/')
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(headers.get('etag')).toBeNull()
  expect(headers.get('x-frame-options')).toBe('DENY')
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for 'script'"]),
  )
})

test('other sites cannot read the document', async () => {
  const { headers } = await service.send('GET', '/app/', { headers: { cookie, origin: 'https://evil.example' } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

test('assets are compressed once, named by their content and kept for ever', async () => {
  const script = /<script type="module" src="([^"]+)"/.exec((await open('/app/')).body)?.[1] ?? ''
  const plain = await fetch(service.url + script, { headers: { 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await plain.arrayBuffer())
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-type')).toMatch(/^(text|application)\/javascript/)
  expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
  const packed = await openRaw(service.url + script, 'br')
  expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: expect.stringContaining('accept-encoding') })
  expect(brotliDecompressSync(packed.bytes).equals(bytes)).toBe(true)
})

test('documents have the colours that were chosen before any script runs, and pages of the account, too', async () => {
  for (const [path, session] of [
    ['/app/', cookie],
    ['/accounts/profile/', cookie],
    ['/accounts/sign-in/', ''],
  ] as const) {
    const rootOf = async (theme: string) =>
      /<html[^>]*>/.exec((await service.send('GET', path, { headers: { cookie: `${session}; earshot_theme=${theme}` } })).body)?.[0]
    expect(await rootOf('dark'), path).toBe('<html lang="en" data-theme="dark">')
    expect(await rootOf('light'), path).toBe('<html lang="en" data-theme="light">')
    expect(await rootOf('"><b>'), path).toBe('<html lang="en">')
  }
})

test('only what a build made is an asset', async () => {
  for (const name of ['build.json', 'dashboard.json', 'main-AAAAAAAA.js', '../package.json', '..%2fpackage.json', ''])
    expect((await service.send('GET', `/assets/${name}`)).status, name).toBe(404)
  // As they are: `fetch` resolves dots.
  for (const name of ['%2e%2e/main-AAAAAAAA.js', 'x/../main-AAAAAAAA.js'])
    expect(await sendRaw(service.url, [requestHead(`GET /assets/${name}`)]), name).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
})

test('the first load stays within its budget', async () => {
  const page = await open('/app/')
  const sizes = await Promise.all(
    assetsOf(page.body).map(async (address) => {
      const { headers } = await fetch(service.url + address, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
      return Number(headers.get('content-length'))
    }),
  )
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.every((size) => size > 0)).toBe(true)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES)
})

test('without a build the pages are 503 for a moment, and the API responds', async () => {
  const empty = await startTestService(
    { webFolder: mkdtempSync(join(tmpdir(), 'earshot-web-')), services: { secretBox: service.secretBox } },
    { store: service },
  )
  const page = await empty.send('GET', '/app/', { headers: { cookie } })
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await empty.send('GET', '/healthz')).status).toBe(200)
  await empty.close()
})
