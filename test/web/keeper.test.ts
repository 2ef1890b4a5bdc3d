import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Draft } from '../../web/src/dashboard/surveys/builder/draft.ts'
import { pass } from './browser.ts'
import { surveyOf } from './records.ts'
import { noConnection, refusal } from './service.ts'
import { named, PAUSE_MS, SurveyDesk, UPDATE, withQuestion } from './survey-desk.ts'

const RETRY_MS = 10_000

let desk: SurveyDesk

beforeEach(() => {
  vi.useFakeTimers()
  desk = new SurveyDesk()
})

afterEach(() => void vi.useRealTimers())

test('a draft is saved after a pause in typing, with only what changed', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('L'))
  await pass(PAUSE_MS - 1)
  keeper.change(named('Launch 2'))
  expect(keeper.read().state).toBe('changed')
  await pass(PAUSE_MS - 1)
  expect(desk.service.requests).toEqual([])
  await pass(1)
  expect(desk.updates()).toEqual([{ name: 'Launch 2', expected_updated_at: surveyOf().updated_at }])
  expect(keeper.read()).toMatchObject({ state: 'saved', survey: { name: 'Launch 2' } })
})

test('a change that is taken back is not saved', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Other'))
  keeper.change(named('Launch'))
  expect(keeper.read().state).toBe('saved')
  await pass(60_000)
  expect(desk.service.requests).toEqual([])
})

test('listeners are told of every change, until they leave', async () => {
  const { keeper, leave } = desk.edit()
  let told = 0
  const stop = keeper.subscribe(() => {
    told += 1
  })
  keeper.change(named('Other'))
  expect(told).toBe(1)
  stop()
  keeper.change(named('Another'))
  expect(told).toBe(1)
  leave()
})

test('what is typed while a save is on its way is saved after it, over what that save made', async () => {
  const answer = Promise.withResolvers<void>()
  desk.service.on(UPDATE, async (request) => {
    await answer.promise
    return desk.update(request)
  })
  const { keeper } = desk.edit()
  keeper.change(named('First'))
  await pass(PAUSE_MS)
  keeper.change(named('Second'))
  await pass(PAUSE_MS)
  expect(desk.updates()).toHaveLength(1)
  answer.resolve()
  await pass(PAUSE_MS)
  expect(desk.updates()).toEqual([
    { name: 'First', expected_updated_at: surveyOf().updated_at },
    { name: 'Second', expected_updated_at: '2026-11-03T10:00:01.000Z' },
  ])
  expect(keeper.read()).toMatchObject({ state: 'saved', draft: { name: 'Second' }, survey: { name: 'Second' } })
})

test('a new question gets the id that the service gave it, and is not made twice', async () => {
  const { keeper } = desk.edit()
  keeper.change(withQuestion('more'))
  await pass(PAUSE_MS)
  expect(keeper.read().draft.questions.map(({ key, id }) => [key, id])).toEqual([
    ['q-nps', 'q-nps'],
    ['q-why', 'q-why'],
    ['new-more', 'made-more'],
  ])
  keeper.change((draft) => ({ ...draft, questions: draft.questions.map((one) => ({ ...one, title: `${one.title}!` })) }))
  await pass(PAUSE_MS)
  expect(desk.updates()[1]?.questions?.map(({ id }) => id)).toEqual(['q-nps', 'q-why', 'made-more'])
})

test('a survey that was published is saved only when its author says so', async () => {
  desk = new SurveyDesk({ status: 'active' })
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  await pass(60_000)
  expect(desk.service.requests).toEqual([])
  const isSaved = keeper.save()
  await pass()
  expect(await isSaved).toBe(true)
  expect(desk.updates()).toHaveLength(1)
})

test('saving what has not changed asks for nothing', async () => {
  const { keeper } = desk.edit()
  expect(await keeper.save()).toBe(true)
  expect(desk.service.requests).toEqual([])
})

test('what the service would refuse is not sent, and is saved once it is corrected', async () => {
  const { keeper } = desk.edit()
  const withRef = (ref: string) => (draft: Draft) => ({
    ...draft,
    questions: draft.questions.map((one, index) => (index === 1 ? { ...one, ref } : one)),
  })
  keeper.change(withRef('nps'))
  await pass(PAUSE_MS)
  expect(keeper.read().state).toBe('invalid')
  expect(desk.service.requests).toEqual([])
  keeper.change(withRef('reason'))
  await pass(PAUSE_MS)
  expect(keeper.read().state).toBe('saved')
})

