import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, recording, untilState, uploadTo, uploadVideo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})

const author = { name: 'Ada Lovelace', email: 'ada@example.com' }
const file = { file_name: 'clip.webm', content_type: 'video/webm' }

test('a visitor’s video becomes watchable for the team, public once it is approved, and nobody’s when consent is withdrawn', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const visitor = service.client()
  const bytes = await recording()
  const reserved = await visitor.public.uploads.reserve({ public_key: team.publicKey, ...file, size_bytes: bytes.length })
  const { id: video_id, upload } = reserved
  expect(upload.url).toBe(`http://localhost:8000/api/public/v1/uploads/${video_id}/`)
  const mine = { video_id, upload_token: upload.token }
  await visitor.public.drafts.update({ ...mine, body: 'Saved us a week.', author, consent: { granted: true, text: 'You may.' }, rating: 5 })
  const submitted = await visitor.public.drafts.submit(mine)
  expect(submitted).toMatchObject({ state: 'reserved', submission: { state: 'pending', revoke_token: expect.stringMatching(/^rvk_/) } })
  const submission_id = submitted.submission?.id ?? ''
  await client.submissions.approve({ ...team.project, submission_id })
  expect((await visitor.public.items.list({ public_key: team.publicKey })).results).toEqual([])

  expect((await uploadTo(service, { id: video_id, token: upload.token }, bytes)).status).toBe(204)
  expect(await visitor.public.uploads.complete(mine)).toMatchObject({ state: 'uploaded', offset_bytes: bytes.length })
  const video = await untilState(service, team, { ...team.project, video_id }, 'ready')
  expect(video).toMatchObject({ error: null, progress: null, draft: { submission_id, body: 'Saved us a week.', author } })
  expect(video.duration_ms).toBeGreaterThan(500)

  const clip = await fetch(here(service, video.playback_url))
  expect(clip.status).toBe(200)
  expect(clip.headers.get('content-type')).toBe('video/mp4')
  expect(
    Buffer.from(await clip.arrayBuffer())
      .subarray(4, 8)
      .toString(),
  ).toBe('ftyp')
  expect((await fetch(here(service, video.poster_url))).headers.get('content-type')).toBe('image/jpeg')

  const [item] = (await visitor.public.items.list({ public_key: team.publicKey })).results
  expect(item).toMatchObject({ id: submission_id, kind: 'video', video: { duration_ms: video.duration_ms, width: video.width } })
  const publicUrl = here(service, item?.video?.playback_url ?? null)
  expect((await fetch(publicUrl)).status).toBe(200)
  await visitor.public.consent.revoke({ revoke_token: submitted.submission?.revoke_token ?? '' })
  expect((await fetch(publicUrl)).status).toBe(404)
  expect((await fetch(here(service, video.playback_url))).status).toBe(200)
  expect((await visitor.public.items.list({ public_key: team.publicKey })).results).toEqual([])
})

test('twenty calls complete a video once, and twenty submit its draft once', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const bytes = await recording()
  const { video, upload } = await client.videos.reserve({ ...team.project, ...file, size_bytes: null, draft: { author } })
  const ref = { ...team.project, video_id: video.id }
  await uploadTo(service, { id: video.id, token: upload.token }, bytes)
  const completed = await Promise.all(Array.from({ length: 20 }, () => client.videos.complete(ref)))
  expect(completed.every(({ size_bytes }) => size_bytes === bytes.length)).toBe(true)
  const submitted = await Promise.all(Array.from({ length: 20 }, () => client.videos.draft.submit(ref)))
  expect(new Set(submitted.map(({ submission_id }) => submission_id)).size).toBe(1)
  await untilState(service, team, ref, 'ready')
  expect((await client.submissions.list({ ...team.project, kind: 'video' })).results).toHaveLength(1)
  const types = ['video.ready', 'submission.created'] as const
  const events = await service.database.run<{ type: string }>('select type from events where team_id = $1 and type = any ($2)', [
    team.id,
    types,
  ])
  expect(events.map(({ type }) => type).sort()).toEqual(['submission.created', 'video.ready'])
})

test('while bytes are missing a completion is 409 with the number that have arrived', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const { video, upload } = await client.videos.reserve({ ...team.project, ...file, size_bytes: 10 })
  await uploadTo(service, { id: video.id, token: upload.token }, Buffer.alloc(4))
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/videos/${video.id}/complete/`
  expect(await service.send('POST', path, { token: team.token, body: {} })).toMatchObject({
    status: 409,
    body: { code: 'state_conflict', current_state: 'uploading', offset_bytes: 4 },
  })
})

test('a file that is no video fails with its code, and can be tried again', async () => {
  const team = await makeTeam(service.database)
  const ref = await uploadVideo(service, team, Buffer.from('no video at all'.repeat(100)))
  const failed = await untilState(service, team, ref, 'failed')
  expect(failed).toMatchObject({ error: { code: 'unsupported_media', detail: expect.any(String) }, playback_url: null })
  expect(await service.client(team.token).videos.retry(ref)).toMatchObject({ state: 'uploaded', error: null })
  await untilState(service, team, ref, 'failed')
})
