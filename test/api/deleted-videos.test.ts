import { type BlobStore, BlobStoreError } from '@earshot/drivers'
import type { Worker } from '@earshot/jobs'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { here, recording, untilState, uploadTo, uploadVideo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

/** What the store refuses, by key. */
const refused = { delete: (_key: string) => false, put: (_key: string) => false }
let attempts = 0

let blobStore: BlobStore
let service: TestService
let worker: Worker
beforeAll(async () => {
  const store = await openTestBlobStore()
  const refuse = () => {
    attempts += 1
    throw new BlobStoreError('unavailable', 'The store is away')
  }
  blobStore = {
    ...store,
    delete: async (key) => (refused.delete(key) ? refuse() : store.delete(key)),
    put: async (key, source, options) => (refused.put(key) ? refuse() : store.put(key, source, options)),
  }
  service = await startTestService({ services: { blobStore } })
  worker = await startWholeWorker(service, { waitMs: 100 })
})
afterEach(() => {
  refused.delete = () => false
  refused.put = () => false
  attempts = 0
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
  await blobStore.close()
})

async function blobsOf(team: Team): Promise<string[]> {
  return (await Array.fromAsync(blobStore.list(''))).filter((key) => key.includes(team.id))
}

/** Has the queue run a job that is scheduled. */
async function run(job: 'blobs' | 'purge'): Promise<void> {
  await service.database.run("select enqueue_job($1, '{}')", [job])
}

/** Moves a deletion to the day before yesterday, and removes for good what was deleted so long ago. */
async function purge(table: 'projects' | 'teams', team: Team): Promise<void> {
  const id = table === 'teams' ? 'id' : 'team_id'
  await service.database.run(`update ${table} set deleted_at = now() - interval '25 hours' where ${id} = $1`, [team.id])
  await run('purge')
  const rows = () => service.database.run(`select from ${table} where ${id} = $1`, [team.id])
  await until('it is purged', async () => (await rows()).length === 0)
  await run('blobs')
}

async function readyVideo() {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const ref = await uploadVideo(service, team, await recording(), { draft: { author: { name: 'Ada' } } })
  const { submission_id } = await client.videos.draft.submit(ref)
  await client.videos.captions.create({ ...ref, language: 'en', vtt: 'WEBVTT\n' })
  const { playback_url } = await untilState(service, team, ref, 'ready')
  expect(await blobsOf(team)).toHaveLength(3)
  const isWatched = async () => (await fetch(here(service, playback_url))).status === 200
  return { team, client, ref, submission_id: submission_id ?? '', isWatched }
}

test('a deleted video is invisible at once, its submission stays without it, and every byte goes', async () => {
  const { team, client, ref, submission_id, isWatched } = await readyVideo()
  expect(await isWatched()).toBe(true)
  await client.videos.delete(ref)
  expect(await isWatched()).toBe(false)
  expect(await client.submissions.retrieve({ ...team.project, submission_id })).toMatchObject({ video_id: null, public: false })
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
})

test('a deleted submission takes its video and every byte with it', async () => {
  const { team, client, ref, submission_id, isWatched } = await readyVideo()
  await client.submissions.delete({ ...team.project, submission_id })
  expect(await isWatched()).toBe(false)
  await expect(client.videos.retrieve(ref)).rejects.toMatchObject({ code: 'not_found' })
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
})

test('a submission can be deleted while somebody deletes its video', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 2_000 }
  const { video } = await client.videos.reserve({ ...team.project, ...file, draft: { author: { name: 'Ada' } } })
  const { submission_id } = await client.videos.draft.submit({ ...team.project, video_id: video.id })
  const sql = postgres({ ...service.address, max: 1, onnotice: () => {} })
  const deletion = await sql.begin(async (tx) => {
    await tx`update videos set deleted_at = now() where id = ${video.id}`
    const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/${submission_id}/`
    const deleting = service.send('DELETE', path, { token: team.token })
    const waiting = () => tx`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`
    await until('the deletion waits for the other one', async () => (await waiting()).length > 0)
    return { deleting }
  })
  await sql.end()
  expect(await deletion.deleting).toMatchObject({ status: 204 })
})

for (const kind of ['projects', 'teams'] as const)
  test(`of deleted ${kind} videos are invisible at once, and every byte goes with the purge`, async () => {
    const { team, client, isWatched } = await readyVideo()
    if (kind === 'projects') await client.projects.delete(team.project)
    else await client.teams.delete({ team_id: team.id })
    expect(await isWatched()).toBe(false)
    await purge(kind, team)
    await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
    expect(await service.database.run('select from videos where team_id = $1', [team.id])).toEqual([])
    expect(await service.database.run('select from unused_blobs where team_id = $1', [team.id])).toEqual([])
  })

test('bytes that the store does not delete are deleted once it does', async () => {
  const { team, client, ref } = await readyVideo()
  refused.delete = () => true
  await client.videos.delete(ref)
  await until('the store was asked', () => attempts > 0)
  expect(await blobsOf(team)).toHaveLength(3)
  refused.delete = () => false
  // The queue tries again by itself.
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0, 30_000)
})

test('a blob that the store never deletes holds up no other one', async () => {
  const first = await readyVideo()
  refused.delete = (key) => key.includes(first.ref.video_id) && key.endsWith('clip.mp4')
  await first.client.videos.delete(first.ref)
  const second = await readyVideo()
  await second.client.videos.delete(second.ref)
  await until('the others are gone', async () => (await blobsOf(second.team)).length === 0 && (await blobsOf(first.team)).length === 1)
  refused.delete = () => false
  await run('blobs')
  await until('that one is gone', async () => (await blobsOf(first.team)).length === 0)
})

test('of a transcode whose poster the store refuses no clip is left, and the next attempt is whole', async () => {
  const team = await makeTeam(service.database)
  refused.put = (key) => key.includes(team.id) && key.endsWith('poster.jpg')
  const ref = await uploadVideo(service, team, await recording())
  await until('the store was asked', () => attempts > 1)
  refused.put = () => false
  await untilState(service, team, ref, 'ready')
  await run('blobs')
  await until('clip, poster and original alone are there', async () => (await blobsOf(team)).length === 3)
})

test('an upload that was not completed in a day expires: no request continues it, and its bytes go', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 2_000 }
  const { video, upload } = await client.videos.reserve({ ...team.project, ...file, draft: { author: { name: 'Ada' } } })
  expect(Date.parse(upload.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  const uploading = { id: video.id, token: upload.token }
  await uploadTo(service, uploading, Buffer.alloc(1_000))
  expect(await blobsOf(team)).toHaveLength(1)
  await service.database.run("update videos set upload_until = now() - interval '1 second' where id = $1", [video.id])
  expect((await uploadTo(service, uploading, Buffer.alloc(1_000))).status).toBe(410)
  await run('blobs')
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)

  const ref = { ...team.project, video_id: video.id }
  expect(await client.videos.retrieve(ref)).toMatchObject({ state: 'expired' })
  expect((await uploadTo(service, uploading, Buffer.alloc(1_000))).status).toBe(410)
  const headers = { 'tus-resumable': '1.0.0', 'x-upload-token': upload.token }
  expect((await fetch(`${service.url}/api/v1/uploads/${video.id}/`, { method: 'HEAD', headers })).status).toBe(410)
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/videos/${video.id}`
  const expired = { status: 409, body: { code: 'state_conflict', current_state: 'expired' } }
  expect(await service.send('POST', `${path}/complete/`, { token: team.token, body: {} })).toMatchObject(expired)
  expect(await service.send('POST', `${path}/draft/submit/`, { token: team.token, body: {} })).toMatchObject(expired)
})

test('an upload whose submission exists expires too, and the submission is not public', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 2_000 }
  const draft = { author: { name: 'Ada' }, consent: { granted: true } }
  const { video } = await client.videos.reserve({ ...team.project, ...file, draft })
  const ref = { ...team.project, video_id: video.id }
  const { submission_id } = await client.videos.draft.submit(ref)
  await client.submissions.approve({ ...team.project, submission_id: submission_id ?? '' })
  await service.database.run("update videos set upload_until = now() - interval '1 second' where id = $1", [video.id])
  await run('blobs')
  await untilState(service, team, ref, 'expired')
  expect(await client.submissions.retrieve({ ...team.project, submission_id: submission_id ?? '' })).toMatchObject({ public: false })
})

