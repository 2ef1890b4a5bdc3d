import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Submission } from '../../web/src/dashboard/api.ts'
import type { BulkRun } from '../../web/src/dashboard/inbox/bulk-change.ts'
import type { TagChange } from '../../web/src/dashboard/inbox/tag-change.ts'
import { Browser, pass, reactQuery, type Tab } from './browser.ts'
import { changeOf, MADE_AT, PROJECT, submissionOf } from './records.ts'
import { FakeService, refusal, type SentRequest } from './service.ts'
import { messagesOf } from './shown-texts.ts'

const UPDATE = 'PATCH submissions/{id}/'
const CHANGED_AT = '2026-11-03T09:05:00.000Z'

let service: FakeService
let tab: Tab
/** The submissions as the service has them. */
let stored: Map<string, Submission>

beforeEach(() => {
  vi.useFakeTimers()
  stored = new Map(['ada', 'ben', 'cleo'].map((id) => [id, submissionOf({ id, tags: id === 'ada' ? ['press'] : [] })]))
  service = new FakeService().on(UPDATE, update)
  tab = new Browser().openTab({ service })
  const { api, lists } = tab.dashboard
  const page = { results: [...stored.values()].toReversed(), next_cursor: null }
  api.queries.setQueryData([...lists.listKey(PROJECT), { state: 'pending' }], { pages: [page], pageParams: [undefined] })
})

afterEach(() => void vi.useRealTimers())

test('a tag shows at once, and only it is sent', async () => {
  editor('ada').mutate({ add_tags: ['pricing'] })
  await pass()
  expect(tagsOf('ada')).toEqual(['press', 'pricing'])
  expect(service.sent(UPDATE).map(({ path, body }) => [path.split('/').at(-2), body])).toEqual([['ada', { add_tags: ['pricing'] }]])
})

test('a tag shows before the service has answered', async () => {
  service.on(UPDATE, () => new Promise(() => {}))
  editor('ada').mutate({ remove_tags: ['press'] })
  await pass()
  expect(tagsOf('ada')).toEqual([])
})

test('a tag that the service refuses goes again, and the refusal is shown', async () => {
  service.on(UPDATE, () => refusal(400, 'validation_error', { errors: [{ field: 'add_tags', detail: 'must be at most 20 tags' }] }))
  editor('ada').mutate({ add_tags: ['pricing'] })
  await pass()
  expect(tagsOf('ada')).toEqual(['press'])
  expect(messagesOf(tab).at(-1)).toMatch('must be at most 20 tags')
})

test('a tag that the service refuses goes again, also when the page has shown it meanwhile', async () => {
  const answer = Promise.withResolvers<Response>()
  service.on(UPDATE, () => answer.promise)
  const { mutate, render } = editor('ada')
  mutate({ add_tags: ['pricing'] })
  await pass()
  render()
  answer.resolve(refusal(403, 'insufficient_role'))
  await pass()
  expect(tagsOf('ada')).toEqual(['press'])
})

test('a tag whose removal the service refuses is there again', async () => {
  const answer = Promise.withResolvers<Response>()
  service.on(UPDATE, () => answer.promise)
  const { mutate, render } = editor('ada')
  mutate({ remove_tags: ['press'] })
  await pass()
  render()
  answer.resolve(refusal(403, 'insufficient_role'))
  await pass()
  expect(tagsOf('ada')).toEqual(['press'])
})

test('a refused tag takes nothing away that was changed while it was asked for', async () => {
  const answer = Promise.withResolvers<Response>()
  service.on(UPDATE, () => answer.promise)
  const { mutate, render } = editor('ada')
  mutate({ add_tags: ['pricing'] })
  await pass()
  tab.dashboard.lists.patchSubmission(PROJECT, 'ada', (one) => ({ ...one, tags: [...one.tags, 'of a colleague'] }))
  render()
  answer.resolve(refusal(403, 'insufficient_role'))
  await pass()
  expect(tagsOf('ada')).toEqual(['press', 'of a colleague'])
})

test('what the service saved is shown, with the tags of others', async () => {
  stored.set('ada', submissionOf({ id: 'ada', tags: ['press', 'of a colleague'] }))
  editor('ada').mutate({ add_tags: ['pricing'] })
  await pass()
  expect(tagsOf('ada')).toEqual(['press', 'of a colleague', 'pricing'])
})

test('a tag puts the submission into the lists of the tag', async () => {
  const { api, lists } = tab.dashboard
  const input = { state: 'pending', tag: 'pricing' } as const
  api.queries.setQueryData([...lists.listKey(PROJECT), input], { pages: [{ results: [], next_cursor: null }], pageParams: [undefined] })
  editor('ben').mutate({ add_tags: ['pricing'] })
  await pass()
  expect([...lists.idsOf(PROJECT, input)]).toEqual(['ben'])
})

test('the names of tags are read again after a change', async () => {
  const { api } = tab.dashboard
  api.queries.setQueryData(['tags', PROJECT, 'pages'], { pages: [], pageParams: [] })
  editor('ben').mutate({ add_tags: ['pricing'] })
  await pass()
  expect(api.queries.getQueryState(['tags', PROJECT, 'pages'])?.isInvalidated).toBe(true)
})

