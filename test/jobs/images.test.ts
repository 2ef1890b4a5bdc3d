import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { claimImage, failImage, finishImage } from '@earshot/db'
import { createOwnAddresses } from '@earshot/drivers'
import type { Worker } from '@earshot/jobs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { drawPng, file, redirect, startImageSite } from '../support/image-site.ts'
import { decide, factsOf, publish, shownAvatar, startImageWorker, untilSettled } from '../support/images.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { here } from '../support/videos.ts'

const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
const GENEROUS = { timeout: 120_000 }
const MEGABYTE = 1_000_000
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("https://evil.example/")</script></svg>'

let service: TestService
let team: Team
let worker: Worker | null
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterEach(async () => {
  await worker?.stop({ timeoutMs: 5_000 })
  worker = null
})
afterAll(() => service.close())

test(
  'a picture is copied once its submission is public, small and without metadata, and shown from this service alone',
  GENEROUS,
  async () => {
    await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(600, 400)) })
    worker = await startImageWorker(service)
    const owner_id = await publish(service, team, `${site.url}/ada.png`)
    expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'ready', width: 256, height: 256 })

    const address = await shownAvatar(service, team)
    expect(address).toMatch(new RegExp(`^http://localhost:8000/media/v1/images/${team.id}/${owner_id}/[0-9a-f]{32}\\.webp$`))
    const response = await fetch(here(service, address ?? null))
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=86400, immutable',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(bytes.toString('latin1', 8, 12)).toBe('WEBP')
    expect(bytes.toString('latin1')).not.toContain('taken at')

    // The team still reads what it gave.
    const { results } = await service.client(team.token).submissions.list({ ...team.project })
    expect(results[0]?.author.avatar_url).toBe(`${site.url}/ada.png`)
    expect(site.requests).toMatchObject([{ path: '/ada.png', headers: { 'user-agent': 'Earshot-Images/1.2.3' } }])
    expect(site.requests[0]?.headers).not.toHaveProperty('referer')
    expect(site.requests[0]?.headers).not.toHaveProperty('cookie')
  },
)

test('nothing is asked for a picture before its submission is public, and nothing is kept once it is not any more', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(20, 20)) })
  worker = await startImageWorker(service)
  const client = service.client(team.token)
  const author = { name: 'Ada', avatar_url: `${site.url}/ada.png` }
  const { id } = await client.submissions.create({ ...team.project, kind: 'text', body: 'No consent.', author })
  await decide(service, team, id, { action: 'approve' })
  const shown = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, shown)
  expect(site.requests).toHaveLength(1)
  expect(await factsOf(service, id)).toBeUndefined()

  const address = here(service, (await shownAvatar(service, team)) ?? null)
  expect((await fetch(address)).status).toBe(200)
  await decide(service, team, shown, { action: 'reject', expected_state: 'approved' })
  expect(await factsOf(service, shown)).toBeUndefined()
  expect((await fetch(address)).status).toBe(404)
  expect((await fetch(address.replace(/\/[^/]*$/, ''))).status).toBe(404)
})

test('an image of 50 MB is cut off, also when its length is not announced', GENEROUS, async () => {
  const flood = (head: Record<string, string | number>) =>
    function answer(_request: unknown, response: import('node:http').ServerResponse) {
      response.writeHead(200, { 'content-type': 'image/png', ...head })
      response.write(drawPng(10, 10))
      let left = 50
      const more = () => {
        while (left-- > 0) if (!response.write(Buffer.alloc(MEGABYTE))) return void response.once('drain', more)
        response.end()
      }
      more()
    }
  await using site = await startImageSite({ '/announced': flood({ 'content-length': 50 * MEGABYTE }), '/silent': flood({}) })
  worker = await startImageWorker(service)
  const announced = await publish(service, team, `${site.url}/announced`)
  expect(await untilSettled(service, announced)).toMatchObject({ state: 'failed', error_code: 'too_large', attempts: 1 })
  const silent = await publish(service, team, `${site.url}/silent`)
  expect(await untilSettled(service, silent)).toMatchObject({ state: 'failed', error_code: 'too_large', attempts: 1 })
  await until('both connections are closed', () => site.sentBytes() > 5 * MEGABYTE)
  // What is on its way in the buffers of both ends comes on top.
  expect(site.sentBytes()).toBeLessThan(25 * MEGABYTE)
  expect(await shownAvatar(service, team)).toBeNull()
})

