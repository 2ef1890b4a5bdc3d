import type { Submission } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { walkIds, walkPages } from '../support/walk-pages.ts'

const MANY = 4_500

let service: TestService
let team: Team
let many: Team
let everything: Submission[]
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  many = await makeTeam(service.database)
  await insertVaried()
  everything = (await service.send('GET', `${listOf(team)}?limit=100`, { token: team.token })).body.results
  await service.database.run(
    `insert into submissions (team_id, project_id, kind, channel, body, author_name, rating)
     select $1, $2, 'text', 'api', 'Common words ' || n, 'Ada', case when n in (1, 2200) then 5 else 1 end from generate_series(1, $3::int) n`,
    [many.id, many.project.project_id, MANY],
  )
})
afterAll(() => service.close())

test('every combination of filters returns the records that match all, newest first', async () => {
  const filters: [string, string, (one: Submission) => boolean][] = [
    ['state', 'approved', ({ state }) => state === 'approved'],
    ['kind', 'text', ({ kind }) => kind === 'text'],
    ['channel', 'api', ({ channel }) => channel === 'api'],
    ['tag', 'even', ({ tags }) => tags.includes('even')],
    ['min_rating', '3', ({ rating }) => (rating ?? 0) >= 3],
    ['has_video', 'false', ({ video_id }) => video_id === null],
    ['search', '1 NUMBER', ({ body }) => body.includes('1')],
  ]
  for (let bits = 0; bits < 2 ** filters.length; bits += 1) {
    const chosen = filters.filter((_, index) => bits & (2 ** index))
    const query = { limit: '100', ...Object.fromEntries(chosen) }
    const wanted = everything.filter((one) => chosen.every(([, , lets]) => lets(one))).map(({ id }) => id)
    expect(await walkIds(service, listOf(team), { token: team.token, query }), JSON.stringify(query)).toEqual(wanted)
  }
  const withVideo = await walkIds(service, listOf(team), { token: team.token, query: { has_video: 'true' } })
  expect(withVideo).toEqual(everything.filter(({ video_id }) => video_id !== null).map(({ id }) => id))
})

test('an external id finds its submission, together with other filters, and none that was deleted', async () => {
  const own = await makeTeam(service.database)
  const { id } = await own.submit({ external_id: 'A-1001', tags: ['launch'] })
  await own.submit({ external_id: 'A-1002' })
  await own.submit()
  const find = async (query: string) =>
    (await service.send('GET', `${listOf(own)}?${query}`, { token: own.token })).body.results.map((one: Submission) => one.id)
  expect(await find('external_id=A-1001')).toEqual([id])
  expect(await find('external_id=A-1001&tag=launch&state=pending')).toEqual([id])
  expect(await find('external_id=A-1001&state=approved')).toEqual([])
  expect(await find('external_id=a-1001')).toEqual([])
  await service.send('DELETE', `${listOf(own)}${id}/`, { token: own.token })
  expect(await find('external_id=A-1001')).toEqual([])
})

test('metadata filters by equality of text, numbers and booleans, also after an update', async () => {
  const own = await makeTeam(service.database)
  const post = async (metadata: object, more = {}) =>
    (
      await service.send('POST', listOf(own), {
        token: own.token,
        body: { kind: 'text', body: 'Words', author: { name: 'Ada' }, metadata, ...more },
      })
    ).body.id
  const team = await post({ plan: 'team', seats: 5, trial: false, nested: { plan: 'team' }, 'a.b': 'dots' })
  const solo = await post({ plan: 'solo', seats: 1, long: 'x'.repeat(201) }, { tags: ['launch'] })
  const find = (query: Record<string, string>) => walkIds(service, listOf(own), { token: own.token, query })
  expect(await find({ 'metadata.plan': 'team' })).toEqual([team])
  expect(await find({ 'metadata[plan]': 'solo' })).toEqual([solo])
  expect(await find({ 'metadata.seats': '5', 'metadata.trial': 'false' })).toEqual([team])
  expect(await find({ 'metadata.a.b': 'dots' })).toEqual([team])
  expect(await find({ 'metadata.plan': 'solo', tag: 'launch', state: 'pending', search: 'word' })).toEqual([solo])
  expect(await find({ 'metadata.plan': 'solo', tag: 'launch', search: 'absent' })).toEqual([])
  for (const query of [
    { 'metadata.plan': 'Team' },
    { 'metadata.nested': '{"plan": "team"}' },
    { 'metadata.plan': 'team', 'metadata.seats': '1' },
  ]) {
    expect(await find(query), JSON.stringify(query)).toEqual([])
  }
  expect(await service.client(own.token).submissions.list({ ...own.project, metadata: { plan: 'team' } })).toMatchObject({
    results: [{ id: team }],
  })

  await service.send('PATCH', `${listOf(own)}${team}/`, { token: own.token, body: { metadata: { plan: 'enterprise', seats: null } } })
  expect(await find({ 'metadata.plan': 'enterprise' })).toEqual([team])
  for (const query of [{ 'metadata.plan': 'team' }, { 'metadata.seats': '5' }]) expect(await find(query), JSON.stringify(query)).toEqual([])
  await service.send('DELETE', `${listOf(own)}${team}/`, { token: own.token })
  expect(await find({ 'metadata.plan': 'enterprise' })).toEqual([])
})

