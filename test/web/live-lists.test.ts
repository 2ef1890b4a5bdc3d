import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, pass } from './browser.ts'
import { COUNTS, GATHER_MS, LIST, LiveProject, RETRIEVE, showList, shownIn, showVideoList } from './live.ts'
import { changeOf, countsOf, PROJECT, REF, submissionOf } from './records.ts'
import { noConnection, refusal } from './service.ts'
import { messagesOf } from './shown-texts.ts'

let project: LiveProject
let browser: Browser

beforeEach(() => {
  vi.useFakeTimers()
  project = new LiveProject()
  browser = new Browser()
})

afterEach(() => void vi.useRealTimers())

test('what changed between the list and the stream is shown once the stream begins', async () => {
  for (const id of ['ada', 'ben']) project.stored.set(id, submissionOf({ id }))
  const tab = await project.open(browser)
  expect(shownIn(tab)).toEqual(['ben', 'ada'])
  project.stored.set('ada', submissionOf({ id: 'ada', state: 'rejected' }))
  project.stored.set('cleo', submissionOf({ id: 'cleo' }))
  project.stream.ready('c0')
  await pass()
  expect(shownIn(tab)).toEqual(['cleo', 'ben'])
})

test('what is older than the newest twenty stays when the stream begins', async () => {
  for (let index = 10; index < 40; index += 1) project.stored.set(`s${index}`, submissionOf({ id: `s${index}` }))
  const tab = await project.openLive(browser)
  expect(shownIn(tab)).toHaveLength(30)
  expect(project.service.sent(LIST).map(({ query }) => query.limit)).toEqual(['100', '20'])
})

test('a list that shares nothing with the newest twenty begins again', async () => {
  project.stored.set('a', submissionOf({ id: 'a' }))
  const tab = await project.open(browser)
  for (let index = 10; index < 40; index += 1) project.stored.set(`s${index}`, submissionOf({ id: `s${index}` }))
  project.stream.ready('c0')
  await pass()
  expect(shownIn(tab)).toHaveLength(31)
  expect(project.service.sent(LIST).map(({ query }) => query.limit)).toEqual(['100', '20', '100'])
})

test('what cannot be read when the stream begins is tried some times, and then said by the list', async () => {
  const tab = await project.open(browser)
  project.service.on(LIST, () => refusal(500, 'internal_error'))
  project.stream.ready('c0')
  await pass(60_000)
  expect(project.service.sent(LIST).map(({ query }) => query.limit)).toEqual(['100', '20', '20', '20', '20', '100'])
  const { api, lists } = tab.dashboard
  expect(api.queries.getQueryState([...lists.listKey(PROJECT), { state: 'pending' }])?.status).toBe('error')
})

test('a decision of a colleague leaves the queue, and comes into the list of its state', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser, [{ state: 'pending' }, { state: 'approved' }])
  project.change([changeOf('ada', 'approved')], [submissionOf({ id: 'ada', state: 'approved' })])
  await pass(GATHER_MS)
  expect([shownIn(tab), shownIn(tab, { state: 'approved' })]).toEqual([[], ['ada']])
})

test('what was deleted leaves every list', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  project.stored.delete('ada')
  project.change([changeOf('ada', 'deleted')])
  await pass(GATHER_MS)
  expect(shownIn(tab)).toEqual([])
  expect(project.service.sent(RETRIEVE)).toEqual([])
})

test('what this page is deleting is not asked for, and is read again if it stays', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  const answer = Promise.withResolvers<void>()
  const deletion = tab.dashboard.ownDeletions.deleteOwn('ada', () => answer.promise)
  project.change([changeOf('ada', 'pending', { type: 'submission.updated' })], [submissionOf({ id: 'ada', body: 'Changed' })])
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toEqual([])
  answer.reject(new Error('no connection'))
  await expect(deletion).rejects.toThrow('no connection')
  await pass()
  expect(project.service.sent(LIST)).toHaveLength(3)
  expect(tab.dashboard.ownDeletions.isOwnDeletion('ada')).toBe(false)
})

