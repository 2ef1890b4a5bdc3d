import { sizes } from '@earshot/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getMedia } from '../support/media.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, makeReadyVideo, uploadVideo } from '../support/videos.ts'

const CLIP = Buffer.from('a clip')
const VTT = 'WEBVTT\n\n00:00.000 --> 00:02.000\nSaved us a week.\n'
const draft = { author: { name: 'Ada Lovelace' }, consent: { granted: true } }

let service: TestService
let team: Team
let ref: Awaited<ReturnType<typeof makeReadyVideo>>
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  ref = await makeReadyVideo(service, team, { clip: CLIP, draft })
})
afterAll(() => service.close())

test('captions are served beside the clip until they are deleted, each language once', async () => {
  const { videos } = service.client(team.token)
  const german = await videos.captions.create({ ...ref, language: 'de-AT', vtt: VTT })
  expect(german).toEqual({ id: expect.any(String), language: 'de-AT', label: 'Österreichisches Deutsch', url: expect.any(String) })
  const english = await videos.captions.create({ ...ref, language: 'en', label: 'English (short)', vtt: VTT })
  expect((await videos.retrieve(ref)).captions).toEqual([german, english])
  expect(await post({ language: 'en', vtt: VTT })).toMatchObject({ status: 409, body: { code: 'already_exists' } })

  const url = here(service, english.url)
  const { status, headers, bytes } = await getMedia(url)
  expect([status, headers['content-type'], bytes.toString()]).toEqual([200, 'text/vtt; charset=utf-8', VTT])
  await videos.captions.delete({ ...ref, caption_id: english.id })
  expect((await getMedia(url)).status).toBe(404)
  expect((await videos.retrieve(ref)).captions).toEqual([german])
  await expect(videos.captions.delete({ ...ref, caption_id: english.id })).rejects.toMatchObject({ status: 404 })
  const again = await videos.captions.create({ ...ref, language: 'en', vtt: 'WEBVTT' })
  expect((await getMedia(here(service, again.url))).bytes.toString()).toBe('WEBVTT')
})

test.for([
  ['EN-us', 'en-US', 'American English'],
  ['de-u-co-phonebk', 'de-u-co-phonebk', 'Deutsch'],
  ['en-x-quiet', 'en-x-quiet', 'English'],
  ['XX-yy-zz', 'xx-yy-zz', 'xx-yy-zz'],
] as const)('a language tag of %s is stored as %s, and called %s', async ([language, stored, label]) => {
  expect(await post({ language, vtt: VTT })).toMatchObject({ status: 201, body: { language: stored, label } })
  expect(await post({ language: language.toLowerCase(), vtt: VTT })).toMatchObject({ status: 409, body: { code: 'already_exists' } })
})

test('captions of a video that is not ready have no link yet', async () => {
  const waiting = await uploadVideo(service, team, Buffer.from('an original'))
  const { videos } = service.client(team.token)
  expect(await videos.captions.create({ ...waiting, language: 'en', vtt: VTT })).toMatchObject({ language: 'en', url: null })
  expect((await videos.retrieve(waiting)).captions).toMatchObject([{ language: 'en', url: null }])
  await videos.delete(waiting)
})

