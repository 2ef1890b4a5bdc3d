import { access, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TranscodeError } from '@earshot/drivers'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countEvents, createTestTranscoder, untilAborted } from '../support/transcodes.ts'
import { openTranscodingFixture, type TranscodingFixture } from '../support/transcoding-fixture.ts'
import { until } from '../support/until.ts'
import { untilState } from '../support/videos.ts'

const GENEROUS = { timeout: 60_000 }

let fixture: TranscodingFixture
beforeEach(async () => {
  fixture = await openTranscodingFixture()
})
afterEach(() => fixture.close())

test('a transcode shows its progress, gets the longest clip of the plan, and leaves nothing in the work folder', GENEROUS, async () => {
  const { service, team, folder, start, upload } = fixture
  const { promise: shown, resolve } = Promise.withResolvers<void>()
  const transcoder = createTestTranscoder(async ({ onProgress }) => {
    onProgress?.(0.5)
    await shown
  })
  const registry = new Registry()
  await start({ find: transcoder.find, registry })
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
  const { service, team, start, upload, factsOf } = fixture
  await service.database.run(`update teams set plan = 'pro' where id = $1`, [team.id])
  const transcoder = createTestTranscoder(async () => {
    throw new TranscodeError('too_long', 'The video is too long.')
  })
  await start({ find: transcoder.find })
  const ref = await upload()
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'too_long', detail: 'The video is too long.' } })
  expect(transcoder.requests).toMatchObject([{ maxSeconds: 300 }])
  expect(await factsOf(ref)).toMatchObject({ attempt: 1, failed_attempts: 0 })
})

test.for(['get', 'put'] as const)(
  'a worker that is stopped while a %s of the store hangs hands its video back at once',
  GENEROUS,
  async (call) => {
    const { service, team, folder, store, start, upload, factsOf } = fixture
    const ref = await upload()
    store.hanging = call
    const stopped = await start({ find: createTestTranscoder().find })
    await until('the store hangs', () => store.isHanging)
    await stopped.stop({ timeoutMs: 5_000 })
    expect(await factsOf(ref)).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 0, is_leased: false })
    expect(await readdir(folder)).toEqual([])
    const [unused] = await service.database.run<{ count: number }>(
      'select count(*)::int as count from unused_blobs where team_id = $1 and delete_at > now()',
      [team.id],
    )
    expect(unused).toEqual({ count: 0 })
  },
)

test('three failures of ours end a video with transcode_failed, and a retry makes it ready', GENEROUS, async () => {
  const { service, team, start, upload, factsOf } = fixture
  const transcoder = createTestTranscoder(async (_request, number) => {
    if (number <= 3) throw new TranscodeError('failed', 'The encoder broke.')
  })
  await start({ find: transcoder.find })
  const ref = await upload()
  expect(await untilState(service, team, ref, 'failed')).toMatchObject({ error: { code: 'transcode_failed' }, playback_url: null })
  expect(transcoder.requests).toHaveLength(3)
  await service.client(team.token).videos.retry(ref)
  await untilState(service, team, ref, 'ready')
  expect(await factsOf(ref)).toMatchObject({ attempt: 4, failed_attempts: 0 })
})

test('a video that is deleted meanwhile ends its transcode, without an event, and leaves no file', GENEROUS, async () => {
  const { service, team, folder, start, upload, keysOf } = fixture
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const transcoder = createTestTranscoder(async ({ signal }) => {
    resolve()
    await untilAborted(signal)
  })
  await start({ find: transcoder.find })
  const ref = await upload()
  await begun
  await service.client(team.token).videos.delete(ref)
  await until('the transcode ended', async () => (await readdir(folder)).length === 0, 30_000)
  await until('no file is left', async () => (await keysOf(ref)).length === 0)
  expect(await countEvents(service.database, team, 'video.ready')).toBe(0)
})