test('a video that this page is deleting is not asked for', async () => {
  const video = { id: 'film', state: 'ready', error: null, draft: { submission_id: 'ada' } }
  project.service.on('GET videos/', () => ({ results: [video], next_cursor: null })).on('GET videos/{id}/', () => video)
  const tab = await project.openLive(browser)
  showVideoList(tab)
  await pass()
  const change = () =>
    project.change([changeOf('ada', 'pending', { kind: 'video', type: 'submission.updated' })], [submissionOf({ id: 'ada' })])
  change()
  await pass(GATHER_MS)
  expect(project.service.sent('GET videos/{id}/')).toHaveLength(1)
  void tab.dashboard.ownDeletions.deleteOwn('film', () => new Promise(() => {}))
  change()
  await pass(60_000)
  expect(project.service.sent('GET videos/{id}/')).toHaveLength(1)
})

test('a decision of a colleague takes away the one that is held here, and says who was faster', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  tab.dashboard.decisions.decide([submissionOf({ id: 'ada' })], 'approve')
  project.change([changeOf('ada', 'rejected')], [submissionOf({ id: 'ada', state: 'rejected' })])
  await pass(GATHER_MS)
  expect([...tab.dashboard.decisions.useHeld()]).toEqual([])
  expect(messagesOf(tab).at(-1)).toMatch(/rejected Ada’s words before you/)
})

test('a single change is read by itself, and several arrivals by one request', async () => {
  const tab = await project.openLive(browser)
  arrive('ada')
  await pass(GATHER_MS)
  arrive('ben')
  arrive('cleo')
  arrive('dora')
  await pass(10_000)
  expect(shownIn(tab)).toEqual(['dora', 'cleo', 'ben', 'ada'])
  expect(project.service.sent(RETRIEVE).map(({ path }) => path.split('/').at(-2))).toEqual(['ada'])
  expect(project.service.sent(LIST).map(({ query }) => query.limit)).toEqual(['100', '20', '100'])
})

test('more changes than can be read one by one begin the lists again', async () => {
  for (let index = 10; index < 35; index += 1) project.stored.set(`s${index}`, submissionOf({ id: `s${index}`, state: 'approved' }))
  await project.openLive(browser, [{ state: 'approved' }])
  const before = project.service.sent(LIST).length
  project.change([...project.stored.keys()].slice(0, 21).map((id) => changeOf(id, 'approved')))
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toEqual([])
  expect(project.service.sent(LIST)).toHaveLength(before + 1)
})

test('a change that no list shows is not read', async () => {
  const tab = await project.openLive(browser, [{ state: 'pending' }])
  project.change([changeOf('ada', 'approved')], [submissionOf({ id: 'ada', state: 'approved' })])
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toEqual([])
  expect(shownIn(tab)).toEqual([])
})

test('what is gone before it was read is left out, and the rest is shown', async () => {
  const tab = await project.openLive(browser, [{ state: 'pending' }, { state: 'approved' }])
  project.change([changeOf('ada', 'approved'), changeOf('ben', 'approved')], [submissionOf({ id: 'ben', state: 'approved' })])
  await pass(GATHER_MS)
  expect(shownIn(tab, { state: 'approved' })).toEqual(['ben'])
  // The lists as they are opened, and the newest of each when the stream begins.
  expect(project.service.sent(LIST)).toHaveLength(4)
})

test('what cannot be read begins the lists again', async () => {
  const tab = await project.openLive(browser)
  project.service.on(RETRIEVE, () => refusal(500, 'internal_error'))
  arrive('ada')
  await pass(GATHER_MS)
  expect(shownIn(tab)).toEqual(['ada'])
})

test('an own decision is not read again when the stream tells it', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const saved = submissionOf({ id: 'ada', state: 'approved' })
  project.service.on('POST submissions/moderate/', () => ({
    results: [{ submission_id: 'ada', outcome: 'changed', submission: saved, error: null }],
  }))
  const tab = await project.openLive(browser, [{ state: 'pending' }, { state: 'approved' }])
  tab.dashboard.decisions.decide([submissionOf({ id: 'ada' })], 'approve')
  await pass(5_000)
  project.change([changeOf('ada', 'approved')], [saved])
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toEqual([])
})

