import type { Event, Submission } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const RICH = {
  title: 'Titel „mit" Ümläut',
  body: 'Zeile 1\nZeile 2\t😀 \\ "quoted" </script>',
  rating: 4,
  author: {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    title: 'Countess',
    company: 'Analytical Engines',
    avatar_url: 'https://example.com/ada.png',
    website_url: 'http://example.com/ada?x=1#y',
  },
  consent: { granted: true, text: 'Publish it', granted_at: '2024-02-29T23:59:59.999+02:00' },
  source: { provider: 'g2', url: 'https://g2.example.com/1', collected_at: '2025-01-01T00:00:00Z' },
  language: 'en-GB',
  tags: ['one', 'two', 'one'],
  external_id: 'crm-1',
  metadata: { nested: { list: [1, 2.5, null, true, 'x'], 'key with "quotes"': {} }, big: 9007199254740991 },
}

let service: TestService
let team: Team
let submissions: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
})
afterAll(() => service.close())

test('a submission is stored as sent, pending, with the channel of the credential', async () => {
  const made = await service.send('POST', submissions, { token: team.token, body: RICH })
  expect(made).toMatchObject({
    status: 201,
    body: {
      ...RICH,
      kind: 'text',
      state: 'pending',
      channel: 'api',
      public: false,
      tags: ['one', 'two'],
      consent: { ...RICH.consent, granted_at: '2024-02-29T21:59:59.999Z', revoked_at: null },
      source: { ...RICH.source, collected_at: '2025-01-01T00:00:00.000Z' },
      moderation: { by: null, at: null, reason: null },
      video_id: null,
      import_id: null,
    },
  })
  expect(made.headers.get('location')).toBe(`${submissions}${made.body.id}/`)
  const shown = await service.send('GET', `${submissions}${made.body.id}/`, { token: team.token })
  expect(shown.body).toEqual(made.body)
  const headers = { 'x-earshot-client': 'mcp' }
  const byMcp = await service.send('POST', submissions, { token: team.token, headers, body: { body: 'x', author: { name: 'Ada' } } })
  expect(byMcp.body.channel).toBe('mcp')
})

test('a submission is of kind text, said or not, and of no other kind', async () => {
  const words = { body: 'Kind words', author: { name: 'Ada' } }
  for (const body of [words, { ...words, kind: 'text' }]) {
    const made = await service.send('POST', submissions, { token: team.token, body })
    expect(made).toMatchObject({ status: 201, body: { kind: 'text' } })
  }
  for (const kind of ['video', 'testimonial', null]) {
    const refused = await service.send('POST', submissions, { token: team.token, body: { ...words, kind } })
    expect(refused, `${kind}`).toMatchObject({ status: 400, body: { errors: [{ field: 'kind' }] } })
  }
})

test('an event shows a submission as the API does, with all fields or few, created or decided', async () => {
  const sparse = { body: 'Short', author: { name: 'Bob' } }
  for (const body of [{ ...RICH, external_id: 'crm-2' }, sparse]) {
    const made: Submission = (await service.send('POST', submissions, { token: team.token, body })).body
    expect(await payloadsOf(made.id)).toEqual([{ type: 'submission.created', submission: made }])
    const decision = { reason: 'Kind "words"' }
    const approved = (await service.send('POST', `${submissions}${made.id}/approve/`, { token: team.token, body: decision })).body
    const takenDown = await service.send('POST', `${submissions}${made.id}/reject/`, {
      token: team.token,
      body: { expected_state: 'approved' },
    })
    expect(await payloadsOf(made.id)).toEqual([
      { type: 'submission.created', submission: made },
      { type: 'submission.approved', submission: approved },
      { type: 'submission.rejected', submission: takenDown.body },
    ])
  }
})

