import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, openFileStore } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { runAdmin } from '../support/run-admin.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { addWaitingVideos, countEvents, transcodeFacts } from '../support/transcodes.ts'
import { until } from '../support/until.ts'
import { recording, untilState, uploadVideo } from '../support/videos.ts'

const GENEROUS_MS = 120_000
const SWEEPS_MS = 40_000

let store: RemoteDatabase
let dataDir: string
let blobs: BlobStore
let environment: Record<string, string>
let api: ServiceProcess
beforeAll(async () => {
  store = await openRemoteDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'earshot-transcoding-'))
  blobs = await openFileStore(join(dataDir, 'blobs'))
  environment = { ...store.environment, EARSHOT_DATA_DIR: dataDir, EARSHOT_STORAGE_URL: `file:${join(dataDir, 'blobs')}` }
  api = await startService({ ...environment, EARSHOT_ROLE: 'api' })
}, GENEROUS_MS)
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await blobs?.close()
  await rm(dataDir, { recursive: true, force: true })
  await store?.[Symbol.asyncDispose]()
})

const startTranscoder = () => startService({ ...environment, EARSHOT_ROLE: 'worker', EARSHOT_WORKER_PORT: '0' })

/** Uploads a recording, and waits until a worker transcodes it. */
async function begin() {
  const team = await makeTeam(store.database)
  const ref = await uploadVideo(api, team, await recording())
  await until('it is transcoded', async () => (await factsOf(ref))?.state === 'transcoding', SWEEPS_MS)
  return { team, ref }
}

const factsOf = (ref: { video_id: string }) => transcodeFacts(store.database, ref)

/** As if half a minute had passed. */
async function endLease({ video_id }: { video_id: string }): Promise<void> {
  await store.database.run(`update videos set leased_until = now() - interval '1 second' where id = $1`, [video_id])
}

/** The files of the attempts of a video. */
async function filesOf({ team_id, video_id }: { team_id: string; video_id: string }): Promise<string[]> {
  const keys = await Array.fromAsync(blobs.list(`videos/${team_id}/${video_id}/`))
  return keys.filter((key) => /\/(clip\.mp4|poster\.jpg)$/.test(key)).sort()
}

async function expectReadyOnce({ team, ref }: Awaited<ReturnType<typeof begin>>, facts: { attempt: number; failed_attempts: number }) {
  expect(await untilState(api, team, ref, 'ready')).toMatchObject({ error: null, progress: null })
  expect(await factsOf(ref)).toEqual({ ...facts, state: 'ready', is_leased: false })
  expect(await countEvents(store.database, team, 'video.ready')).toBe(1)
  const used = `videos/${ref.team_id}/${ref.video_id}/${facts.attempt}-`
  await until('only its files are left', async () => (await filesOf(ref)).length === 2, SWEEPS_MS)
  const files = await filesOf(ref)
  expect(files.map((key) => [key.startsWith(used), key.split('/').at(-1)])).toEqual([
    [true, 'clip.mp4'],
    [true, 'poster.jpg'],
  ])
}

test('a video whose worker is killed with SIGKILL is taken over by another one, and becomes ready once', {
  timeout: GENEROUS_MS,
}, async () => {
  await using killed = await startTranscoder()
  const begun = await begin()
  await killed.stop('SIGKILL')
  expect(await factsOf(begun.ref)).toMatchObject({ state: 'transcoding', attempt: 1 })
  await endLease(begun.ref)
  await using _other = await startTranscoder()
  await until('it is taken back', async () => (await factsOf(begun.ref))?.failed_attempts === 1, SWEEPS_MS)
  await expectReadyOnce(begun, { attempt: 2, failed_attempts: 1 })
})

test('a worker that stands still beyond its lease and goes on changes nothing: one event, and the files of the other', {
  timeout: GENEROUS_MS,
}, async () => {
  // A worker that was killed leaves its folder for a while.
  const before = (await workFolders()).length
  await using paused = await startTranscoder()
  const begun = await begin()
  process.kill(paused.pid, 'SIGSTOP')
  await endLease(begun.ref)
  await using _other = await startTranscoder()
  await until('it is taken back', async () => (await factsOf(begun.ref))?.failed_attempts === 1, SWEEPS_MS)
  await untilState(api, begun.team, begun.ref, 'ready')
  process.kill(paused.pid, 'SIGCONT')
  await until('the late transcode has ended', async () => (await countOf(paused, 'lost')) === 1, SWEEPS_MS)
  await expectReadyOnce(begun, { attempt: 2, failed_attempts: 1 })
  await until('its work folder is removed', async () => (await workFolders()).length === before, SWEEPS_MS)
})