test('a metadata filter that is no object, given twice, too long or of too many keys is an error that names it', async () => {
  const wrong = [
    'metadata=team',
    'metadata.plan=a&metadata.plan=b',
    'metadata.plan=a&metadata[plan]=b',
    `metadata.plan=${'x'.repeat(201)}`,
    Array.from({ length: 6 }, (_value, index) => `metadata.key${index}=1`).join('&'),
    'metadata.=1',
  ]
  for (const query of wrong) {
    const answer = await service.send('GET', `${listOf(team)}?${query}`, { token: team.token })
    expect(answer, query).toMatchObject({
      status: 400,
      body: { code: 'validation_error', errors: [{ field: expect.stringMatching(/^metadata/) }] },
    })
  }
  const odd = await service.send('GET', `${listOf(team)}?metadata.__proto__=x&metadata[constructor]=y`, { token: team.token })
  expect(odd).toMatchObject({ status: 200, body: { results: [] } })
})

test('created_after is inclusive, created_before exclusive', async () => {
  const middle = everything[20] as Submission
  const [from, to] = [Date.parse(middle.created_at), Date.parse(everything[5]?.created_at ?? '')]
  const query = {
    created_after: new Date(from).toISOString(),
    created_before: new Date(to).toISOString().replace('Z', '+00:00'),
    limit: '100',
  }
  const wanted = everything.filter(({ created_at }) => Date.parse(created_at) >= from && Date.parse(created_at) < to).map(({ id }) => id)
  expect(await walkIds(service, listOf(team), { token: team.token, query })).toEqual(wanted)
  for (const bound of ['created_after', 'created_before']) {
    const answer = await service.send('GET', `${listOf(team)}?${bound}=yesterday`, { token: team.token })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: bound }] } })
  }
  expect(await walkIds(service, listOf(team), { token: team.token, query: { created_after: '9999-12-31T23:59:59Z' } })).toEqual([])
})

test('pages have no gaps or repetitions, however deep, and new records do not shift them', async () => {
  const first = await service.send('GET', `${listOf(many)}?limit=100`, { token: many.token })
  await many.submit()
  const query = { limit: '100', cursor: first.body.next_cursor }
  const pages = await walkRest(query)
  const ids = [...first.body.results, ...pages].map(({ id }: { id: string }) => id)
  expect(ids).toHaveLength(MANY)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(new Set(ids).size).toBe(MANY)
})

test('a rare filter reads a bounded number of records: pages may be empty, and the last one has no cursor', async () => {
  const pages = await walkPages(service, listOf(many), { token: many.token, query: { min_rating: '5' } })
  expect(pages.flat()).toHaveLength(2)
  expect(pages.length).toBeGreaterThanOrEqual(Math.floor(MANY / 2_000) + 1)
  expect(pages[0]).toEqual([])
  const sparse = await walkPages(service, listOf(many), { token: many.token, query: { search: 'no such words' } })
  expect(sparse.flat()).toEqual([])
  const full = await walkIds(service, listOf(many), { token: many.token, query: { search: 'common', limit: '100' } })
  expect(full).toHaveLength(MANY)
})

test('a filter that the last record of a bounded scan matches goes on behind it', async () => {
  const own = await makeTeam(service.database)
  // Of 2,100 records the scan of the first page ends at the 2,000th.
  await service.database.run(
    `insert into submissions (team_id, project_id, kind, channel, body, author_name, rating)
     select $1, $2, 'text', 'api', 'Words', 'Ada', case when n in (1, 101) then 5 else 1 end from generate_series(1, 2100) n`,
    [own.id, own.project.project_id],
  )
  const pages = await walkPages(service, listOf(own), { token: own.token, query: { min_rating: '5' } })
  expect(pages.map(({ length }) => length)).toEqual([1, 1])
})

