import { createClient } from '@earshot/contracts/client'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSubmissions, makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** Instead of fifteen seconds. */
const SHORT_BEAT_MS = 200
/** More than two pages of an export. */
const MANY = 1_203
/** Instead of the second for which a reader that takes nothing may delay a stop: this one takes what a busy machine lets it. */
const GENEROUS_MS = 15_000

let service: TestService
let team: Team
let ids: string[]
beforeAll(async () => {
  service = await startTestService({ streamHeartbeatMs: SHORT_BEAT_MS })
  team = await makeTeam(service.database)
  ids = await addSubmissions(service.database, team, MANY, 'Saved us a week.')
})
afterAll(() => service.close())

test('an export returns all records of the list, newest first, in one response', async () => {
  const response = await open(team)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="submissions.ndjson"')
  const records = recordsIn(await response.text())
  expect(records.map(({ id }) => id)).toEqual(ids.toReversed())

  const { body } = await service.send('GET', `${pathOf(team, 'submissions')}?limit=1`, { token: team.token })
  expect(records[0]).toEqual({ ...body.results[0], featured: false, excerpt: null, position: null })
})

test('an export counts as one request', async () => {
  const remaining = async () => Number((await open(team, '?state=approved')).headers.get('x-ratelimit-remaining'))
  const before = await remaining()
  await (await open(team)).text()
  expect(before - (await remaining())).toBe(2)
})

test('filters of the list narrow an export', async () => {
  const { id: submission_id } = await team.submit({ body: 'Zanzibar', tags: ['rare'] })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id })
  for (const query of [
    '?state=approved',
    '?tag=rare',
    '?search=zanzi',
    `?created_after=${encodeURIComponent(await createdAt(submission_id))}`,
  ]) {
    expect(
      recordsIn(await (await open(team, query)).text()).map(({ id }) => id),
      query,
    ).toEqual([submission_id])
  }
  await service.client(team.token).submissions.delete({ ...team.project, submission_id })
})

test('an export continues after the id of the last record, and refuses other cursors', async () => {
  const rest = recordsIn(await (await open(team, `?cursor=${ids[500]}`)).text())
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(0, 500).toReversed())
  const refused = await service.send('GET', `${pathOf(team, 'submissions/export')}?cursor=nonsense`, { token: team.token })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  const unknown = await service.send('GET', `${pathOf(team, 'submissions/export')}?format=xml`, { token: team.token })
  expect(unknown).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'format' }] } })
})

test('an export that loses its right ends with its cursor and the error', async () => {
  const other = await makeTeam(service.database)
  const all = await addLong(service, other)
  const client = service.client(other.token)
  const { id: token_id, token } = await client.me.tokens.create({ name: 'Export', scopes: ['read:submissions'] })
  const reader = (await open({ ...other, token })).body?.getReader()
  const chunks = [(await reader?.read())?.value ?? new Uint8Array()]
  await client.me.tokens.delete({ token_id })
  // Nothing is read meanwhile, so the service waits.
  await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_BEAT_MS))
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) chunks.push(chunk.value)
  const lines = recordsIn(Buffer.concat(chunks).toString())
  const end = lines.pop()
  expect(end).toMatchObject({ next_cursor: expect.any(String), error: { code: 'invalid_token' } })
  expect(lines.length).toBeLessThan(all.length)
  const rest = recordsIn(await (await open(other, `?cursor=${end?.next_cursor}`)).text())
  expect([...lines, ...rest].map(({ id }) => id)).toEqual(all.toReversed())
})

test('an export that the service ends when it stops says where it goes on', async () => {
  const stopping = await startTestService({ streamGraceMs: GENEROUS_MS, drainMs: GENEROUS_MS })
  const other = await makeTeam(stopping.database)
  const all = await addLong(stopping, other)
  const response = await openAt(stopping.url, other)
  const reader = response.body?.getReader()
  const chunks = [(await reader?.read())?.value ?? new Uint8Array()]
  const closed = stopping.close()
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) chunks.push(chunk.value)
  await closed
  const lines = recordsIn(Buffer.concat(chunks).toString())
  expect(lines.pop()).toEqual({ next_cursor: expect.stringMatching(/^[\w-]{22}$/) })
  expect(lines.map(({ id }) => id)).toEqual(all.toReversed().slice(0, lines.length))
  expect(lines.length).toBeLessThan(all.length)
})

test('a person runs two exports at once', async () => {
  const other = await makeTeam(service.database)
  await addLong(service, other)
  const running = await Promise.all([open(other), open(other)])
  expect(running.map(({ status }) => status)).toEqual([200, 200])
  const third = await service.send('GET', pathOf(other, 'submissions/export'), { token: other.token })
  expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  await Promise.all(running.map(({ body }) => body?.cancel()))
  await expect.poll(async () => (await open(other, '?state=approved')).status).toBe(200)
})