test('a refusal waits for the author, with its error', async () => {
  desk.service.on(UPDATE, () => refusal(400, 'validation_error', { errors: [{ field: 'name', detail: 'too long' }] }))
  const { keeper } = desk.edit()
  keeper.change(named('x'.repeat(500)))
  await pass(60_000)
  expect(keeper.read()).toMatchObject({ state: 'invalid', error: { code: 'validation_error' } })
  expect(desk.updates()).toHaveLength(1)
  desk.service.on(UPDATE, desk.update)
  keeper.change(named('Short'))
  expect(keeper.read().error).toBeNull()
  await pass(PAUSE_MS)
  expect(keeper.read().state).toBe('saved')
})

test.each([
  ['an error of the service', () => refusal(500, 'internal_error')],
  ['a session that has ended', () => refusal(401, 'not_authenticated')],
])('after %s the draft is kept, and tried again', async (_name, answer) => {
  desk.service.on(UPDATE, answer)
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  await pass(PAUSE_MS)
  expect(keeper.read().state).toBe('failed')
  expect(desk.storage.keys()).toEqual(['earshot.survey-draft.1.survey-1'])
  desk.service.on(UPDATE, desk.update)
  desk.tab.dashboard.signedOut.noteSignedIn()
  await pass(RETRY_MS)
  expect(keeper.read().state).toBe('saved')
  expect(desk.storage.keys()).toEqual([])
})

test('a draft that could not be sent is sent at once when the connection is back', async () => {
  desk.service.on(UPDATE, noConnection)
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  await pass(PAUSE_MS + 2_000)
  expect(keeper.read().state).toBe('failed')
  desk.service.on(UPDATE, desk.update)
  desk.tab.dispatch('online')
  await pass()
  expect(keeper.read().state).toBe('saved')
})

test('leaving the page saves a draft at once', async () => {
  const { keeper, leave } = desk.edit()
  keeper.change(named('Launch 2'))
  leave()
  await pass()
  expect(desk.updates()).toHaveLength(1)
})

test('leaving the page does not publish the changes of a survey that has respondents', async () => {
  desk = new SurveyDesk({ status: 'active' })
  const { keeper, leave } = desk.edit()
  keeper.change(named('Launch 2'))
  leave()
  await pass(60_000)
  expect(desk.service.requests).toEqual([])
  expect(desk.storage.keys()).toHaveLength(1)
})

test('changes of an earlier visit are there again, and are saved', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  const again = restored()
  expect(again.keeper.read()).toMatchObject({ isRestored: true, state: 'changed', draft: { name: 'Launch 2' } })
  await pass(PAUSE_MS)
  expect(again.keeper.read()).toMatchObject({ isRestored: false, state: 'saved' })
  expect(desk.stored.name).toBe('Launch 2')
})

test('changes of an earlier visit that were saved after all are not restored', () => {
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  desk.change({ name: 'Launch 2' })
  expect(restored().keeper.read()).toMatchObject({ isRestored: false, state: 'saved', theirs: null })
})

test('changes of an earlier visit meet those of somebody else as a conflict', async () => {
  const { keeper } = desk.edit()
  keeper.change(named('Mine'))
  desk.change({ name: 'Theirs' })
  const again = restored()
  expect(again.keeper.read()).toMatchObject({ state: 'conflict', draft: { name: 'Mine' }, theirs: { name: 'Theirs' } })
  await pass(60_000)
  expect(desk.service.requests).toEqual([])
})

test('a record in the storage that cannot be read is no draft', () => {
  desk.storage.setItem('earshot.survey-draft.1.survey-1', '{')
  expect(restored().keeper.read()).toMatchObject({ state: 'saved', isRestored: false })
})

test('a draft lives on in the page where the browser keeps nothing', async () => {
  desk.storage.isBroken = true
  const { keeper } = desk.edit()
  keeper.change(named('Launch 2'))
  await pass(PAUSE_MS)
  expect(desk.stored.name).toBe('Launch 2')
})

/** Opens the builder after the page was loaded again. */
function restored() {
  desk.reload()
  return desk.edit()
}
