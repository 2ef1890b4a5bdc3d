import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTranscoding } from '../../jobs/src/transcoding/transcoding.ts'
import { countEvents, createTestTranscoder, untilAborted } from '../support/transcodes.ts'
import { openTranscodingFixture, QUICK, type TranscodingFixture } from '../support/transcoding-fixture.ts'
import { until } from '../support/until.ts'
import { untilState } from '../support/videos.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const GENEROUS = { timeout: 60_000 }

let fixture: TranscodingFixture
beforeEach(async () => {
  fixture = await openTranscodingFixture()
})
afterEach(() => fixture.close())

test('a worker that stops hands its video back at once, without counting an attempt, and the next one takes it', GENEROUS, async () => {
  const { service, team, folder, start, upload, factsOf } = fixture
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const held = createTestTranscoder(async ({ signal }) => {
    resolve()
    await untilAborted(signal)
  })
  const first = await start({ find: held.find })
  const ref = await upload()
  await begun
  await first.stop({ timeoutMs: 5_000 })
  expect(await factsOf(ref)).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 0, is_leased: false })
  expect(await readdir(folder)).toEqual([])
  await start({ find: createTestTranscoder().find })
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 2, failed_attempts: 0 })
  expect(await countEvents(service.database, team, 'video.ready')).toBe(1)
})

test('a worker that is stopped while it looks for a transcoder stops in time, and claims nothing', GENEROUS, async () => {
  const { start, upload, factsOf } = fixture
  const { promise: looking, resolve } = Promise.withResolvers<void>()
  const { promise: found, resolve: finish } = Promise.withResolvers<void>()
  const transcoder = createTestTranscoder()
  const find = async () => {
    resolve()
    await found
    return transcoder.find()
  }
  const ref = await upload()
  const stopped = await start({ find })
  await looking
  await stopped.stop({ timeoutMs: 500 })
  finish()
  expect(await factsOf(ref)).toMatchObject({ state: 'uploaded', attempt: 0 })
})

test('twenty workers transcode each of twenty videos once', GENEROUS, async () => {
  const { service, team, folder, upload, factsOf } = fixture
  const refs = await Promise.all(Array.from({ length: 20 }, upload))
  const { database, blobStore } = service
  const transcoder = createTestTranscoder()
  const loops = Array.from({ length: 20 }, () =>
    startTranscoding({
      ...{ database, blobStore, folder, log: silent, concurrency: 1, keepOriginalsDays: 30 },
      ...QUICK,
      find: transcoder.find,
    }),
  )
  await until('all are ready', async () => (await countEvents(database, team, 'video.ready')) === 20, 30_000)
  await Promise.all(loops.map((loop) => loop.stop({ timeoutMs: 5_000 })))
  for (const ref of refs) expect(await factsOf(ref)).toMatchObject({ state: 'ready', attempt: 1, failed_attempts: 0 })
})

test('while the store is away a video waits, and is ready once it is back, without a failure', GENEROUS, async () => {
  const { service, team, store, start, upload, factsOf } = fixture
  const ref = await upload()
  store.isAway = true
  await start({ find: createTestTranscoder().find })
  await until('it was tried twice', async () => ((await factsOf(ref))?.attempt ?? 0) > 1)
  store.isAway = false
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ failed_attempts: 0 })
})

test('a store that goes away before the clip is stored costs no attempt, and leaves no file of it', GENEROUS, async () => {
  const { service, team, store, start, upload, factsOf, keysOf } = fixture
  const transcoder = createTestTranscoder(async (_request, number) => {
    store.isAway = number < 3
  })
  await start({ find: transcoder.find })
  const ref = await upload()
  await until('it was tried', async () => transcoder.requests.length > 0)
  await until('it was handed back', async () => (await factsOf(ref))?.state === 'uploaded')
  store.isAway = false
  await until('it was tried again', async () => transcoder.requests.length > 1)
  await until('it was handed back again', async () => (await factsOf(ref))?.state === 'uploaded')
  store.isAway = false
  await untilState(service, team, ref, 'ready')
  const facts = await factsOf(ref)
  expect(facts?.failed_attempts).toBe(0)
  const last = `videos/${team.id}/${ref.video_id}/${facts?.attempt}-`
  await until('only the last files are left', async () => (await keysOf(ref)).filter((key) => /clip|poster/.test(key)).length === 2)
  const kept = (await keysOf(ref)).filter((key) => key.startsWith(last))
  expect(kept.map((key) => key.split('/').at(-1)).sort()).toEqual(['clip.mp4', 'poster.jpg'])
})

test('a disk without space lets a video wait, and costs no attempt', GENEROUS, async () => {
  const { service, team, start, upload, factsOf } = fixture
  const transcoder = createTestTranscoder(async (_request, number) => {
    if (number < 5) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  await start({ find: transcoder.find })
  const ref = await upload()
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 5, failed_attempts: 0 })
})

test('a work folder that cannot be made is a failure that is tried again, and holds no lease', GENEROUS, async () => {
  const { service, team, start, upload, factsOf } = fixture
  const ref = await upload()
  await start({ find: createTestTranscoder().find, folder: '/dev/null/transcodes' })
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'transcode_failed' } })
  expect(await factsOf(ref)).toEqual({ state: 'failed', attempt: 3, failed_attempts: 3, is_leased: false })
})
