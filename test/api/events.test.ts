import { numberFeeds } from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

interface Feed {
  results: {
    id: string
    type: string
    data: { submission?: { author: { email: string | null } }; member?: { user: { email: string | null } } }
  }[]
  next_cursor: string
  has_more: boolean
  newest_cursor: string
}

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('the feed goes from oldest to newest, has no last page, and is caught up at an empty page', async () => {
  team = await makeTeam(service.database)
  const client = service.client(team.token)
  for (let count = 0; count < 3; count += 1) {
    const { id } = await team.submit()
    await client.submissions.approve({ ...team.project, submission_id: id })
  }
  const empty = await read({})
  expect(empty).toEqual({ results: [], next_cursor: expect.any(String), has_more: false, newest_cursor: empty.next_cursor })
  const start = (await read({})).next_cursor
  await number()
  const first = await read({ cursor: start, limit: '4' })
  const second = await read({ cursor: first.next_cursor, limit: '4' })
  expect([...first.results, ...second.results].map(({ type }) => type)).toEqual(
    Array.from({ length: 3 }, () => ['submission.created', 'submission.approved']).flat(),
  )
  const end = await read({ cursor: second.next_cursor })
  expect(end).toEqual({ results: [], next_cursor: second.next_cursor, has_more: false, newest_cursor: second.next_cursor })
  expect([first.has_more, first.newest_cursor]).toEqual([true, second.next_cursor])

  await team.submit()
  await number()
  expect((await read({ cursor: end.next_cursor })).results).toMatchObject([{ type: 'submission.created' }])
})

test('newest first, the feed goes back to its oldest event, and a cursor leads on in either direction', async () => {
  team = await makeTeam(service.database)
  await team.tokenOf('member')
  const client = service.client(team.token)
  for (let count = 0; count < 3; count += 1) {
    const { id } = await team.submit()
    await client.submissions.approve({ ...team.project, submission_id: id })
  }
  await number()
  const all = (await read({})).results
  expect(all.length).toBeGreaterThan(6)
  const back = { order: 'newest_first', limit: '4' }
  const first = await read(back)
  expect(first.results).toEqual(all.slice(-4).toReversed())
  expect(first.has_more).toBe(true)
  await team.submit()
  await number()
  // What comes meanwhile is not on the next page, and is what follows the end of the first.
  const second = await read({ ...back, cursor: first.next_cursor, limit: '100' })
  expect(second.results).toEqual(all.slice(0, -4).toReversed())
  expect(second.has_more).toBe(false)
  expect((await read({ ...back, cursor: second.next_cursor })).results).toEqual([])
  expect((await read({ cursor: first.newest_cursor })).results).toMatchObject([{ type: 'submission.created' }])
  expect((await read({ cursor: first.next_cursor, limit: '4' })).results).toEqual(all.slice(-4))
  expect((await read({ ...back, cursor: first.newest_cursor })).results).toEqual(first.results)
})

test('newest first, the feed is filtered by types, leaves out what was expunged, and ends when all is read', async () => {
  team = await makeTeam(service.database)
  const client = service.client(team.token)
  for (let count = 0; count < 3; count += 1) {
    const { id } = await team.submit()
    await client.submissions.approve({ ...team.project, submission_id: id })
  }
  await number()
  const created = { order: 'newest_first', types: 'submission.created' }
  const { results } = await read(created)
  expect(results.map(({ type }) => type)).toEqual(['submission.created', 'submission.created', 'submission.created'])
  const [newest, , oldest] = results
  await client.events.expunge({ team_id: team.id, event_id: newest?.id ?? '' })
  // A page of an event without a payload is empty, and not the last.
  const gone = await read({ ...created, limit: '1' })
  expect(gone).toMatchObject({ results: [], has_more: true })
  expect((await read({ ...created, cursor: gone.next_cursor })).results).toEqual(results.slice(1))
  const approved = await read({ order: 'newest_first', types: 'submission.approved', limit: '3' })
  expect((await read({ ...created, cursor: approved.next_cursor })).results).toEqual([oldest])
  const unknown = await service.send('GET', `/api/v1/teams/${team.id}/events/?order=nothing`, { token: team.token })
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: 'order' }] } })
})

test('an event looks as webhooks deliver it, and only its own team sees it', async () => {
  team = await makeTeam(service.database)
  await team.submit()
  await (await makeTeam(service.database)).submit()
  await number()
  const { results } = await read({})
  const rows = await service.database.run<{ payload: string }>('select payload from events where team_id = $1', [team.id])
  expect(results).toEqual(rows.map(({ payload }) => JSON.parse(payload)))
})

test('the feed is filtered by types, by repeating the parameter', async () => {
  team = await makeTeam(service.database)
  await team.tokenOf('member')
  const { id } = await team.submit()
  await service.client(team.token).submissions.reject({ ...team.project, submission_id: id })
  await number()
  const types = async (query: string) => {
    const answer = await service.send('GET', `/api/v1/teams/${team.id}/events/?${query}`, { token: team.token })
    return answer.body.results.map(({ type }: { type: string }) => type)
  }
  expect(await types('types=submission.rejected')).toEqual(['submission.rejected'])
  expect(await types('types=team.member.added&types=submission.rejected')).toEqual(['team.member.added', 'submission.rejected'])
  expect(await types('types=video.ready')).toEqual([])
  const unknown = await service.send('GET', `/api/v1/teams/${team.id}/events/?types=nothing`, { token: team.token })
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: 'types.0' }] } })
})

test('only callers with read:contacts see e-mail addresses in events', async () => {
  team = await makeTeam(service.database)
  const blind = await team.tokenOf('admin', ['read:webhooks'])
  await team.submit({ author_email: 'secret@example.com' })
  await number()
  const emails = ({ results }: Feed) => results.map(({ data }) => data.submission?.author.email ?? data.member?.user.email ?? null)
  expect(emails(await read({}, blind))).toEqual([null, null])
  expect(emails(await read({}))).toEqual([expect.stringContaining('@example.com'), 'secret@example.com'])
})

test('a cursor that the feed did not issue is refused', async () => {
  team = await makeTeam(service.database)
  for (const cursor of ['', '%20', '%00', 'f', 'f-1', 'f00', 'fZZ', 'f3w5e11264sgsg', 'AAAAAAAAAAAAAAAAAAAAAA', `f${'0'.repeat(8_000)}`]) {
    for (const path of ['events/', 'events/stream/']) {
      const answer = await service.send('GET', `/api/v1/teams/${team.id}/${path}?cursor=${cursor}`, { token: team.token })
      expect(answer, `${path} ${cursor}`).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    }
  }
})

async function read(query: Record<string, string>, token = team.token): Promise<Feed> {
  const answer = await service.send('GET', `/api/v1/teams/${team.id}/events/?${new URLSearchParams(query)}`, { token })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}

/** Numbers events, as a worker does at each tick. */
async function number(): Promise<void> {
  await numberFeeds(service.database, { max: 1_000 })
}