test('a database that goes away in the middle of a transcode for longer than the lease costs nothing: it goes on, and no other worker takes it', {
  timeout: GENEROUS_MS,
}, async () => {
  await using worker = await startTranscoder()
  await using other = await startTranscoder()
  const before = (await workFolders()).length
  const begun = await begin()
  await until('its worker knows', async () => (await workFolders()).length > before, SWEEPS_MS)
  await store.proxy.refuse()
  await until('both miss it', () => [worker, other].every(({ output }) => output().includes('Transcoding videos failed')), SWEEPS_MS)
  await endLease(begun.ref)
  await store.proxy.restore()
  await expectReadyOnce(begun, { attempt: 1, failed_attempts: 0 })
})

test('a worker that is stopped with SIGTERM hands its video back at once, and counts no attempt', { timeout: GENEROUS_MS }, async () => {
  await using stopped = await startTranscoder()
  const begun = await begin()
  expect(await stopped.stop('SIGTERM')).toMatchObject({ code: 0 })
  expect(await factsOf(begun.ref)).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 0, is_leased: false })
  await using _other = await startTranscoder()
  await expectReadyOnce(begun, { attempt: 2, failed_attempts: 0 })
})

test('a worker that is stopped while the database is away ends in time, and another one takes its video over', {
  timeout: GENEROUS_MS,
}, async () => {
  const before = (await workFolders()).length
  await using stopped = await startTranscoder()
  const begun = await begin()
  await until('its worker knows', async () => (await workFolders()).length > before, SWEEPS_MS)
  await store.proxy.refuse()
  const { signal } = await stopped.stop('SIGTERM').finally(() => store.proxy.restore())
  expect(signal).toBeNull()
  expect((await workFolders()).length).toBe(before)
  await endLease(begun.ref)
  await using _other = await startTranscoder()
  await until('it is taken back', async () => (await factsOf(begun.ref))?.failed_attempts === 1, SWEEPS_MS)
  await expectReadyOnce(begun, { attempt: 2, failed_attempts: 1 })
})

test('a transcode whose process is ended from outside counts no attempt, as when a manager stops all processes at once', {
  timeout: GENEROUS_MS,
}, async () => {
  await using worker = await startTranscoder()
  const begun = await begin()
  await until('its process runs', async () => (await childrenOf(worker)).length > 0, SWEEPS_MS)
  for (const pid of await childrenOf(worker)) process.kill(pid, 'SIGTERM')
  await until('it was handed back', async () => (await countOf(worker, 'postponed')) === 1, SWEEPS_MS)
  expect(await factsOf(begun.ref)).toEqual({ state: 'uploaded', attempt: 1, failed_attempts: 0, is_leased: false })
  await using _other = await startTranscoder()
  await expectReadyOnce(begun, { attempt: 2, failed_attempts: 0 })
})

test('doctor shows what the machine transcodes with', { timeout: GENEROUS_MS }, async () => {
  expect(await runAdmin(environment, 'doctor')).toMatch(/^transcoder +(libav \d\S+ \(node-av\)|ffmpeg \d\S+)(, confined without .+)?$/m)
})

test('metrics show how many videos wait, and for how long', { timeout: GENEROUS_MS }, async () => {
  const team = await makeTeam(store.database)
  await addWaitingVideos(store.database, team, 3)
  const waiting = async () => Number(/^earshot_videos_waiting (\d+)$/m.exec((await api.send('GET', '/metrics')).body)?.[1])
  await until('three wait', async () => (await waiting()) === 3)
  const { body } = await api.send('GET', '/metrics')
  expect(Number(/^earshot_videos_oldest_waiting_seconds ([\d.]+)$/m.exec(body)?.[1])).toBeGreaterThan(3_500)
  await store.database.run('delete from videos where team_id = $1', [team.id])
})

async function childrenOf({ pid }: ServiceProcess): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return pids.split(' ').filter(Boolean).map(Number)
}

async function workFolders(): Promise<string[]> {
  return readdir(join(dataDir, 'transcodes')).catch(() => [])
}

async function countOf(worker: ServiceProcess, outcome: string): Promise<number> {
  const { body } = await worker.send('GET', '/metrics')
  return Number(new RegExp(`^earshot_transcodes_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(body)?.[1])
}
