import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pass } from './browser.ts'
import { REF } from './records.ts'
import { noConnection } from './service.ts'
import { named, PAUSE_MS, RETRIEVE, SurveyDesk, UPDATE, withQuestion } from './survey-desk.ts'

let desk: SurveyDesk

beforeEach(() => {
  vi.useFakeTimers()
  desk = new SurveyDesk()
})

afterEach(() => void vi.useRealTimers())

test('somebody else who saved a moment ago is met as a conflict, and nothing of theirs is overwritten', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  desk.change({ name: 'Theirs' })
  await pass(PAUSE_MS)
  expect(keeper.read()).toMatchObject({ state: 'conflict', draft: { name: 'Mine' }, theirs: { name: 'Theirs' } })
  keeper.change(named('Mine again'))
  await pass(60_000)
  expect(keeper.read().state).toBe('conflict')
  expect(await keeper.save()).toBe(false)
  expect(desk.updates()).toHaveLength(1)
  expect(desk.stored.name).toBe('Theirs')
})

test('keeping mine replaces theirs', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  keeper.receive(desk.change({ name: 'Theirs', thank_you_text: 'Thanks' }))
  expect(keeper.read().state).toBe('conflict')
  keeper.resolve('mine')
  await pass()
  expect(desk.stored).toMatchObject({ name: 'Mine', thank_you_text: null })
  expect(keeper.read()).toMatchObject({ state: 'saved', theirs: null })
})

test('keeping mine makes a question again that they deleted', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  keeper.receive(desk.change({ questions: desk.stored.questions.slice(0, 1) }))
  keeper.resolve('mine')
  await pass()
  expect(desk.updates()[0]?.questions?.map((question) => question.id)).toEqual(['q-nps', undefined])
  expect(keeper.read().state).toBe('saved')
})

test('taking theirs gives mine up, and sends nothing', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  keeper.receive(desk.change({ name: 'Theirs' }))
  keeper.resolve('theirs')
  expect(keeper.read()).toMatchObject({ state: 'saved', draft: { name: 'Theirs' }, theirs: null })
  await pass(60_000)
  expect(desk.updates()).toEqual([])
  expect(desk.storage.keys()).toEqual([])
})

test('what somebody else saved is taken over while nothing is changed here, and the focus stays in its question', () => {
  const { keeper } = desk.edit()
  const keys = keeper.read().draft.questions.map(({ key }) => key)
  keeper.receive(desk.change({ name: 'Theirs', questions: desk.stored.questions.toReversed() }))
  expect(keeper.read()).toMatchObject({ state: 'saved', draft: { name: 'Theirs' } })
  expect(keeper.read().draft.questions.map(({ key }) => key)).toEqual(keys.toReversed())
})

test('somebody else who made the same changes is no conflict', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Same'))
  keeper.receive(desk.change({ name: 'Same' }))
  expect(keeper.read()).toMatchObject({ state: 'saved', theirs: null })
  await pass(60_000)
  expect(desk.updates()).toEqual([])
})

test('a survey that was published meanwhile keeps the changes, which then wait for their author', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  keeper.receive(desk.change({ status: 'active' }))
  expect(keeper.read()).toMatchObject({ state: 'changed', draft: { name: 'Mine' }, theirs: null })
  await pass(60_000)
  expect(desk.stored.name).toBe('Launch')
})

test('a draft that saves itself does not reach respondents when it meets a survey that was published', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  desk.change({ status: 'active' })
  await pass(60_000)
  expect(desk.stored.name).toBe('Launch')
  expect(keeper.read()).toMatchObject({ state: 'changed', survey: { status: 'active' }, draft: { name: 'Mine' } })
  const isSaved = keeper.save()
  await pass()
  expect(await isSaved).toBe(true)
  expect(desk.stored.name).toBe('Mine')
})

test('a save that meets a change of nothing but the status is sent again', async () => {
  desk = new SurveyDesk({ status: 'active' })
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  desk.change({ status: 'closed' })
  const isSaved = keeper.save()
  await pass()
  expect(await isSaved).toBe(true)
  expect(desk.stored).toMatchObject({ name: 'Mine', status: 'closed' })
})

test('a conflict that cannot be read is a failure, which is tried again', async () => {
  desk.service.on(RETRIEVE, noConnection)
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  desk.change({ name: 'Theirs' })
  await pass(PAUSE_MS + 2_000)
  expect(keeper.read().state).toBe('failed')
  desk.service.on(RETRIEVE, () => desk.stored)
  await pass(10_000)
  expect(keeper.read()).toMatchObject({ state: 'conflict', theirs: { name: 'Theirs' } })
})

test('discarding goes back to what is saved', async () => {
  const { keeper } = desk.edit()
  keeper.change(withQuestion('more'))
  keeper.change(named('Mine'))
  keeper.discard()
  expect(keeper.read()).toMatchObject({ state: 'saved', draft: { name: 'Launch' }, isRestored: false })
  expect(keeper.read().draft.questions).toHaveLength(2)
  await pass(60_000)
  expect(desk.updates()).toEqual([])
  expect(desk.storage.keys()).toEqual([])
})

test('two saves at once are one after the other', async () => {
  const { keeper } = desk.edit()
  keeper.change(withQuestion('more'))
  const both = Promise.all([keeper.save(), keeper.save()])
  await pass()
  expect(await both).toEqual([true, true])
  expect(desk.updates()).toHaveLength(1)
})

test('a saved survey is shown on every page at once, and no older answer takes its place', async () => {
  const { api, surveyQueries } = desk.tab.dashboard
  const query = surveyQueries.surveyQuery({ ...REF, survey_id: 'survey-1' })
  const answer = Promise.withResolvers<object>()
  const before = desk.stored
  desk.service.on(RETRIEVE, () => answer.promise)
  // The window got the focus, and the survey is asked for again.
  const read = api.queries.fetchQuery(query).catch(() => {})
  await pass()
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  await pass(PAUSE_MS)
  answer.resolve(before)
  await pass()
  await read
  expect(api.queries.getQueryData(query.queryKey)).toMatchObject({ name: 'Mine' })
  expect(desk.service.sent(UPDATE)).toHaveLength(1)
})