test('an own change is known when the stream tells it within a second, until somebody else changes more', async () => {
  const { ownUpdates } = tab.dashboard
  editor('ben').mutate({ add_tags: ['pricing'] })
  await pass()
  const told = (at: string) => ownUpdates.isOwnUpdate(changeOf('ben', 'pending', { type: 'submission.updated', at }))
  expect([told(CHANGED_AT), told('2026-11-03T09:05:00.900Z'), told('2026-11-03T09:05:01.000Z'), told(MADE_AT)]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(ownUpdates.isOwnUpdate(changeOf('ben', 'approved', { at: CHANGED_AT }))).toBe(false)
  ownUpdates.forgetOwnUpdate('ben')
  expect(told(CHANGED_AT)).toBe(false)
})

test('a tag for several is sent once for each that lacks it, and for no other', async () => {
  const runs = await changeAll({ tag: 'press', isAdded: true })
  expect(service.sent(UPDATE).map(({ path, body }) => [path.split('/').at(-2), body])).toEqual([
    ['ben', { add_tags: ['press'] }],
    ['cleo', { add_tags: ['press'] }],
  ])
  expect(runs.at(-1)).toMatchObject({ total: 2, done: 2, failed: [], problem: null, isRunning: false })
  expect(['ada', 'ben', 'cleo'].map(tagsOf)).toEqual([['press'], ['press'], ['press']])
})

test('a tag is taken from those that have it', async () => {
  await changeAll({ tag: 'press', isAdded: false })
  expect(service.sent(UPDATE).map(({ body }) => body)).toEqual([{ remove_tags: ['press'] }])
})

test('a change that nothing needs asks for nothing', async () => {
  const runs = await changeAll({ tag: 'nowhere', isAdded: false })
  expect(service.requests).toEqual([])
  expect(runs.at(-1)).toMatchObject({ total: 0, done: 0, isRunning: false })
})

test('at most four requests are on their way, whatever the number of submissions', async () => {
  const answers: (() => void)[] = []
  service.on(UPDATE, (request) => new Promise((resolve) => answers.push(() => resolve(update(request)))))
  for (let index = 0; index < 10; index += 1) stored.set(`more ${index}`, submissionOf({ id: `more ${index}` }))
  const all = changeAll({ tag: 'press', isAdded: true })
  for (let answered = 0; answered < 12; answered += 1) {
    await pass()
    expect(service.sent(UPDATE)).toHaveLength(Math.min(12, answered + 4))
    answers[answered]?.()
  }
  const runs = await all
  expect(runs.at(-1)).toMatchObject({ done: 12, isRunning: false })
})

test('those that fail are left as they are, are named, and the others are changed', async () => {
  service.on(UPDATE, (request) =>
    request.path.includes('ben') ? refusal(400, 'validation_error', { detail: 'Too many tags.' }) : update(request),
  )
  const runs = await changeAll({ tag: 'press', isAdded: true })
  expect(runs.at(-1)).toMatchObject({ total: 2, done: 1, problem: 'Too many tags.', isRunning: false })
  expect(runs.at(-1)?.failed.map(({ id }) => id)).toEqual(['ben'])
  expect(['ben', 'cleo'].map(tagsOf)).toEqual([[], ['press']])
})

test('progress is told after each submission', async () => {
  const runs = await changeAll({ tag: 'press', isAdded: true })
  expect(runs.map(({ done, isRunning }) => [done, isRunning])).toEqual([
    [0, true],
    [1, true],
    [2, true],
    [2, false],
  ])
})

/** The editor of a submission's tags. It is rendered again whenever the submission that it shows changes. */
function editor(id: string) {
  const { api, tagChange } = tab.dashboard
  const observer = new reactQuery.MutationObserver<Submission, Error, TagChange>(api.queries, tagChange.tagMutation(shown(id)))
  return {
    mutate: (change: TagChange) => void observer.mutate(change).catch(() => {}),
    render: () => observer.setOptions(tagChange.tagMutation(shown(id))),
  }
}

async function changeAll(change: { tag: string; isAdded: boolean }): Promise<BulkRun[]> {
  const runs: BulkRun[] = []
  const { targetsOf, changeTagOf } = tab.dashboard.bulkChange
  const end = changeTagOf(targetsOf(change, [...stored.values()]), change, { onRun: (run) => runs.push(run), onSaved: () => {} })
  await pass()
  await end
  return runs
}

function shown(id: string): Submission {
  const { api, lists } = tab.dashboard
  const data = api.queries.getQueryData<{ pages: { results: Submission[] }[] }>([...lists.listKey(PROJECT), { state: 'pending' }])
  const found = data?.pages.flatMap(({ results }) => results).find((one) => one.id === id)
  if (!found) throw new Error(`${id} is not in the list`)
  return found
}

function tagsOf(id: string): string[] {
  return shown(id).tags
}

/** Changes tags as the service does. */
function update({ path, body }: SentRequest): Submission {
  const id = path.split('/').at(-2) ?? ''
  const before = stored.get(id) ?? submissionOf({ id })
  const { add_tags = [], remove_tags = [] } = body as { add_tags?: string[]; remove_tags?: string[] }
  const tags = [...new Set([...before.tags, ...add_tags])].filter((tag) => !remove_tags.includes(tag))
  const after = { ...before, tags, updated_at: CHANGED_AT }
  stored.set(id, after)
  return after
}
