import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { installPackage } from '../support/installed-package.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { sha256, storedBytes } from '../support/uploads.ts'
import { openChromium } from './chromium.ts'

const CUTS = 10
const TIMEOUT_MS = 120_000

/** What a developer would write: a File, and a recording of a canvas that is uploaded while it runs. */
const SCRIPT = `
  import { createClient, uploadVideoFile } from '@earshot/contracts/client'
  const digestOf = async (bytes) =>
    Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')

  globalThis.uploadFile = async (options, place, size) => {
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
    const file = new File([bytes], 'clip.mp4', { type: 'video/mp4' })
    const progress = []
    const onProgress = ({ sentBytes, totalBytes }) => progress.push([sentBytes, totalBytes])
    const video = await createClient(options).videos.upload(place, file, { onProgress, chunkBytes: 524_288 })
    return { video, digest: await digestOf(bytes), progress }
  }

  globalThis.record = async (options, public_key) => {
    const canvas = document.body.appendChild(document.createElement('canvas'))
    const context = canvas.getContext('2d')
    const drawing = setInterval(() => {
      context.fillStyle = 'hsl(' + (performance.now() % 360) + ' 80% 50%)'
      context.fillRect(Math.random() * 200, Math.random() * 100, 60, 60)
    }, 30)
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' })
    const pieces = []
    const stream = new ReadableStream({
      start(controller) {
        let last = Promise.resolve()
        recorder.ondataavailable = ({ data }) => {
          pieces.push(data)
          last = last.then(async () => controller.enqueue(new Uint8Array(await data.arrayBuffer())))
        }
        recorder.onstop = () => last.then(() => controller.close())
      },
    })
    const { public: { uploads } } = createClient(options)
    const reserved = await uploads.reserve({ public_key, file_name: 'recorded.webm', content_type: 'video/webm', size_bytes: null })
    let before = 0
    const onProgress = ({ sentBytes }) => {
      if (recorder.state === 'recording') before = sentBytes
      if (sentBytes > 0 && recorder.state === 'recording') recorder.stop()
    }
    recorder.start(200)
    const size = await uploadVideoFile(options, reserved, stream, { onProgress })
    clearInterval(drawing)
    const upload = await uploads.complete({ video_id: reserved.id, upload_token: reserved.upload.token })
    return { upload, size, before, digest: await digestOf(await new Blob(pieces).arrayBuffer()) }
  }`

interface UploadedFile {
  video: { id: string }
  digest: string
  progress: [sentBytes: number, totalBytes: number | null][]
}

interface Recorded {
  upload: { id: string }
  size: number
  /** What had arrived before the end of the recording. */
  before: number
  digest: string
}

let service: TestService
let team: Team
let site: Server
let chromium: Browser
let page: Page
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}` // It listens on a port.
  await service.client(team.token).teams.update({ team_id: team.id, settings: { cors_origins: [origin] } })
  using project = await installPackage('contracts')
  project.write('page.js', SCRIPT)
  const { code } = await project.bundle('page.js')
  const opened = await openChromium()
  if (typeof opened === 'string') throw new Error(opened)
  chromium = opened
  page = await chromium.newPage()
  await page.goto(origin)
  await page.addScriptTag({ content: code })
}, TIMEOUT_MS)
afterAll(async () => {
  await chromium?.close()
  site.close()
  await service.close()
})

const call = <Result>(name: string, ...values: unknown[]) =>
  page.evaluate<Result>(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`)
const stored = (video_id: string) =>
  storedBytes(service.database, service.blobStore, { id: video_id, token: '', path: '', ref: { ...team.project, video_id } })

test(`the typed client in Chromium uploads a File across origins, whole after ${CUTS} cuts`, { timeout: TIMEOUT_MS }, async () => {
  const nextCut = (cuts: number) => (cuts < CUTS ? randomInt(100_000, 400_000) : null)
  await using proxy = await startCuttingProxy({ targets: [service.url], nextCut })
  const { video, digest, progress } = await call<UploadedFile>(
    'uploadFile',
    { baseUrl: proxy.url, token: team.token },
    team.project,
    4_000_000,
  )
  expect(video).toMatchObject({ state: 'uploaded', file_name: 'clip.mp4', content_type: 'video/mp4', size_bytes: 4_000_000 })
  expect([progress[0], progress.at(-1)]).toEqual([
    [0, 4_000_000],
    [4_000_000, 4_000_000],
  ])
  expect(sha256(await stored(video.id))).toBe(digest)
  expect(proxy.cuts()).toBe(CUTS)
})

test('a visitor’s recording is uploaded while it is recorded', { timeout: TIMEOUT_MS }, async () => {
  const { upload, size, before, digest } = await call<Recorded>('record', { baseUrl: service.url }, team.publicKey)
  expect(before).toBeGreaterThan(0)
  expect(size).toBeGreaterThan(before)
  expect(upload).toMatchObject({ state: 'uploaded', offset_bytes: size })
  const bytes = await stored(upload.id)
  expect(sha256(bytes)).toBe(digest)
  // EBML, the container of WebM.
  expect(bytes.subarray(0, 4).toString('hex')).toBe('1a45dfa3')
})