test('a search matches literally, ignoring case, in title, body, name and company', async () => {
  const own = await makeTeam(service.database)
  const wanted: Record<string, string> = {
    '100%': (await own.submit({ body: 'I am 100% sure' })).id,
    e_c: (await own.submit({ body: 'snake_case' })).id,
    'k\\s': (await own.submit({ body: 'back\\slash' })).id,
    ÉTÉ: (await own.submit({ title: 'Un été' })).id,
    lovelace: (await own.submit({ author_name: 'Ada LOVELACE' })).id,
    engines: (await own.submit({ author_company: 'Analytical Engines' })).id,
    "'; --": (await own.submit({ body: "x'; -- y" })).id,
    'GAINED hour': (await own.submit({ body: 'An hour was gained.' })).id,
    東京: (await own.submit({ body: '新東京駅' })).id,
    strasse: (await own.submit({ body: 'Große Straße 3' })).id,
  }
  await own.submit({ body: 'I am 1000 sure, snakeXcase' })
  for (const [search, id] of Object.entries(wanted)) {
    expect(await walkIds(service, listOf(own), { token: own.token, query: { search } }), search).toEqual([id])
  }
})

test('a search without a word, or with too many of them, is an error that names the field', async () => {
  const many = Array.from({ length: 21 }, (_value, index) => `w${index}`).join(' ')
  for (const search of ['\u0301'.repeat(200), ' \t ', many]) {
    const answer = await service.send('GET', `${listOf(team)}?${new URLSearchParams({ search })}`, { token: team.token })
    expect(answer, search).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'search' }] } })
  }
  // A letter under 199 accents is that letter.
  const query = { search: `n${'\u0301'.repeat(199)}` }
  expect(await walkIds(service, listOf(team), { token: team.token, query })).toHaveLength(40)
})

test('a search ends after 500 ms, and a team runs two at once: the third is refused', async () => {
  const search = () => service.send('GET', `${listOf(many)}?search=common`, { token: many.token })
  const waiting = "select from pg_locks where relation = 'submissions'::regclass and not granted"
  await service.database.transaction(async (tx) => {
    await tx.run('lock table submissions in access exclusive mode', [])
    const running = [search(), search()]
    await until('both searches wait', async () => (await tx.run(waiting, [])).length === 2)
    const third = await search()
    expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(third.headers.get('retry-after')).toBe('1')
    for (const answer of await Promise.all(running)) {
      const detail = expect.stringContaining('The search took longer than 500 ms')
      expect(answer).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', detail } })
      expect(answer.headers.get('retry-after')).toBe('1')
    }
  })
  expect(await search()).toMatchObject({ status: 200, body: { results: expect.objectContaining({ length: 25 }) } })
})

test('only callers with read:contacts see and search e-mail addresses', async () => {
  const own = await makeTeam(service.database)
  const { id } = await own.submit({ author_email: 'secret@example.com' })
  const callers = [
    { token: await own.tokenOf('member', ['read:submissions', 'read:contacts']), sees: true },
    { token: await own.tokenOf('admin', ['read:submissions']), sees: false },
    { token: await own.tokenOf('viewer', ['read:submissions', 'read:contacts']), sees: false },
  ]
  for (const { token, sees } of callers) {
    const email = sees ? 'secret@example.com' : null
    const shown = await service.send('GET', `${listOf(own)}${id}/`, { token })
    const listed = await service.send('GET', listOf(own), { token })
    expect([shown.body.author.email, listed.body.results[0].author.email]).toEqual([email, email])
    expect(await walkIds(service, listOf(own), { token, query: { search: 'secret@' } })).toEqual(sees ? [id] : [])
  }
})

function listOf({ id, project }: Team): string {
  return `/api/v1/teams/${id}/projects/${project.project_id}/submissions/`
}

/** Forty submissions of which no two filters let through the same. */
async function insertVaried(): Promise<void> {
  await service.database.run(
    `insert into submissions (team_id, project_id, kind, state, channel, body, author_name, rating, tags, video_id)
     select $1, $2, (array['text', 'video', 'testimonial'])[1 + n % 3], (array['pending', 'approved', 'rejected'])[1 + n / 3 % 3],
            (array['public', 'api'])[1 + n / 5 % 2], 'number ' || n, 'Ada', nullif(n % 6, 0),
            case when n % 2 = 0 then array['even', 'n' || n] else '{}' end, case when n % 3 = 1 then uuidv7() end
       from generate_series(1, 40) n`,
    [team.id, team.project.project_id],
  )
}

async function walkRest(query: Record<string, string>): Promise<{ id: string }[]> {
  const results: { id: string }[] = []
  let cursor: string | null = query.cursor ?? null
  while (cursor !== null) {
    const page: { body: { results: { id: string }[]; next_cursor: string | null } } = await service.send(
      'GET',
      `${listOf(many)}?${new URLSearchParams({ ...query, cursor })}`,
      { token: many.token },
    )
    results.push(...page.body.results)
    cursor = page.body.next_cursor
  }
  return results
}
