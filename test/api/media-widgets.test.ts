import { afterAll, beforeAll, expect, test } from 'vitest'
import { stopClockWithin } from '../support/clock.ts'
import { getMedia } from '../support/media.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, makeReadyVideo } from '../support/videos.ts'

const HALF_HOUR_MS = 1_800_000
const draft = { author: { name: 'Ada Lovelace' }, consent: { granted: true }, body: 'Saved us a week.', rating: 5 }

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('a widget shows videos while they are public, and its links last longer than its entity tag', async () => {
  const client = service.client(team.token)
  const ref = await makeReadyVideo(service, team, { clip: Buffer.from('a clip'), draft })
  const { submission_id } = await client.videos.draft.submit(ref)
  const submission = { ...team.project, submission_id: submission_id ?? '' }
  const { id: widget_id } = await client.widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
  const show = (etag = '') => service.send('GET', `/api/public/v1/widgets/${widget_id}/`, { headers: { 'if-none-match': etag } })
  const empty = await show()
  expect(empty.body.items).toEqual([])
  await client.submissions.approve(submission)

  using clock = stopClockWithin(HALF_HOUR_MS)
  const first = await show(empty.headers.get('etag') ?? '')
  expect(first.status).toBe(200)
  const [{ video }] = first.body.items
  expect(video).toMatchObject({ duration_ms: 2_000, width: 1280, height: 720, captions: [] })
  const link = here(service, video.playback_url)
  expect((await getMedia(link)).bytes.toString()).toBe('a clip')
  const tag = first.headers.get('etag') ?? ''
  expect((await show(tag)).status).toBe(304)

  clock.pass(HALF_HOUR_MS)
  const second = await show(tag)
  expect([second.status, second.headers.get('etag') === tag]).toEqual([200, false])
  expect(second.body.items[0].video.playback_url).not.toBe(video.playback_url)
  // Who got the widget at the end of the half hour has its links for an hour more.
  expect((await getMedia(link)).status).toBe(200)

  await client.videos.delete(ref)
  expect((await show(second.headers.get('etag') ?? '')).body.items).toEqual([])
})