test('the original of a ready video goes when its days are over, and the clip stays', async () => {
  const { team, ref, isWatched } = await readyVideo()
  const kept = await service.database.run<{ days: number }>(
    'select round(extract(epoch from original_until - now()) / 86400)::int as days from videos where id = $1',
    [ref.video_id],
  )
  expect(kept).toEqual([{ days: 30 }])
  await service.database.run("update videos set original_until = now() - interval '1 second' where id = $1", [ref.video_id])
  await run('blobs')
  await until('the original is gone', async () => (await blobsOf(team)).length === 2)
  expect((await blobsOf(team)).every((key) => key.startsWith('videos/'))).toBe(true)
  expect(await isWatched()).toBe(true)
})

test('a failed video cannot be tried again once its original is gone', async () => {
  const team = await makeTeam(service.database)
  const ref = await uploadVideo(service, team, Buffer.from('no video at all'.repeat(100)))
  await untilState(service, team, ref, 'failed')
  await service.database.run("update videos set original_until = now() - interval '1 second' where id = $1", [ref.video_id])
  await run('blobs')
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
  const path = `/api/v1/teams/${team.id}/projects/${ref.project_id}/videos/${ref.video_id}/retry/`
  expect(await service.send('POST', path, { token: team.token, body: {} })).toMatchObject({
    ...{ status: 409, body: { code: 'state_conflict', current_state: 'failed', detail: 'The original is deleted.' } },
  })
})
