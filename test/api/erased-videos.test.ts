import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePerson, newAddress } from '../support/erasures.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
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

const file = { file_name: 'clip.webm', content_type: 'video/webm' }

async function blobsOf(team: Team): Promise<string[]> {
  const keys = await Array.fromAsync(service.blobStore.list(''))
  return keys.filter((key) => key.includes(team.id))
}

async function rowsOf(team: Team): Promise<Record<string, unknown>> {
  const [row] = await service.database.run<Record<string, unknown>>(
    `select (select count(*)::int from videos where team_id = $1) as videos,
            (select count(*)::int from video_parts where team_id = $1) as parts,
            (select count(*)::int from video_captions where team_id = $1) as captions,
            (select count(*)::int from submissions where team_id = $1) as submissions,
            (select count(*)::int from events where team_id = $1 and type = 'video.ready') as events`,
    [team.id],
  )
  return row ?? {}
}

async function reserve(team: Team, draft: object, size_bytes: number | null = null) {
  const { video, upload } = await service.client(team.token).videos.reserve({ ...team.project, ...file, size_bytes, draft })
  return { ref: { ...team.project, video_id: video.id }, id: video.id, token: upload.token }
}

test('an erased person’s video is invisible at once, and then its rows, its event and every byte are gone', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const ref = await uploadVideo(service, team, await recording(), { draft: { author: { name: 'Ada', email } } })
  await client.videos.draft.submit(ref)
  await client.videos.captions.create({ ...ref, language: 'en', vtt: 'WEBVTT\n' })
  const { playback_url, poster_url, captions } = await untilState(service, team, ref, 'ready')
  const links = [playback_url, poster_url, captions[0]?.url ?? null].map((url) => here(service, url))
  const statuses = () => Promise.all(links.map(async (link) => (await fetch(link)).status))
  expect(await statuses()).toEqual([200, 200, 200])
  expect(await rowsOf(team)).toEqual({ videos: 1, parts: 1, captions: 1, submissions: 1, events: 1 })
  expect(await blobsOf(team)).toHaveLength(3)

  const erasing = erasePerson(service, team, email.toUpperCase())
  await until('the request was answered', async () => (await client.submissions.list(team.project)).results.length === 0)
  expect(await statuses()).toEqual([404, 404, 404])
  expect(await erasing).toMatchObject({ counts: { submissions: 1, videos: 1, events: 2 } })
  expect(await rowsOf(team)).toEqual({ videos: 0, parts: 0, captions: 0, submissions: 0, events: 0 })
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
})

test('a video goes with the submission of an erased person, though its draft names nobody', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const { ref, ...upload } = await reserve(team, { author: { name: 'Ada' } })
  await uploadTo(service, upload, Buffer.alloc(10))
  const { submission_id } = await client.videos.draft.submit(ref)
  await service.database.run('update submissions set author_email = $2 where id = $1', [submission_id, email])
  const exported = await client.privacy.export({ team_id: team.id, email })
  expect(exported.videos.map(({ id }) => id)).toEqual([ref.video_id])
  expect(await erasePerson(service, team, email)).toMatchObject({ counts: { submissions: 1, videos: 1 } })
  expect(await rowsOf(team)).toMatchObject({ videos: 0, submissions: 0 })
})

test('a submission of somebody else stays without the video of an erased person, and is not public', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const { ref } = await reserve(team, { author: { name: 'Ada', email } })
  const { submission_id } = await client.videos.draft.submit(ref)
  await service.database.run('update submissions set author_email = $2 where id = $1', [submission_id, newAddress()])
  expect(await erasePerson(service, team, email)).toMatchObject({ counts: { submissions: 0, videos: 1 } })
  expect(await client.submissions.retrieve({ ...team.project, submission_id: submission_id ?? '' })).toMatchObject({
    ...{ video_id: null, public: false },
  })
})

test('an upload of an erased person ends, and takes no more bytes', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const { ref, ...upload } = await reserve(team, { author: { email } })
  expect((await uploadTo(service, upload, Buffer.alloc(1_000))).status).toBe(204)
  await erasePerson(service, team, email)
  expect((await uploadTo(service, upload, Buffer.alloc(1_000))).status).toBe(404)
  const path = `/api/v1/teams/${team.id}/projects/${ref.project_id}/videos/${ref.video_id}/complete/`
  expect(await service.send('POST', path, { token: team.token, body: {} })).toMatchObject({ status: 404 })
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
})