test('a worker that was overtaken stores nothing that stays, and there is one event', GENEROUS, async () => {
  const { service, team, start, upload, keysOf } = fixture
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const slow = createTestTranscoder(async () => {
    resolve()
    await released
  })
  const registry = new Registry()
  await start({ find: slow.find, registry, sweepMs: 600_000, renewMs: 600_000 })
  const ref = await upload()
  await begun
  await service.database.run(`update videos set leased_until = now() - interval '1 minute' where id = $1`, [ref.video_id])
  const other = await mkdtemp(join(tmpdir(), 'earshot-transcoding-'))
  await start({ find: createTestTranscoder().find, folder: other })
  const ready = await untilState(service, team, ref, 'ready')
  release()
  const isLost = async () =>
    /^earshot_transcodes_total\{outcome="lost"\} 1$/m.test(await registry.getSingleMetricAsString('earshot_transcodes_total'))
  await until('the late clip was refused', isLost)
  const attempt = (number: number) => `videos/${team.id}/${ref.video_id}/${number}-`
  await until('its files are deleted', async () => (await keysOf(ref)).filter((key) => key.startsWith(attempt(1))).length === 0)
  const kept = (await keysOf(ref)).filter((key) => key.startsWith(attempt(2)))
  expect(kept.map((key) => key.split('/').at(-1)).sort()).toEqual(['clip.mp4', 'poster.jpg'])
  expect(await service.client(team.token).videos.retrieve(ref)).toMatchObject({ state: 'ready', updated_at: ready.updated_at })
  expect(await countEvents(service.database, team, 'video.ready')).toBe(1)
  await rm(other, { recursive: true })
})

test('folders that a dead worker left are removed, and those in use stay', GENEROUS, async () => {
  const { folder, start } = fixture
  const [dead, used, foreign] = ['transcode-dead', 'transcode-used', 'photos'].map((name) => join(folder, name))
  for (const path of [dead, used, foreign]) await mkdir(path ?? '')
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const path of [dead, foreign]) await utimes(path ?? '', hourAgo, hourAgo)
  await start({ find: createTestTranscoder().find })
  await until('it is removed', async () => !(await readdir(folder)).includes('transcode-dead'))
  await access(used ?? '')
  await access(foreign ?? '')
})

test('without a transcoder that is logged once, videos say no_transcoder, and are taken when there is one', GENEROUS, async () => {
  const { service, team, start, uploadLongAgo } = fixture
  const ref = await uploadLongAgo()
  const transcoder = createTestTranscoder()
  let looks = 0
  let isThere = false
  const find = async () => {
    looks += 1
    return isThere ? transcoder.find() : { missing: 'libav: it is not installed. ffmpeg: not found.' }
  }
  const errors: unknown[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (facts: unknown) => void errors.push(facts) }
  await start({ find, log })
  await until('it looked three times', () => looks >= 3)
  expect(errors).toEqual([{ missing: 'libav: it is not installed. ffmpeg: not found.' }])
  const waiting = await service.client(team.token).videos.retrieve(ref)
  expect(waiting).toMatchObject({ state: 'uploaded', error: { code: 'no_transcoder', detail: expect.stringContaining('doctor') } })
  isThere = true
  expect(await untilState(service, team, ref, 'ready')).toMatchObject({ error: null })
})

test('what waits while another worker transcodes is not said to lack a transcoder', GENEROUS, async () => {
  const { service, team, start, uploadLongAgo } = fixture
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const busy = createTestTranscoder(() => released)
  await start({ find: busy.find })
  const [first, second] = [await uploadLongAgo(), await uploadLongAgo()]
  await until('one is transcoded', () => busy.requests.length === 1)
  let looks = 0
  const find = async () => {
    looks += 1
    return { missing: 'nothing' }
  }
  await start({ find })
  await until('it looked', () => looks >= 3)
  expect(await service.client(team.token).videos.retrieve(second)).toMatchObject({ error: null })
  release()
  for (const ref of [first, second]) await untilState(service, team, ref, 'ready')
})