test('a visitor’s submission looks the same in the event and in the API', async () => {
  const body = {
    body: 'From outside',
    author: { name: 'Eve', email: 'eve@example.com' },
    consent: { granted: true },
    metadata: { page: 1 },
  }
  const receipt = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body })
  const shown = await service.send('GET', `${submissions}${receipt.body.id}/`, { token: team.token })
  expect(shown.body).toMatchObject({ channel: 'public', created_at: receipt.body.created_at, author: { email: 'eve@example.com' } })
  expect(await payloadsOf(receipt.body.id)).toEqual([{ type: 'submission.created', submission: shown.body }])
})

test('an external_id is unique in its project until its submission is deleted', async () => {
  const body = { body: 'x', author: { name: 'Ada' }, external_id: 'unique' }
  const first = await service.send('POST', submissions, { token: team.token, body })
  expect(await service.send('POST', submissions, { token: team.token, body })).toMatchObject({
    status: 409,
    body: { code: 'already_exists' },
  })
  const project = await service.client(team.token).projects.create({ team_id: team.id, name: 'Elsewhere' })
  const elsewhere = submissions.replace(team.project.project_id, project.id)
  expect((await service.send('POST', elsewhere, { token: team.token, body })).status).toBe(201)
  await service.send('DELETE', `${submissions}${first.body.id}/`, { token: team.token })
  expect((await service.send('POST', submissions, { token: team.token, body })).status).toBe(201)
})

test('an update replaces the tags, merges the metadata, and changes nothing else', async () => {
  const made = (await service.send('POST', submissions, { token: team.token, body: { ...RICH, external_id: null } })).body
  const path = `${submissions}${made.id}/`
  const metadata = { big: null, nested: { list: [3], more: { deep: 1 } }, fresh: 'x' }
  const changed = await service.send('PATCH', path, { token: team.token, body: { metadata } })
  const merged = { nested: { list: [3], 'key with "quotes"': {}, more: { deep: 1 } }, fresh: 'x' }
  expect(changed).toMatchObject({ status: 200, body: { ...made, metadata: merged, updated_at: expect.any(String) } })
  expect(Object.keys(changed.body.metadata)).not.toContain('big')
  const tagged = await service.send('PATCH', path, { token: team.token, body: { tags: ['b', 'a', 'b'] } })
  expect(tagged.body).toEqual({ ...changed.body, tags: ['b', 'a'], updated_at: tagged.body.updated_at })
  for (const body of [{ body: 'other words' }, { rating: 1 }, { tags: null }, { metadata: null }, { state: 'approved' }]) {
    expect(await service.send('PATCH', path, { token: team.token, body }), JSON.stringify(body)).toMatchObject({ status: 400 })
  }
})

test('metadata cannot grow beyond its size by merging', async () => {
  const { id } = await team.submit()
  const answers: TestResponse[] = []
  for (const key of ['a', 'b']) {
    answers.push(
      await service.send('PATCH', `${submissions}${id}/`, { token: team.token, body: { metadata: { [key]: 'x'.repeat(15_000) } } }),
    )
  }
  expect(answers[0]?.status).toBe(200)
  expect(answers[1]).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'metadata' }] } })
})

test('metadata is limited in bytes as sent, and at full size the tags can still change', async () => {
  const create = (metadata: object) =>
    service.send('POST', submissions, { token: team.token, body: { body: 'x', author: { name: 'Ada' }, metadata } })
  expect((await create({ x: '語'.repeat(5_500) })).status).toBe(400)
  // PostgreSQL writes each with 326 digits: a request of 16 KB would make an event of 700 KB.
  expect((await create({ x: Array(51).fill(5e-324) })).status).toBe(400)
  for (const metadata of [{ x: '語'.repeat(5_400) }, { x: Array(8_180).fill(1) }, { x: Array(49).fill(5e-324) }]) {
    const made = await create(metadata)
    expect(made.status).toBe(201)
    const tagged = await service.send('PATCH', `${submissions}${made.body.id}/`, { token: team.token, body: { tags: ['full'] } })
    expect(tagged).toMatchObject({ status: 200, body: { metadata, tags: ['full'] } })
  }
})

