import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pass } from './browser.ts'
import { ada, ben, type Desk, HOLD_MS, MODERATE, openDesk, tooLate } from './moderation.ts'
import { MADE_AT, PROJECT } from './records.ts'
import { messagesOf } from './shown-texts.ts'

let desk: Desk

beforeEach(() => {
  vi.useFakeTimers()
  desk = openDesk()
})

afterEach(() => void vi.useRealTimers())

test('what a colleague decided first is conceded before it is sent', async () => {
  desk.service.on('GET submissions/{id}/', () => ({ ...ada, state: 'rejected', moderation: { by: 'grace', at: MADE_AT, reason: null } }))
  desk.service.on('GET members/', () => ({ results: [{ user: { id: 'grace', name: 'Grace Hopper' } }], next_cursor: null }))
  desk.decisions.decide([ada], 'approve')
  desk.decisions.concede(new Map([['ada', 'rejected']]))
  expect(desk.held()).toEqual([])
  await pass(HOLD_MS - 1)
  expect(messagesOf(desk.tab).at(-1)).toBe('Grace Hopper rejected Ada’s words before you. Your decision changed nothing.')
  await pass(60_000)
  expect(desk.service.sent(MODERATE)).toEqual([])
})

test('a change that leaves the state as the person saw it takes no decision away', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.decisions.concede(new Map([['ada', 'pending']]))
  expect(desk.held()).toEqual(['ada'])
})

test('what is on its way is not conceded: its answer says who was first', async () => {
  desk.service.on(MODERATE, () => new Promise(() => {}))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  desk.decisions.concede(new Map([['ada', 'rejected']]))
  expect(desk.held()).toEqual(['ada'])
})

test('a decision that came too late changes nothing here, and says who was faster', async () => {
  desk.service.on(MODERATE, tooLate('state_conflict', 'rejected'))
  desk.service.on('GET submissions/{id}/', () => ({ ...ada, state: 'rejected', moderation: { by: null, at: MADE_AT, reason: null } }))
  const { lists, api, decisions } = desk.tab.dashboard
  const rejected = [...lists.listKey(PROJECT), { state: 'rejected' }]
  const pending = [...lists.listKey(PROJECT), { state: 'pending' }]
  api.queries.setQueryData(pending, { pages: [{ results: [ada, ben], next_cursor: null }], pageParams: [undefined] })
  api.queries.setQueryData(rejected, { pages: [{ results: [], next_cursor: null }], pageParams: [undefined] })
  api.queries.setQueryData(['counts', PROJECT], { pending: 2, approved: 0, rejected: 0, total: 2 })
  decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(messagesOf(desk.tab).at(-1)).toBe('Somebody else rejected Ada’s words before you. Your decision changed nothing.')
  expect([...lists.idsOf(PROJECT, { state: 'pending' })]).toEqual(['ben'])
  expect(api.queries.getQueryData(['counts', PROJECT])).toEqual({ pending: 1, approved: 0, rejected: 1, total: 2 })
  // The list of the state that it has now lacks it until it is read again.
  expect(api.queries.getQueryState(rejected)?.isInvalidated).toBe(true)
})

test('the words of somebody who deleted them are not said to be decided', async () => {
  desk.service.on(MODERATE, tooLate('not_found', null))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(messagesOf(desk.tab).at(-1)).toBe('Ada’s words are not there any more. Your decision changed nothing.')
})

test('an own decision is known when the stream tells it, once, and not that of a colleague', async () => {
  const { decisions } = desk.tab.dashboard
  decisions.decide([ada], 'approve')
  expect(decisions.isOwnDecision('ada', 'approved')).toBe(false)
  await pass(HOLD_MS)
  expect(decisions.isOwnDecision('ada', 'rejected')).toBe(false)
  expect(decisions.isOwnDecision('ada', 'approved')).toBe(true)
  expect(decisions.isOwnDecision('ada', 'approved')).toBe(false)
})

test('a decision that a colleague had made already is not an own one when the stream tells it', async () => {
  desk.service.on(MODERATE, () => ({ results: [{ submission_id: 'ada', outcome: 'unchanged', submission: null, error: null }] }))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.held()).toEqual([])
  expect(desk.decisions.isOwnDecision('ada', 'approved')).toBe(false)
})
