import { access, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, BlobStoreError, TranscodeError } from '@earshot/drivers'
import type { Worker, WorkerOptions } from '@earshot/jobs'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import {
  addWaitingVideos,
  countEvents,
  createTestTranscoder,
  type TestTranscoder,
  transcodeFacts,
  untilAborted,
} from '../support/transcodes.ts'
import { until } from '../support/until.ts'
import { untilState, uploadVideo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const GENEROUS = { timeout: 60_000 }
const QUICK = { waitMs: 100, retryMs: 20, sweepMs: 100 }
const FILE = Buffer.from('the bytes of a file')

let service: TestService
let team: Team
let folder: string
let isStoreAway = false
const workers: Worker[] = []

beforeAll(async () => {
  service = await startTestService({ services: { blobStore: switchable(await openTestBlobStore()) } })
})
afterAll(async () => {
  await service.close()
  await service.blobStore.close()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  folder = await mkdtemp(join(tmpdir(), 'earshot-transcoding-'))
})
afterEach(async () => {
  isStoreAway = false
  for (const worker of workers.splice(0)) await worker.stop({ timeoutMs: 5_000 })
  await rm(folder, { recursive: true, force: true })
})

/** A store that reads and stores nothing while it is away. */
function switchable(store: BlobStore): BlobStore {
  const check = () => {
    if (isStoreAway) throw new BlobStoreError('unavailable', 'The store is away.')
  }
  return {
    ...store,
    get: async (...given) => {
      check()
      return store.get(...given)
    },
    put: async (...given) => {
      check()
      return store.put(...given)
    },
  }
}

async function start(
  given: Pick<TestTranscoder, 'find'> | Pick<WorkerOptions['transcoding'], 'find'>,
  more: Partial<WorkerOptions['transcoding']> = {},
) {
  const worker = await startWholeWorker(service, { ...QUICK, folder, ...given, ...more })
  workers.push(worker)
  return worker
}

const factsOf = (ref: { video_id: string }) => transcodeFacts(service.database, ref)
const upload = () => uploadVideo(service, team, FILE)

async function keysOf({ video_id }: { video_id: string }): Promise<string[]> {
  return Array.fromAsync(service.blobStore.list(`videos/${team.id}/${video_id}/`))
}

test('a transcode shows its progress, gets the longest clip of the plan, and leaves nothing in the work folder', GENEROUS, async () => {
  const { promise: shown, resolve } = Promise.withResolvers<void>()
  const transcoder = createTestTranscoder(async ({ onProgress }) => {
    onProgress?.(0.5)
    await shown
  })
  const registry = new Registry()
  await start(transcoder, { registry })
  const ref = await upload()
  await until('progress is shown', async () => (await service.client(team.token).videos.retrieve(ref)).progress === 0.5)
  expect(await registry.getSingleMetricAsString('earshot_transcodes_running')).toMatch(/^earshot_transcodes_running 1$/m)
  resolve()
  expect(await untilState(service, team, ref, 'ready')).toMatchObject({ progress: null, duration_ms: 1000, width: 320, height: 180 })
  expect(transcoder.requests).toMatchObject([{ maxSeconds: 900 }])
  await until('its folder is removed', async () => (await readdir(folder)).length === 0)
  const counted = await registry.getSingleMetricAsString('earshot_transcodes_total')
  expect(counted).toMatch(/^earshot_transcodes_total\{outcome="ready"\} 1$/m)
  expect(await registry.getSingleMetricAsString('earshot_transcodes_running')).toMatch(/^earshot_transcodes_running 0$/m)
})

test('a clip that is longer than the plan allows is refused with too_long, and not tried again', GENEROUS, async () => {
  await service.database.run(`update teams set plan = 'pro' where id = $1`, [team.id])
  const transcoder = createTestTranscoder(async () => {
    throw new TranscodeError('too_long', 'The video is too long.')
  })
  await start(transcoder)
  const ref = await upload()
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'too_long', detail: 'The video is too long.' } })
  expect(transcoder.requests).toMatchObject([{ maxSeconds: 300 }])
  expect(await factsOf(ref)).toMatchObject({ attempt: 1, failed_attempts: 0 })
})