test.for([
  ['another port of this machine', (url: string) => url.replace('127.0.0.1', 'localhost')],
  ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
  ['an address inside the network', () => 'http://10.0.0.1/logo.png'],
  ['another scheme', () => 'file:///etc/passwd'],
  ['a user and a password', (url: string) => url.replace('http://', 'http://user:secret@')],
] as const)('a redirect to %s is refused', GENEROUS, async ([, target]) => {
  await using inner = await startImageSite({ '/': file('image/png', drawPng(10, 10)) })
  // The site itself is in a network that is allowed by name of its address.
  await using site = await startImageSite({ '/ada.png': (request, response) => redirect(target(inner.url))(request, response) })
  const { port } = new URL(inner.url)
  worker = await startImageWorker(service, { ownAddresses: createOwnAddresses([{ host: '127.0.0.1', port: Number(port) }]) })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'failed', error_code: 'blocked_address', attempts: 1 })
  expect(inner.requests).toEqual([])
})

test('without the local trial this machine is out of reach', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  worker = await startImageWorker(service, { localTrial: false })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'failed', error_code: 'blocked_address' })
  expect(site.requests).toEqual([])
})

test('a name is looked up once for each connection, so another answer to a second look-up changes nothing', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  const answers = ['127.0.0.1', '10.0.0.1']
  worker = await startImageWorker(service, {
    resolve: async () => [{ address: answers.shift() ?? '10.0.0.1', family: 4 }],
  })
  const owner_id = await publish(service, team, `${site.url.replace('127.0.0.1', 'rebinding.example')}/ada.png`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'ready' })
  expect(answers).toEqual(['10.0.0.1'])
})

test.for([
  ['an SVG with a script', 'unsupported_format', file('image/svg+xml', SVG)],
  ['a page that says it is a PNG', 'unsupported_format', file('image/png', '<!doctype html><script>alert(1)</script>')],
  ['nothing', 'unsupported_format', file('image/png', '')],
  ['the beginning of a PNG', 'damaged', file('image/png', drawPng(100, 100).subarray(0, 60))],
  [
    'a PNG of 90,000 × 90,000 pixels in 200 bytes',
    'damaged',
    file('image/png', drawPng(4, 4, { claims: { width: 90_000, height: 90_000 } })),
  ],
  ['an error', 'not_found', (_: unknown, response: import('node:http').ServerResponse) => void response.writeHead(403).end('no')],
] as const)('%s is refused as %s', GENEROUS, async ([, code, page]) => {
  await using site = await startImageSite({ '/ada': page })
  worker = await startImageWorker(service)
  const owner_id = await publish(service, team, `${site.url}/ada`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'failed', error_code: code, attempts: 1 })
})

test('the type is what the bytes are, whatever the site says of them', GENEROUS, async () => {
  const gif = readFileSync(new URL('../fixtures/images/two.gif', import.meta.url))
  await using site = await startImageSite({ '/ada.html': file('text/html', gif) })
  worker = await startImageWorker(service)
  const owner_id = await publish(service, team, `${site.url}/ada.html`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'ready', width: 32, height: 32 })
})

test('three redirects are followed, a fourth is not', GENEROUS, async () => {
  await using site = await startImageSite({
    '/4': redirect('/3'),
    '/3': redirect('/2'),
    '/2': redirect('/1'),
    '/1': redirect('/ada.png'),
    '/ada.png': file('image/png', drawPng(10, 10)),
  })
  worker = await startImageWorker(service)
  const near = await publish(service, team, `${site.url}/3`)
  expect(await untilSettled(service, near)).toMatchObject({ state: 'ready' })
  const far = await publish(service, team, `${site.url}/4`)
  expect(await untilSettled(service, far)).toMatchObject({ state: 'failed', error_code: 'too_many_redirects', attempts: 1 })
})