describe('what is no WebVTT, or too much, is refused', () => {
  test.for([
    ['nothing', '', 'vtt'],
    ['SubRip', '1\n00:00:00,000 --> 00:00:02,000\nHello\n', 'vtt'],
    ['a page', '<html>', 'vtt'],
    ['the name in small letters', 'webvtt\n', 'vtt'],
    ['a longer name', 'WEBVTTX\n', 'vtt'],
    ['a line before the name', '\nWEBVTT\n', 'vtt'],
    ['two byte order marks', '\uFEFF\uFEFFWEBVTT\n', 'vtt'],
    ['a NUL', 'WEBVTT\n\n\0', 'vtt'],
  ])('%s', async ([_what, vtt, field]) => {
    expect(await post({ language: 'en', vtt })).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field }] } })
  })

  test.for([
    ['the name alone', 'WEBVTT'],
    ['a title', 'WEBVTT Our customers\n'],
    ['a byte order mark', `\uFEFF${VTT}`],
    ['lines of Windows', 'WEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\nHi\r\n'],
  ])('but not %s', async ([_what, vtt]) => {
    const created = await post({ language: 'en', vtt })
    expect(created.status).toBe(201)
    expect((await getMedia(here(service, created.body.url))).bytes.toString()).toBe(vtt)
  })

  test('a megabyte is the most, counted in bytes', async () => {
    const room = sizes.captionBytes - 'WEBVTT\n'.length
    const accepted = [`WEBVTT\n${'a'.repeat(room)}`, `WEBVTT\n${'ä'.repeat(Math.floor(room / 2))}`]
    const refused = [`WEBVTT\n${'a'.repeat(room + 1)}`, `WEBVTT\n${'ä'.repeat(room / 2 + 1)}`, `WEBVTT\n${'字'.repeat(400_000)}`]
    for (const [index, vtt] of accepted.entries()) expect((await post({ language: `en-x-a${index}`, vtt })).status).toBe(201)
    for (const vtt of refused)
      expect(await post({ language: 'de', vtt })).toMatchObject({ status: 400, body: { errors: [{ field: 'vtt' }] } })
    expect(await post({ language: 'de', vtt: `WEBVTT\n${'a'.repeat(3_000_000)}` })).toMatchObject({ status: 413 })
  })

  test('a language that is none, and one more than a video may have', async () => {
    expect(await post({ language: 'not a language', vtt: VTT })).toMatchObject({ status: 400, body: { errors: [{ field: 'language' }] } })
    for (let index = 0; index < sizes.captionsPerVideo; index += 1)
      expect((await post({ language: `en-x-a${index}`, vtt: VTT })).status).toBe(201)
    expect(await post({ language: 'de', vtt: VTT })).toMatchObject({ status: 400, body: { errors: [{ field: 'language' }] } })
  })

  test('captions of a viewer, and of another team’s video', async () => {
    const viewer = await team.tokenOf('viewer')
    expect(await post({ language: 'en', vtt: VTT }, viewer)).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
    const other = await makeTeam(service.database)
    expect((await post({ language: 'en', vtt: VTT }, other.token)).status).toBe(404)
  })
})

describe('captions are public with the clip', () => {
  let submission: { team_id: string; project_id: string; submission_id: string }
  beforeEach(async () => {
    const client = service.client(team.token)
    const { submission_id } = await client.videos.draft.submit(ref)
    submission = { ...team.project, submission_id: submission_id ?? '' }
    await client.submissions.approve(submission)
  })

  test('as long as it is, in the list and in a widget', async () => {
    const client = service.client(team.token)
    const { id } = await client.videos.captions.create({ ...ref, language: 'en', vtt: VTT })
    await client.videos.captions.create({ ...ref, language: 'de', vtt: VTT })
    const { id: widget_id } = await client.widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
    const [item] = (await service.client().public.items.list({ public_key: team.publicKey })).results
    const widget = await service.client().public.widgets.retrieve({ widget_id })
    const captions = item?.video?.captions ?? []
    expect(captions).toEqual([
      { language: 'de', label: 'Deutsch', url: expect.stringContaining('.vtt?') },
      { language: 'en', label: 'English', url: expect.stringContaining(`/${id}.vtt?`) },
    ])
    expect(widget.items).toMatchObject([{ kind: 'video', video: item?.video }])
    const url = here(service, captions[1]?.url ?? null)
    const { status, headers, bytes } = await getMedia(url)
    expect([status, bytes.toString(), headers['cache-control']]).toEqual([200, VTT, 'no-cache'])
    await client.submissions.reject({ ...submission, expected_state: 'approved' })
    expect((await getMedia(url, { 'if-none-match': headers.etag ?? '' })).status).toBe(404)
  })

  test('and a widget with new or deleted captions has another entity tag', async () => {
    const client = service.client(team.token)
    const { id: widget_id } = await client.widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
    const show = (etag = '') => service.send('GET', `/api/public/v1/widgets/${widget_id}/`, { headers: { 'if-none-match': etag } })
    const first = await show()
    const tag = first.headers.get('etag') ?? ''
    expect((await show(tag)).status).toBe(304)
    const { id: caption_id } = await client.videos.captions.create({ ...ref, language: 'en', vtt: VTT })
    const second = await show(tag)
    expect([second.status, second.body.items[0].video.captions.length]).toEqual([200, 1])
    await client.videos.captions.delete({ ...ref, caption_id })
    const third = await show(second.headers.get('etag') ?? '')
    expect([third.status, third.body.items[0].video.captions]).toEqual([200, []])
  })
})

function post(body: object, token = team.token) {
  const path = `/api/v1/teams/${ref.team_id}/projects/${ref.project_id}/videos/${ref.video_id}/captions/`
  return service.send('POST', path, { token, body })
}
