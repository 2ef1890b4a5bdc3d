import { plans } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const file = { file_name: 'clip.webm', content_type: 'video/webm' }
const pathOf = ({ project }: Team) => `/api/v1/teams/${project.team_id}/projects/${project.project_id}/videos/`
const publicPathOf = ({ publicKey }: Team) => `/api/public/v1/projects/${publicKey}/uploads/`

test('a video that the plan does not allow is 413 with the limit, on both planes, and uses no quota', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  const { maxBytes } = plans.pro.video
  for (const size_bytes of [maxBytes + 1, 3_000_000_000, Number.MAX_SAFE_INTEGER]) {
    const body = { ...file, size_bytes }
    const refused = { status: 413, body: { code: 'body_too_large', limit_bytes: maxBytes } }
    expect(await service.send('POST', pathOf(team), { token: team.token, body })).toMatchObject(refused)
    expect(await service.send('POST', publicPathOf(team), { body })).toMatchObject(refused)
  }
  expect(await service.send('POST', pathOf(team), { token: team.token, body: { ...file, size_bytes: maxBytes } })).toMatchObject({
    status: 201,
    body: { upload: { max_bytes: maxBytes } },
  })
  const { quotas } = await service.client(team.token).teams.usage({ team_id: team.id })
  expect(quotas.find(({ quota }) => quota === 'video_uploads')?.used).toBe(1)
})

test('of twenty reservations for the last unit of the quota one succeeds', async () => {
  const team = await makeTeam(service.database, { plan: 'free' })
  const reserve = () => service.send('POST', publicPathOf(team), { body: { ...file, size_bytes: 10 } })
  for (let number = 1; number < plans.free.quotas.video_uploads; number += 1) expect((await reserve()).status).toBe(201)
  const answers = await Promise.all(Array.from({ length: 20 }, reserve))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 402)])
  const [row] = await service.database.run<{ count: number }>('select count(*)::int from videos where team_id = $1', [team.id])
  expect(row?.count).toBe(plans.free.quotas.video_uploads)
})

test('an address reserves eight uploads a minute', async () => {
  const { secretBox } = service
  const strict = await startTestService(
    { rateLimitMultiplier: 1, trustProxy: (_address, hop) => hop < 1, services: { secretBox } },
    { store: service },
  )
  const team = await makeTeam(service.database)
  // A minute may end between two of them, so twice as many as fit into one.
  const answers = await Promise.all(
    Array.from({ length: 17 }, () =>
      strict.send('POST', publicPathOf(team), { body: { ...file, size_bytes: 10 }, headers: { 'x-forwarded-for': '198.51.100.7' } }),
    ),
  )
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(answers.map(() => '8'))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
  expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(8)
  await strict.close()
})

test('names of 2,000 characters, sizes below one and tokens in the body are field errors', async () => {
  const team = await makeTeam(service.database)
  const wrong: [object, string][] = [
    [{ ...file, file_name: 'a'.repeat(2_000), size_bytes: 10 }, 'file_name'],
    [{ ...file, size_bytes: 0 }, 'size_bytes'],
    [{ ...file, size_bytes: 1.5 }, 'size_bytes'],
    [{ ...file }, 'size_bytes'],
    [{ ...file, size_bytes: 10, upload_token: 'upl_1' }, 'upload_token'],
  ]
  for (const [body, field] of wrong) {
    expect(await service.send('POST', publicPathOf(team), { body })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', errors: [{ field }] },
    })
  }
})

test('a reservation with the same idempotency key is one video with one token', async () => {
  const team = await makeTeam(service.database)
  const call = { token: team.token, body: { ...file, size_bytes: 10 }, headers: { 'idempotency-key': 'once' } }
  const [first, second] = [await service.send('POST', pathOf(team), call), await service.send('POST', pathOf(team), call)]
  expect(second.body).toEqual(first.body)
  expect(first.headers.get('location')).toBe(`${pathOf(team)}${first.body.video.id}/`)
})

test('a draft is submitted with the author’s name alone, and cannot be changed after', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const { video } = await client.videos.reserve({ ...team.project, ...file, size_bytes: 10 })
  const ref = { ...team.project, video_id: video.id }
  const path = `${pathOf(team)}${video.id}/draft/`
  expect(await service.send('POST', `${path}submit/`, { token: team.token })).toMatchObject({
    status: 409,
    body: { code: 'state_conflict', current_state: 'incomplete', errors: [{ field: 'author.name', code: 'required' }] },
  })
  await client.videos.draft.update({ ...ref, author: { name: 'Ada' }, metadata: { page: '/pricing', plan: 'pro' } })
  await client.videos.draft.update({ ...ref, body: 'Saved us a week.', metadata: { plan: null } as never })
  const { submission_id } = await client.videos.draft.submit(ref)
  const submission = await client.submissions.retrieve({ ...team.project, submission_id: submission_id ?? '' })
  expect(submission).toMatchObject({
    ...{ kind: 'video', state: 'pending', channel: 'api', body: 'Saved us a week.', video_id: video.id, metadata: { page: '/pricing' } },
    consent: { granted: false },
  })
  expect(await service.send('PATCH', path, { token: team.token, body: { body: 'Other words.' } })).toMatchObject({
    status: 409,
    body: { code: 'state_conflict', current_state: 'submitted' },
  })
  expect(await client.videos.draft.retrieve(ref)).toMatchObject({ body: 'Saved us a week.', submission_id })
})