test('bytes that are on their way when a person is erased are not kept', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const { ref, ...upload } = await reserve(team, { author: { email } })
  const { promise: erased, resolve } = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(service.blobStore.partBytes + 1_000_000))
      await erased
      controller.enqueue(new Uint8Array(service.blobStore.partBytes + 1_000_000))
      controller.close()
    },
  })
  const headers = {
    ...{ 'tus-resumable': '1.0.0', 'x-upload-token': upload.token, 'upload-offset': '0' },
    'content-type': 'application/offset+octet-stream',
  }
  const sending = fetch(`${service.url}/api/v1/uploads/${upload.id}/`, { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit)
  const offset = async () => (await service.client(team.token).videos.retrieve(ref)).offset_bytes
  await until('bytes have arrived', async () => (await offset()) > 0)
  await erasePerson(service, team, email)
  resolve()
  expect((await sending).status).toBe(404)
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
  expect(await rowsOf(team)).toMatchObject({ videos: 0, parts: 0 })
})

test('a transcode that runs when a person is erased leaves no bytes, and no event', async () => {
  const team = await makeTeam(service.database)
  const email = newAddress()
  const ref = await uploadVideo(service, team, await recording(), { draft: { author: { email } } })
  const state = async () =>
    (await service.database.run<{ state: string }>('select state from videos where id = $1', [ref.video_id]))[0]?.state
  await until('a worker has it', async () => (await state()) !== 'uploaded')
  await erasePerson(service, team, email)
  // The worker takes one at a time: when the next one is ready, it has let go of this one.
  const other = await makeTeam(service.database)
  await untilState(service, other, await uploadVideo(service, other, await recording()), 'ready')
  await until('every byte is gone', async () => (await blobsOf(team)).length === 0)
  expect(await rowsOf(team)).toMatchObject({ videos: 0, events: 0 })
})

test('drafts of others stay without the address, and one without an author’s address goes', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const other = newAddress()
  const vtt = `WEBVTT\n\n00:00.000 --> 00:01.000\nWrite to ${email}.\n`
  const { ref } = await reserve(team, { body: `Ask ${email}.`, metadata: { by: email, at: 1 }, author: { name: 'Bob', email: other } })
  await client.videos.captions.create({ ...ref, language: 'en', label: `English by ${email}`, vtt })
  const anonymous = await reserve(team, { body: `I am ${email}.` })
  const exported = await client.privacy.export({ team_id: team.id, email })
  expect(exported.videos.map(({ id }) => id)).toEqual([anonymous.id])
  expect(exported.mentions).toEqual([{ type: 'video', project_id: team.project.project_id, id: ref.video_id }])

  expect(await erasePerson(service, team, email)).toMatchObject({ counts: { videos: 1 } })
  expect(await client.videos.retrieve(ref)).toMatchObject({
    draft: { body: 'Ask [erased].', metadata: { by: '[erased]', at: 1 }, author: { name: 'Bob', email: other } },
    captions: [{ label: 'English by [erased]' }],
  })
  const [caption] = await service.database.run<{ vtt: string }>('select vtt from video_captions where video_id = $1', [ref.video_id])
  expect(caption?.vtt).toBe(vtt.replace(email, '[erased]'))
  expect(await client.privacy.export({ team_id: team.id, email })).toMatchObject({ videos: [], mentions: [] })
})

test('an export shows a person’s videos with drafts, addresses and links that work', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const ref = await uploadVideo(service, team, await recording(), { draft: { body: 'Saved us a week.', author: { name: 'Ada', email } } })
  await untilState(service, team, ref, 'ready')
  const deleted = await reserve(team, { author: { email } })
  await client.videos.delete(deleted.ref)
  const { videos, request_id } = await client.privacy.export({ team_id: team.id, email })
  expect(videos).toMatchObject([{ id: ref.video_id, state: 'ready', draft: { body: 'Saved us a week.', author: { name: 'Ada', email } } }])
  expect((await fetch(here(service, videos[0]?.playback_url ?? null))).status).toBe(200)
  expect(await client.privacy.requests.retrieve({ team_id: team.id, request_id })).toMatchObject({ counts: { videos: 1 } })
})

test('drafts that are submitted while their author is erased leave neither submission nor video', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const drafts = await Promise.all(Array.from({ length: 20 }, () => reserve(team, { author: { name: 'Ada', email } })))
  const submitting = drafts.map(({ ref }) =>
    client.videos.draft.submit(ref).then(
      () => 'submitted',
      ({ code }) => code,
    ),
  )
  const [receipt, ...outcomes] = await Promise.all([erasePerson(service, team, email), ...submitting])
  expect(outcomes.filter((outcome) => outcome !== 'submitted' && outcome !== 'not_found')).toEqual([])
  expect(receipt.counts).toMatchObject({ videos: 20, submissions: outcomes.filter((outcome) => outcome === 'submitted').length })
  expect(await rowsOf(team)).toMatchObject({ videos: 0, submissions: 0 })
  expect((await client.submissions.counts(team.project)).total).toBe(0)
})