test('a worker that stops hands its video back at once, without counting an attempt, and the next one takes it', GENEROUS, async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const held = createTestTranscoder(async ({ signal }) => {
    resolve()
    await untilAborted(signal)
  })
  const first = await start(held)
  const ref = await upload()
  await begun
  await first.stop({ timeoutMs: 5_000 })
  expect(await factsOf(ref)).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 0, is_leased: false })
  expect(await readdir(folder)).toEqual([])
  await start(createTestTranscoder())
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 2, failed_attempts: 0 })
  expect(await countEvents(service.database, team, 'video.ready')).toBe(1)
})

test('while the store is away a video waits, and is ready once it is back, without a failure', GENEROUS, async () => {
  const ref = await upload()
  isStoreAway = true
  await start(createTestTranscoder())
  await until('it was tried twice', async () => ((await factsOf(ref))?.attempt ?? 0) > 1)
  isStoreAway = false
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ failed_attempts: 0 })
})

test('a store that goes away before the clip is stored costs no attempt, and leaves no file of it', GENEROUS, async () => {
  const transcoder = createTestTranscoder(async (_request, number) => {
    isStoreAway = number < 3
  })
  await start(transcoder)
  const ref = await upload()
  await until('it was tried', async () => transcoder.requests.length > 0)
  await until('it was handed back', async () => (await factsOf(ref))?.state === 'uploaded')
  isStoreAway = false
  await until('it was tried again', async () => transcoder.requests.length > 1)
  await until('it was handed back again', async () => (await factsOf(ref))?.state === 'uploaded')
  isStoreAway = false
  await untilState(service, team, ref, 'ready')
  const facts = await factsOf(ref)
  expect(facts?.failed_attempts).toBe(0)
  const last = `videos/${team.id}/${ref.video_id}/${facts?.attempt}/`
  await until('only the last files are left', async () => (await keysOf(ref)).filter((key) => /clip|poster/.test(key)).length === 2)
  expect((await keysOf(ref)).filter((key) => key.startsWith(last)).sort()).toEqual([`${last}clip.mp4`, `${last}poster.jpg`])
})

test('a disk without space lets a video wait, and costs no attempt', GENEROUS, async () => {
  const transcoder = createTestTranscoder(async (_request, number) => {
    if (number < 5) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  await start(transcoder)
  const ref = await upload()
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 5, failed_attempts: 0 })
})

test('a work folder that cannot be made is a failure that is tried again, and holds no lease', GENEROUS, async () => {
  const ref = await upload()
  await start(createTestTranscoder(), { folder: '/dev/null/transcodes' })
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'transcode_failed' } })
  expect(await factsOf(ref)).toEqual({ state: 'failed', attempt: 3, failed_attempts: 3, is_leased: false })
})

test('three failures of ours end a video with transcode_failed, and a retry makes it ready', GENEROUS, async () => {
  const transcoder = createTestTranscoder(async (_request, number) => {
    if (number <= 3) throw new TranscodeError('failed', 'The encoder broke.')
  })
  await start(transcoder)
  const ref = await upload()
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'transcode_failed' }, playback_url: null })
  expect(transcoder.requests).toHaveLength(3)
  await service.client(team.token).videos.retry(ref)
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 4, failed_attempts: 0 })
})

test('a video that is deleted meanwhile ends its transcode, without an event, and leaves no file', GENEROUS, async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const transcoder = createTestTranscoder(async ({ signal }) => {
    resolve()
    await untilAborted(signal)
  })
  await start(transcoder)
  const ref = await upload()
  await begun
  await service.client(team.token).videos.delete(ref)
  await until('the transcode ended', async () => (await readdir(folder)).length === 0, 30_000)
  await until('no file is left', async () => (await keysOf(ref)).length === 0)
  expect(await countEvents(service.database, team, 'video.ready')).toBe(0)
})

