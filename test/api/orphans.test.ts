import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { appendParts, takeLease } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import type { Worker } from '@earshot/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { here, recording, untilState, uploadTo, uploadVideo } from '../support/videos.ts'
import { asOperator, keepingLog } from '../support/webhook-fixture.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const SUMMARY = 'Noted blobs that nothing refers to'
const LOST = 'The store has lost files of a video'
const OTHER_STORE = 'The store has no file of any video: is it the right one?'

let blobStore: BlobStore
/** Called before the keys are listed, and between the keys. */
let onKey: (key: string) => Promise<void>
let service: TestService
let worker: Worker
let messages: string[]
beforeEach(async () => {
  const store = await openTestBlobStore()
  onKey = async () => {}
  blobStore = {
    ...store,
    async *list(prefix) {
      for await (const key of store.list(prefix)) {
        await onKey(key)
        yield key
      }
    },
  }
  service = await startTestService({ services: { blobStore } })
  const kept = keepingLog()
  messages = kept.messages
  worker = await startWholeWorker(service, {}, kept.log)
})
afterEach(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
  await blobStore.close()
})

async function keys(): Promise<string[]> {
  return (await Array.fromAsync(blobStore.list(''))).sort()
}

async function put(key: string): Promise<string> {
  await blobStore.put(key, Readable.from([Buffer.from('bytes')]), { sizeBytes: 5 })
  return key
}

async function run(job: 'blobs' | 'orphans'): Promise<void> {
  await service.database.run("select enqueue_job($1, '{}')", [job])
}

/** Has the job look at the store, and waits for its end. */
async function findOrphans(): Promise<void> {
  messages.length = 0
  await run('orphans')
  await until('the job has ended', async () => messages.includes(SUMMARY) && (await runningJobs()) === 0)
}

async function runningJobs(): Promise<number> {
  const rows = await asOperator(service.address, "select from graphile_worker.jobs where task_identifier = 'orphans'")
  return rows.length
}

async function noted(): Promise<string[]> {
  const rows = await service.database.run<{ key: string }>('select key from unused_blobs where delete_at > now() order by key', [])
  return rows.map(({ key }) => key)
}

/** Lets the day pass that noted blobs are kept. */
async function letDayPass(): Promise<void> {
  await service.database.run("update unused_blobs set delete_at = delete_at - interval '1 day'", [])
  await run('blobs')
  await until('nothing is noted', async () => (await service.database.run('select from unused_blobs', [])).length === 0)
}

async function readyVideo(team: Team) {
  const ref = await uploadVideo(service, team, await recording(), { draft: { author: { name: 'Ada' }, consent: { granted: true } } })
  const video = await untilState(service, team, ref, 'ready')
  const [files] = await service.database.run<{ clip_key: string; poster_key: string; part: string }>(
    'select clip_key, poster_key, (select key from video_parts p where p.video_id = v.id) as part from videos v where id = $1',
    [ref.video_id],
  )
  if (!files) throw new Error('There is no such video')
  return { ref, video, files }
}

test('blobs that nothing refers to go after a day, and all others stay', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  await readyVideo(team)
  const file = { file_name: 'clip.webm', content_type: 'video/webm' }
  const { video, upload } = await client.videos.reserve({ ...team.project, ...file, size_bytes: 2_000 })
  await uploadTo(service, { id: video.id, token: upload.token }, Buffer.alloc(1_000))
  const used = await keys()
  expect(used).toHaveLength(4)
  const orphans = await Promise.all(
    [
      `imports/${team.id}/${randomUUID()}/${randomUUID()}`,
      `uploads/${team.id}/${video.id}/${randomUUID()}`,
      `videos/${team.id}/${video.id}/1/clip.mp4`,
    ].map(put),
  )
  const foreign = await put('videos/readme.txt')
  await findOrphans()
  expect(await noted()).toEqual(orphans)
  expect(await keys()).toEqual([...used, ...orphans, foreign].sort())
  await findOrphans()
  await letDayPass()
  expect(await keys()).toEqual([...used, foreign].sort())
})

test('blobs of a team that the database does not know are kept, with a warning', async () => {
  const key = await put(`videos/${randomUUID()}/${randomUUID()}/1/clip.mp4`)
  await findOrphans()
  expect(messages).toContain('The store has blobs of teams that are not in this database, and keeps them')
  expect(await noted()).toEqual([])
  expect(await keys()).toEqual([key])
})