test('a table is safe in spreadsheets and reads back unchanged', async () => {
  const other = await makeTeam(service.database)
  const bodies = ['=1+1', "'=1+1", '+49 30', '-5', '@sum', '\tindented', '＝1', 'a,"b"\r\nc', "'quoted'", 'Grüße, 世界 🎉', ' spaced ']
  for (const body of bodies) await other.submit({ body, tags: ['a,b'], metadata: { plan: '=2' }, rating: 4 })
  const response = await open(other, '?format=csv')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  const text = Buffer.from(await response.arrayBuffer()).toString()
  expect(text.startsWith('\u{FEFF}id,team_id,project_id,kind,state,')).toBe(true)
  expect(text.split('\r\n')).toHaveLength(bodies.length + 3)
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true, record_delimiter: '\r\n' })
  for (const cell of rows.flatMap((row) => Object.values(row))) expect(cell).not.toMatch(/^[=+\-@\t＝]/)
  expect(rows.map(({ body = '' }) => (/^'+[=+\-@\t\r＝＋－＠]/.test(body) ? body.slice(1) : body))).toEqual(bodies.toReversed())
  expect(rows[0]).toMatchObject({
    'author.name': 'Ada',
    rating: '4',
    tags: '["a,b"]',
    metadata: '{"plan":"=2"}',
    title: '',
    public: 'false',
  })
})

test('responses are a table with a column for each question that was ever asked', async () => {
  const { surveys, responses } = service.client(team.token)
  const nps = { ref: 'recommend', type: 'nps' as const, title: 'Recommend?' }
  const survey = await surveys.create({
    ...team.project,
    name: 'Survey',
    questions: [nps, { ref: 'why', type: 'short_text', title: 'Why?' }],
  })
  const ref = { ...team.project, survey_id: survey.id }
  await surveys.publish(ref)
  const [first, why] = survey.questions
  const respondent = { email: 'ada@example.com' }
  const answers = [
    { question_id: first?.id ?? '', value: 9 },
    { question_id: why?.id ?? '', value: '=because' },
  ]
  await responses.create({ ...ref, answers, respondent })
  const edited = await surveys.update({
    ...ref,
    questions: [
      { id: first?.id ?? '', ...nps },
      {
        ref: 'plan',
        type: 'multiple_choice',
        title: 'Plan?',
        options: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B' },
        ],
      },
    ],
  })
  await responses.create({ ...ref, answers: [{ question_id: edited.questions[1]?.id ?? '', value: ['a', 'b'] }] })
  const path = `${pathOf(team, `surveys/${survey.id}/responses/export`)}?format=csv`
  const rowsFor = async (token: string): Promise<Record<string, string>[]> =>
    parse((await service.send('GET', path, { token })).body, { bom: true, columns: true })
  const [second, earlier] = await rowsFor(team.token)
  expect(Object.keys(second ?? {}).filter((name) => name.startsWith('answers.'))).toEqual([
    'answers.recommend',
    'answers.plan',
    'answers.why',
  ])
  expect(second).toMatchObject({ survey_version: '2', 'answers.recommend': '', 'answers.plan': '["a","b"]', 'answers.why': '' })
  expect(earlier).toMatchObject({ 'answers.recommend': '9', 'answers.why': "'=because", 'respondent.email': 'ada@example.com' })

  const blind = await team.tokenOf('member', ['read:responses'])
  expect((await rowsFor(blind))[1]).toMatchObject({ 'answers.recommend': '9', 'respondent.email': '' })
})

test('a viewer exports nothing, and addresses need read:contacts', async () => {
  const viewer = await service.send('GET', pathOf(team, 'submissions/export'), { token: await team.tokenOf('viewer') })
  expect(viewer).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
  const other = await makeTeam(service.database)
  await other.submit({ author_email: 'ada@example.com' })
  const blind = await other.tokenOf('member', ['read:submissions'])
  for (const format of ['ndjson', 'csv']) {
    expect(await (await open(other, `?format=${format}`)).text()).toContain('ada@example.com')
    const text = await (await open({ ...other, token: blind }, `?format=${format}`)).text()
    expect(text).toContain('Saved us a week.')
    expect(text).not.toContain('ada@')
  }
})

test('the client continues an export whose connection breaks', async () => {
  let calls = 0
  /** Breaks the first response off within a line. */
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    calls += 1
    if (calls > 1 || !response.body) return response
    let bytes = 0
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.length
        if (bytes > 100_000) controller.error(new Error('broken'))
        else controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(cut), response)
  }
  const client = createClient({ baseUrl: service.url, token: team.token, fetch: breaking })
  const read: string[] = []
  for await (const { id } of client.submissions.export(team.project)) read.push(id)
  expect(calls).toBe(2)
  expect(read).toEqual(ids.toReversed())
})

function pathOf({ id, project }: Team, rest: string): string {
  return `/api/v1/teams/${id}/projects/${project.project_id}/${rest}/`
}

function open(of: Team, query = ''): Promise<Response> {
  return openAt(service.url, of, query)
}

function openAt(url: string, of: Team, query = ''): Promise<Response> {
  return fetch(`${url}${pathOf(of, 'submissions/export')}${query}`, { headers: { authorization: `Bearer ${of.token}` } })
}

function recordsIn(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

async function createdAt(submission_id: string): Promise<string> {
  const { created_at } = await service.client(team.token).submissions.retrieve({ ...team.project, submission_id })
  return created_at
}

/** Adds more than the buffers between the service and its client hold. */
function addLong({ database }: TestService, to: Team): Promise<string[]> {
  return addSubmissions(database, to, 3_000, 'x'.repeat(9_000))
}