test('an own update is not read again, and what a colleague does right after it is', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  const own = submissionOf({ id: 'ada', tags: ['press'], updated_at: '2026-11-03T09:05:00.000Z' })
  tab.dashboard.ownUpdates.showOwnUpdate(own)
  const update = { type: 'submission.updated', at: '2026-11-03T09:05:00.200Z' } as const
  project.change([changeOf('ada', 'pending', update)], [own])
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toEqual([])
  project.change([changeOf('ada', 'pending', update)], [{ ...own, tags: ['of a colleague'] }])
  await pass(10_000)
  expect(project.service.sent(RETRIEVE)).toHaveLength(1)
})

test('an own update that comes together with that of a colleague is read', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  tab.dashboard.ownUpdates.showOwnUpdate(submissionOf({ id: 'ada' }))
  const update = { type: 'submission.updated' } as const
  project.change([changeOf('ada', 'pending', update), changeOf('ada', 'pending', update)])
  await pass(GATHER_MS)
  expect(project.service.sent(RETRIEVE)).toHaveLength(1)
})

test('another tab reads what its own lists show and the first tab did not read', async () => {
  await project.openLive(browser, [{ state: 'pending' }])
  const other = await project.open(browser, [{ state: 'approved' }])
  project.change([changeOf('ada', 'approved')], [submissionOf({ id: 'ada', state: 'approved' })])
  await pass(GATHER_MS)
  expect(shownIn(other, { state: 'approved' })).toEqual(['ada'])
  expect(project.service.sent(RETRIEVE)).toHaveLength(1)
})

test('a hidden list is read again when it is opened, if something in it changed', async () => {
  const tab = await project.openLive(browser, [{ state: 'pending' }])
  const close = showList(tab, { state: 'approved' })
  await pass()
  close()
  project.change([changeOf('ada', 'approved')], [submissionOf({ id: 'ada', state: 'approved' })])
  await pass(GATHER_MS)
  expect(shownIn(tab, { state: 'approved' })).toEqual([])
  showList(tab, { state: 'approved' })
  await pass()
  expect(shownIn(tab, { state: 'approved' })).toEqual(['ada'])
})

test('lists that were loaded before the project was followed are read again', async () => {
  const tab = browser.openTab({ service: project.service })
  const close = showList(tab, { state: 'pending' })
  await pass()
  close()
  await pass(5_001)
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  showList(tab, { state: 'pending' })
  tab.dashboard.showChanges.showChanges(REF)
  await pass()
  expect(shownIn(tab)).toEqual(['ada'])
})

test('the figures count arrivals at once, and are asked for at most once in twenty seconds', async () => {
  const tab = await project.openLive(browser)
  const { api } = tab.dashboard
  api.queries.setQueryData(['counts', PROJECT], countsOf(7))
  const isOutdated = () => api.queries.getQueryState(['counts', PROJECT])?.isInvalidated
  arrive('ada')
  // Timers of a timer run a millisecond later.
  await pass(GATHER_MS + 1)
  expect(api.queries.getQueryData(['counts', PROJECT])).toMatchObject({ pending: 8, total: 8 })
  expect(isOutdated()).toBe(true)
  api.queries.setQueryData(['counts', PROJECT], countsOf(8))
  arrive('ben')
  await pass(10_001)
  expect(shownIn(tab)).toEqual(['ben', 'ada'])
  expect(isOutdated()).toBe(false)
  await pass(9_999)
  expect(isOutdated()).toBe(true)
  expect(project.service.sent(COUNTS)).toEqual([])
})

test('without a connection nothing that is on the screen is lost', async () => {
  project.stored.set('ada', submissionOf({ id: 'ada' }))
  const tab = await project.openLive(browser)
  project.service.on(LIST, noConnection).on(RETRIEVE, noConnection)
  arrive('ben')
  await pass(60_000)
  expect(shownIn(tab)).toEqual(['ada'])
})

function arrive(id: string): void {
  project.change([changeOf(id, 'pending')], [submissionOf({ id })])
}