test('a worker that was overtaken stores nothing that stays, and there is one event', GENEROUS, async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const slow = createTestTranscoder(async () => {
    resolve()
    await released
  })
  const registry = new Registry()
  await start(slow, { registry, sweepMs: 600_000 })
  const ref = await upload()
  await begun
  await service.database.run(`update videos set leased_until = now() - interval '1 minute' where id = $1`, [ref.video_id])
  const other = await mkdtemp(join(tmpdir(), 'earshot-transcoding-'))
  await start(createTestTranscoder(), { folder: other })
  const ready = await untilState(service, team, ref, 'ready')
  release()
  const isLost = async () =>
    /^earshot_transcodes_total\{outcome="lost"\} 1$/m.test(await registry.getSingleMetricAsString('earshot_transcodes_total'))
  await until('the late clip was refused', isLost)
  const used = `videos/${team.id}/${ref.video_id}/2/`
  await until('its files are deleted', async () => (await keysOf(ref)).filter((key) => key.includes('/1/')).length === 0)
  expect((await keysOf(ref)).filter((key) => key.startsWith(used)).sort()).toEqual([`${used}clip.mp4`, `${used}poster.jpg`])
  expect(await service.client(team.token).videos.retrieve(ref)).toMatchObject({ state: 'ready', updated_at: ready.updated_at })
  expect(await countEvents(service.database, team, 'video.ready')).toBe(1)
  await rm(other, { recursive: true })
})

test('folders that a dead worker left are removed, and those in use stay', GENEROUS, async () => {
  const [dead, used, foreign] = ['transcode-dead', 'transcode-used', 'photos'].map((name) => join(folder, name))
  for (const path of [dead, used, foreign]) await mkdir(path ?? '')
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const path of [dead, foreign]) await utimes(path ?? '', hourAgo, hourAgo)
  await start(createTestTranscoder())
  await until('it is removed', async () => !(await readdir(folder)).includes('transcode-dead'))
  await access(used ?? '')
  await access(foreign ?? '')
})

test('without a transcoder that is logged once, videos say no_transcoder, and are taken when there is one', GENEROUS, async () => {
  const [video_id = ''] = await addWaitingVideos(service.database, team)
  const ref = { ...team.project, video_id }
  const transcoder = createTestTranscoder()
  let looks = 0
  let isThere = false
  const find = async () => {
    looks += 1
    return isThere ? transcoder.find() : { missing: 'libav: it is not installed. ffmpeg: not found.' }
  }
  const errors: unknown[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (facts: unknown) => void errors.push(facts) }
  await start({ find }, { log })
  await until('it looked three times', () => looks >= 3)
  expect(errors).toEqual([{ missing: 'libav: it is not installed. ffmpeg: not found.' }])
  const waiting = await service.client(team.token).videos.retrieve(ref)
  expect(waiting).toMatchObject({ state: 'uploaded', error: { code: 'no_transcoder', detail: expect.stringContaining('doctor') } })
  isThere = true
  expect(await untilState(service, team, ref, 'ready')).toMatchObject({ error: null })
})

test('what waits while another worker transcodes is not said to lack a transcoder', GENEROUS, async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const busy = createTestTranscoder(() => released)
  await start(busy)
  const [first = '', second = ''] = await addWaitingVideos(service.database, team, 2)
  await until('one is transcoded', () => busy.requests.length === 1)
  let looks = 0
  const find = async () => {
    looks += 1
    return { missing: 'nothing' }
  }
  await start({ find })
  await until('it looked', () => looks >= 3)
  expect(await service.client(team.token).videos.retrieve({ ...team.project, video_id: second })).toMatchObject({ error: null })
  release()
  for (const video_id of [first, second]) await untilState(service, team, { ...team.project, video_id }, 'ready')
})
