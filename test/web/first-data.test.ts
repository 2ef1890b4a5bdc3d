import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, pass, reactQuery, type Tab } from './browser.ts'
import { MemoryStorage } from './memory-storage.ts'
import { countsOf, PROJECT, REF, submissionOf, TEAM } from './records.ts'
import { FakeService } from './service.ts'

const ME = { user: { id: 'grace', name: 'Grace Hopper' } }
const TEAMS = [{ id: TEAM, slug: 'acme' }]
const PROJECTS = [{ id: PROJECT, slug: 'app', team_id: TEAM }]
const PAGE = { results: [submissionOf({ id: 'ada' })], next_cursor: 'next' }

let service: FakeService
let storage: MemoryStorage

beforeEach(() => {
  vi.useFakeTimers()
  service = new FakeService()
    .on('GET me/', () => ME)
    .on('GET teams/', () => ({ results: TEAMS, next_cursor: null }))
    .on('GET projects/', () => ({ results: PROJECTS, next_cursor: null }))
    .on('GET submissions/counts/', () => countsOf(1))
  storage = new MemoryStorage()
})

afterEach(() => void vi.useRealTimers())

test('what the document brings is not asked for', async () => {
  const { api, places, firstData, lists } = open({
    ...{ now: Date.now(), me: ME, teams: TEAMS, projects: { team_id: TEAM, results: PROJECTS } },
    counts: { project_id: PROJECT, counts: countsOf(1) },
    submissions: { project_id: PROJECT, page: PAGE },
  }).dashboard
  firstData.takeFirstData()
  const { queries } = api
  const [project] = PROJECTS
  const read = [
    queries.fetchQuery(places.identityQuery),
    queries.fetchQuery(places.teamsQuery),
    queries.fetchQuery(places.projectsQuery(TEAM)),
    queries.fetchQuery(places.countsQuery(project as Parameters<typeof places.countsQuery>[0])),
  ]
  await pass()
  expect(await Promise.all(read)).toEqual([ME, TEAMS, PROJECTS, countsOf(1)])
  expect(service.requests).toEqual([])
  expect([...lists.idsOf(PROJECT, { state: 'pending' })]).toEqual(['ada'])
})

test('the list of the document goes on with its next page', async () => {
  service.on('GET submissions/', ({ query }) => ({ results: [submissionOf({ id: `behind ${query.cursor}` })], next_cursor: null }))
  const { api, firstData, lists } = open({ now: Date.now(), me: ME, submissions: { project_id: PROJECT, page: PAGE } }).dashboard
  firstData.takeFirstData()
  const observer = new reactQuery.InfiniteQueryObserver(api.queries, {
    queryKey: [...lists.listKey(PROJECT), { state: 'pending' }],
    queryFn: ({ pageParam }) => api.api.submissions.list({ ...REF, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const close = observer.subscribe(() => {})
  const more = observer.fetchNextPage()
  await pass()
  await more
  close()
  expect(service.sent('GET submissions/').map(({ query }) => query)).toEqual([{ cursor: 'next' }])
  expect([...lists.idsOf(PROJECT, { state: 'pending' })]).toEqual(['ada', 'behind next'])
})

test('what the document does not bring is asked for', async () => {
  const { api, places, firstData } = open({ now: Date.now(), me: ME }).dashboard
  firstData.takeFirstData()
  const read = [api.queries.fetchQuery(places.identityQuery), api.queries.fetchQuery(places.teamsQuery)]
  await pass()
  expect(await Promise.all(read)).toEqual([ME, TEAMS])
  expect(service.requests.map(({ path }) => path)).toEqual(['teams/'])
})

test('a document without data leaves all to be asked for, and changes nothing in the tab', async () => {
  storage.setItem('earshot.draft.tag.ada', '{"text":"pric"}')
  for (const text of [undefined, '']) {
    const { api, places, firstData } = open(text).dashboard
    firstData.takeFirstData()
    expect(api.queries.getQueryData(places.identityQuery.queryKey)).toBeUndefined()
  }
  expect(storage.keys()).toEqual(['earshot.draft.tag.ada'])
})

test('the document of somebody else forgets what the tab has kept of the last person', () => {
  storage.setItem('earshot.person', 'mallory')
  storage.setItem('earshot.draft.tag.ada', '{"text":"pric"}')
  open({ now: Date.now(), me: ME }).dashboard.firstData.takeFirstData()
  expect(storage.keys()).toEqual(['earshot.person'])
  expect(storage.getItem('earshot.person')).toBe('grace')
})

test('the person who is asked for claims the tab, too', async () => {
  storage.setItem('earshot.person', 'mallory')
  storage.setItem('earshot.draft.tag.ada', '{"text":"pric"}')
  const { api, places } = open(undefined).dashboard
  const read = api.queries.fetchQuery(places.identityQuery)
  await pass()
  await read
  expect(storage.keys()).toEqual(['earshot.person'])
})

test('the time of the document is that of the service, when the clock of the computer is far off', () => {
  const { clock, firstData } = open({ now: Date.now() + 86_400_000, me: ME }).dashboard
  firstData.takeFirstData()
  expect(clock.serviceNow() - Date.now()).toBe(86_400_000)
})

test('the clock of the computer is taken when it is nearly right, as responses have whole seconds', () => {
  const { clock } = open(undefined).dashboard
  clock.noteServiceNow(Date.now() + 60_001)
  clock.noteServiceNow(Date.now() + 60_000)
  expect(clock.serviceNow()).toBe(Date.now())
})

test('a response without a time leaves the clock as it was', () => {
  const { clock } = open(undefined).dashboard
  clock.noteServiceNow(Date.now() - 3_600_000)
  clock.noteServiceTime(new Response(null))
  expect(clock.serviceNow()).toBe(Date.now() - 3_600_000)
})

test('the dashboard opens where the person was last, also after a project was renamed, else at the first project', async () => {
  service.on('GET projects/', () => ({ results: [...PROJECTS, { id: 'project-2', slug: 'shop', team_id: TEAM }], next_cursor: null }))
  const { api, places } = open(undefined).dashboard
  const startOf = async () => {
    const start = places.findStart(api.queries)
    await pass()
    return await start
  }
  expect(await startOf()).toEqual({ team: 'acme', project: 'app' })
  places.rememberPlace('acme', 'shop')
  expect(await startOf()).toEqual({ team: 'acme', project: 'shop' })
  places.rememberPlace('acme', 'project-2')
  expect(await startOf()).toEqual({ team: 'acme', project: 'shop' })
  places.rememberPlace('gone', 'gone')
  expect(await startOf()).toEqual({ team: 'acme', project: 'app' })
})

test('people without a team, and a team without a project, have their own beginnings', async () => {
  service.on('GET projects/', () => ({ results: [], next_cursor: null }))
  const { api, places } = open(undefined).dashboard
  const start = places.findStart(api.queries)
  await pass()
  expect(await start).toEqual({ team: 'acme', project: null })
  api.queries.setQueryData(places.teamsQuery.queryKey, [])
  expect(await places.findStart(api.queries)).toBeNull()
})

function open(data: object | string | undefined): Tab {
  const text = typeof data === 'object' ? JSON.stringify(data) : data
  return new Browser().openTab({ service, sessionStorage: storage, ...(text !== undefined && { firstData: text }) })
}