test('sizes are counted in characters, and one more is refused', async () => {
  const author = { name: 'Ada' }
  const fits = { title: '😀'.repeat(200), body: '😀'.repeat(10_000), tags: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(50, 'é')) }
  expect((await service.send('POST', submissions, { token: team.token, body: { ...fits, author } })).status).toBe(201)
  const wrong: Record<string, unknown>[] = [
    { title: 'x'.repeat(201) },
    { body: 'x'.repeat(10_001) },
    { body: '' },
    { tags: Array.from({ length: 21 }, (_, n) => `${n}`) },
    { tags: ['x'.repeat(51)] },
    { rating: 0 },
    { rating: 6 },
    { metadata: { x: 'x'.repeat(16_384) } },
    { author: { name: 'x'.repeat(201) } },
    { author: { name: 'Ada', email: `${'x'.repeat(250)}@example.com` } },
    { author: { name: 'Ada', email: `${'x'.repeat(65)}@example.com` } },
    { author: { name: 'Ada', website_url: `https://example.com/${'x'.repeat(2_048)}` } },
    { author: { name: 'Ada', website_url: 'ftp://example.com' } },
    { source: { url: 'javascript:alert(1)' } },
  ]
  for (const fields of wrong) {
    const answer = await service.send('POST', submissions, { token: team.token, body: { body: 'x', author, ...fields } })
    expect(answer, Object.keys(fields)[0]).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  }
})

test('timestamps outside the years 1 to 9999 are refused, the limits accepted', async () => {
  const send = (collected_at: string) =>
    service.send('POST', submissions, { token: team.token, body: { body: 'x', author: { name: 'Ada' }, source: { collected_at } } })
  for (const instant of ['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '2026-02-30T00:00:00Z']) {
    expect(await send(instant), instant).toMatchObject({ status: 400, body: { errors: [{ field: 'source.collected_at' }] } })
  }
  for (const instant of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
    expect((await send(instant)).body.source.collected_at).toBe(instant)
  }
})

test('a deleted submission is gone at once', async () => {
  const { id } = await team.submit()
  expect((await service.send('DELETE', `${submissions}${id}/`, { token: team.token })).status).toBe(204)
  for (const [method, action] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', 'approve/'],
    ['POST', 'reject/'],
  ] as const) {
    expect((await service.send(method, `${submissions}${id}/${action}`, { token: team.token })).status, `${method} ${action}`).toBe(404)
  }
})

test('of fifty concurrent callers exactly one gets the last unit of the month', async () => {
  const own = await makeTeam(service.database, { plan: 'pro' })
  await service.database.run(
    "insert into quota_usage (team_id, quota, period, used) values ($1, 'submissions', date_trunc('month', now() at time zone 'UTC')::date, 4999)",
    [own.id],
  )
  const path = `/api/v1/teams/${own.id}/projects/${own.project.project_id}/submissions/`
  const create = () => service.send('POST', path, { token: own.token, body: { body: 'x', author: { name: 'Ada' } } })
  const answers = await Promise.all(Array.from({ length: 50 }, create))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(402)])
  const now = new Date()
  const resets_at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  const refused = answers.find(({ status }) => status === 402)
  expect(refused?.body).toMatchObject({ code: 'quota_exceeded', quota: 'submissions', limit: 5000, used: 5000, resets_at })
  const rows = await service.database.run('select id from submissions where team_id = $1', [own.id])
  const events = await service.database.run("select id from events where team_id = $1 and type = 'submission.created'", [own.id])
  expect([rows.length, events.length]).toEqual([1, 1])
})

/** What the events tell of a submission, in order. */
async function payloadsOf(id: string): Promise<{ type: string; submission: unknown }[]> {
  const rows = await service.database.run<{ payload: string }>(
    "select payload from events where payload::jsonb -> 'data' -> 'submission' ->> 'id' = $1 order by id",
    [id],
  )
  return rows.map(({ payload }) => {
    const { type, data } = JSON.parse(payload) as Event & { data: { submission: unknown } }
    return { type, submission: data.submission }
  })
}