test('a site that is slow is left after its time, tried again, and given up in the end', GENEROUS, async () => {
  await using site = await startImageSite({
    '/ada.png': (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    },
  })
  worker = await startImageWorker(service, { images: { timeoutMs: 100, retryMs: 1 } })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'failed', error_code: 'timeout', attempts: 5 })
  expect(site.requests).toHaveLength(5)
})

test('a site that is down for a moment is tried again', GENEROUS, async () => {
  let asked = 0
  await using site = await startImageSite({
    '/ada.png': (request, response) => {
      asked += 1
      if (asked === 1) response.writeHead(503).end()
      else file('image/png', drawPng(10, 10))(request, response)
    },
  })
  worker = await startImageWorker(service)
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'ready', attempts: 2 })
})

test('a worker that is killed in the middle of a fetch leaves its image to another', { timeout: 120_000 }, async () => {
  let asked = 0
  await using site = await startImageSite({
    '/ada.png': (request, response) => {
      asked += 1
      // The first fetch hangs until its worker is gone.
      if (asked > 1) file('image/png', drawPng(10, 10))(request, response)
    },
  })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  const options = JSON.stringify({ address: service.address, secretKey: randomBytes(32).toString('base64') })
  const victim = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, options], { stdio: 'ignore' })
  await until('the site is asked', () => asked === 1, 90_000)
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  expect(await factsOf(service, owner_id)).toMatchObject({ state: 'pending', attempts: 1 })
  // Until then it could be alive.
  await service.database.run('update image_copies set due_at = now() where owner_id = $1', [owner_id])
  worker = await startImageWorker(service)
  expect(await untilSettled(service, owner_id)).toMatchObject({ state: 'ready', attempts: 2 })
})

test('an image that another worker holds is left alone, and its late result is refused', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  const held = await claimImage(service.database, { served: null })
  expect(held).toMatchObject({ owner_id, attempts: 1 })
  expect(await claimImage(service.database, { served: null })).toBeNull()
  await service.database.run('update image_copies set due_at = now() where owner_id = $1', [owner_id])
  worker = await startImageWorker(service)
  await untilSettled(service, owner_id)
  const shown = await shownAvatar(service, team)
  if (!held) throw new Error('unreachable')
  const late = { version: '0'.repeat(32), width: 1, height: 1, bytes: Buffer.from('late') }
  expect(await finishImage(service.database, held, late)).toBe(false)
  await failImage(service.database, held, 'failed')
  expect(await shownAvatar(service, team)).toBe(shown)
})

test('a stop in the middle of a fetch hands the image back at once, without an attempt', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': () => {} })
  worker = await startImageWorker(service)
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await until('the site is asked', () => site.requests.length === 1)
  await worker.stop({ timeoutMs: 5_000 })
  worker = null
  expect(await factsOf(service, owner_id)).toMatchObject({ state: 'pending', attempts: 0 })
})

test('teams take turns: a thousand images of one do not hold up that of another', GENEROUS, async () => {
  await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(10, 10)) })
  const busy = await publish(service, team, `${site.url}/ada.png`)
  await service.database.run(
    `insert into image_copies (team_id, project_id, owner_id, kind, source_url, due_at)
     select team_id, project_id, uuidv7(), kind, source_url, now() - interval '1 hour'
       from image_copies, generate_series(1, 1000)
      where owner_id = $1`,
    [busy],
  )
  const other = await makeTeam(service.database)
  const owner_id = await publish(service, other, `${site.url}/ada.png`)
  worker = await startImageWorker(service)
  await untilSettled(service, owner_id)
  expect(site.requests.length).toBeLessThan(10)
  await service.database.run('delete from image_copies where team_id = $1', [team.id])
})
