import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pass } from './browser.ts'
import { ada, ben, cleo, type Desk, HOLD_MS, idsOf, MODERATE, openDesk } from './moderation.ts'
import { countsOf, PROJECT, submissionOf } from './records.ts'
import { messagesOf } from './shown-texts.ts'

let desk: Desk

beforeEach(() => {
  vi.useFakeTimers()
  desk = openDesk()
})

afterEach(() => void vi.useRealTimers())

test('a decision is sent after five seconds, and not before', async () => {
  desk.decisions.decide([ada], 'approve')
  expect(desk.held()).toEqual(['ada'])
  await pass(HOLD_MS - 1)
  expect(desk.service.sent(MODERATE)).toEqual([])
  await pass(1)
  expect(desk.sentItems()).toEqual([[{ submission_id: 'ada', action: 'approve', expected_state: 'pending', reason: null }]])
  expect(desk.held()).toEqual([])
})

test('decisions that are due within a few seconds of each other share a request', async () => {
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  desk.decisions.decide([ben], 'approve')
  await pass(2_000)
  desk.decisions.decide([cleo], 'reject')
  await pass(HOLD_MS - 2_000)
  expect(desk.sentIds()).toEqual([['ada'], ['ben']])
  await pass(HOLD_MS)
  expect(desk.sentIds()).toEqual([['ada'], ['ben'], ['cleo']])
})

test('steady work sends at most one request in five seconds', async () => {
  for (let index = 0; index < 60; index += 1) {
    desk.decisions.decide([submissionOf({ id: `steady-${index}` })], 'approve')
    await pass(1_000)
  }
  await pass(2 * HOLD_MS)
  expect(desk.sentIds().flat()).toHaveLength(60)
  expect(desk.service.sent(MODERATE).length).toBeLessThanOrEqual(14)
})

test('decisions on two projects are sent in requests of their own', async () => {
  const other = submissionOf({ id: 'zoe', project_id: 'project-2' })
  desk.decisions.decide([ada, other, ben], 'approve')
  await pass(HOLD_MS)
  expect(desk.service.sent(MODERATE).map((request) => [request.path.split('/')[3], idsOf(request)])).toEqual([
    [PROJECT, ['ada', 'ben']],
    ['project-2', ['zoe']],
  ])
})

test('a decision that is taken back is never sent', async () => {
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS - 1)
  expect(desk.decisions.takeBack()).toEqual([ada])
  expect(desk.held()).toEqual([])
  await pass(60_000)
  expect(desk.service.sent(MODERATE)).toEqual([])
})

test('undo takes back the last press, with all that it decided', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.decisions.decide([ben, cleo], 'reject')
  expect(desk.decisions.takeBack()).toEqual([ben, cleo])
  expect(messagesOf(desk.tab)).toEqual(['Approved Ada’s words', 'Undone: 2 decisions'])
  expect(desk.decisions.takeBack()).toEqual([ada])
  await pass(60_000)
  expect(desk.service.sent(MODERATE)).toEqual([])
})

test('the undo of a message takes back what the message says, whatever was decided after it', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.decisions.decide([ben], 'approve')
  expect(desk.decisions.takeBack(1)).toEqual([ada])
  await pass(HOLD_MS)
  expect(desk.sentIds()).toEqual([['ben']])
})

test('what is sent cannot be taken back, and undo says so', async () => {
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.decisions.takeBack()).toEqual([])
  expect(messagesOf(desk.tab).at(-1)).toMatch(/^Nothing to undo/)
})

test('what is on its way cannot be taken back', async () => {
  desk.service.on(MODERATE, () => new Promise(() => {}))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.decisions.takeBack()).toEqual([])
  expect(desk.held()).toEqual(['ada'])
})

test('the message of a decision is shown for as long as it can be undone', async () => {
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS - 1)
  expect(messagesOf(desk.tab)).toEqual(['Approved Ada’s words'])
  await pass(1)
  expect(messagesOf(desk.tab)).toEqual([])
})

test('a decision made after an undo counts again', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.decisions.takeBack()
  desk.decisions.decide([ada], 'reject', 'Spam')
  await pass(HOLD_MS)
  expect(desk.sentItems()).toEqual([[{ submission_id: 'ada', action: 'reject', expected_state: 'pending', reason: 'Spam' }]])
})

test('the figures and the lists move along when the service has taken a decision', async () => {
  const { lists, api, decisions } = desk.tab.dashboard
  api.queries.setQueryData([...lists.listKey(PROJECT), { state: 'pending' }], {
    pages: [{ results: [ada, ben], next_cursor: null }],
    pageParams: [undefined],
  })
  api.queries.setQueryData(['counts', PROJECT], { pending: 2, approved: 3, rejected: 0, total: 5 })
  decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect([...lists.idsOf(PROJECT, { state: 'pending' })]).toEqual(['ben'])
  expect(api.queries.getQueryData(['counts', PROJECT])).toEqual({ pending: 1, approved: 4, rejected: 0, total: 5 })
})

test('the figures count what is held, in its own project only', () => {
  const { decisions, lists } = desk.tab.dashboard
  decisions.decide([ada, submissionOf({ id: 'zoe', project_id: 'project-2' })], 'approve')
  decisions.decide([ben], 'reject')
  const counts = countsOf(5, 1)
  expect(lists.countHeld(decisions.useHeld(), counts, PROJECT)).toMatchObject({ pending: 3, approved: 2, rejected: 1 })
  expect(lists.countHeld(decisions.useHeld(), { ...counts, pending: 0 }, 'project-2')).toMatchObject({ pending: 0, approved: 2 })
})