test('bytes that arrive while orphans are looked for are not among them', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const first = await put(`uploads/${team.id}/${randomUUID()}/${randomUUID()}`)
  let uploaded: string | undefined
  onKey = async () => {
    if (uploaded !== undefined) return
    uploaded = ''
    const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: null }
    const { video, upload } = await client.videos.reserve({ ...team.project, ...file })
    await uploadTo(service, { id: video.id, token: upload.token }, Buffer.alloc(2 * service.blobStore.partBytes + 1))
    uploaded = video.id
  }
  await findOrphans()
  expect(await noted()).toEqual([first])
  await letDayPass()
  const parts = await service.database.run<{ key: string }>('select key from video_parts where video_id = $1 order by key', [uploaded])
  expect(parts).toHaveLength(3)
  expect(await keys()).toEqual(parts.map(({ key }) => key))
})

test('a part whose writer slept so long that it was noted counts when the writer goes on, and is not deleted', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 5 }
  const { video } = await client.videos.reserve({ ...team.project, ...file })
  const key = await put(`uploads/${team.id}/${video.id}/${randomUUID()}`)
  await findOrphans()
  expect(await noted()).toEqual([key])
  const held = await takeLease(service.database, { ...team.project, video_id: video.id })
  if (!held) throw new Error('The lease is taken')
  expect(await appendParts(service.database, held, { first_byte: 0, parts: [{ key, size_bytes: 5 }] })).toBe(5)
  await letDayPass()
  expect(await keys()).toEqual([key])
})

test('a ready video whose clip is lost fails and is not public, and a retry makes it again', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const { ref, video, files } = await readyVideo(team)
  const { submission_id } = await client.videos.draft.submit(ref)
  const submission = { ...team.project, submission_id: submission_id ?? '' }
  await client.submissions.approve(submission)
  expect(await client.submissions.retrieve(submission)).toMatchObject({ public: true })
  await blobStore.delete(files.clip_key)
  await findOrphans()
  expect(messages.filter((message) => message === LOST)).toHaveLength(1)
  expect(await client.videos.retrieve(ref)).toMatchObject({ state: 'failed', error: { code: 'transcode_failed' }, playback_url: null })
  expect((await fetch(here(service, video.playback_url))).status).toBe(404)
  expect(await client.submissions.retrieve(submission)).toMatchObject({ public: false })
  await client.videos.retry(ref)
  const again = await untilState(service, team, ref, 'ready')
  expect((await fetch(here(service, again.playback_url))).status).toBe(200)
  expect(await client.submissions.retrieve(submission)).toMatchObject({ public: true })
  await until('the old poster is gone', async () => (await keys()).length === 3)
})

test('a video that has lost clip and original cannot be tried again', async () => {
  const team = await makeTeam(service.database)
  const { ref, files } = await readyVideo(team)
  await blobStore.delete(files.clip_key)
  await blobStore.delete(files.part)
  await findOrphans()
  expect(messages.filter((message) => message === LOST)).toHaveLength(1)
  const path = `/api/v1/teams/${team.id}/projects/${ref.project_id}/videos/${ref.video_id}/retry/`
  expect(await service.send('POST', path, { token: team.token, body: {} })).toMatchObject({
    status: 409,
    body: { current_state: 'failed' },
  })
  await until('its poster is gone', async () => (await keys()).length === 0)
})

test('a ready video whose poster or original is lost stays ready, with a warning', async () => {
  const team = await makeTeam(service.database)
  const { ref, files } = await readyVideo(team)
  await blobStore.delete(files.poster_key)
  await blobStore.delete(files.part)
  await findOrphans()
  expect(messages.filter((message) => message === LOST)).toHaveLength(1)
  expect(await service.client(team.token).videos.retrieve(ref)).toMatchObject({ state: 'ready' })
})

test('a store without any file of a video is taken for another one, and nothing changes', async () => {
  const team = await makeTeam(service.database)
  const { ref, files } = await readyVideo(team)
  for (const key of Object.values(files)) await blobStore.delete(key)
  await findOrphans()
  expect(messages).toContain(OTHER_STORE)
  expect(await service.client(team.token).videos.retrieve(ref)).toMatchObject({ state: 'ready' })
})

test('a clip that is stored while lost files are looked for is not lost', async () => {
  const team = await makeTeam(service.database)
  const { ref, files } = await readyVideo(team)
  const other = await makeTeam(service.database)
  const bytes = await recording()
  let isStored = false
  onKey = async (key) => {
    // The last list of the team's keys has begun.
    if (isStored || key !== files.part || !messages.includes(SUMMARY)) return
    isStored = true
    const late = await uploadVideo(service, team, bytes)
    await untilState(service, team, late, 'ready')
  }
  await readyVideo(other)
  await findOrphans()
  expect(isStored).toBe(true)
  expect(messages).not.toContain(LOST)
  const { results } = await service.client(team.token).videos.list(team.project)
  expect(results.map(({ state }) => state)).toEqual(['ready', 'ready'])
  expect(results.map(({ id }) => id)).toContain(ref.video_id)
})
