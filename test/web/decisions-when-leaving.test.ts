import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, pass } from './browser.ts'
import { MemoryStorage } from './memory-storage.ts'
import { ada, ben, type Desk, HOLD_MS, idsOf, MODERATE, manySubmissions, openDesk } from './moderation.ts'
import { PROJECT, submissionOf } from './records.ts'

/** The limit of the Fetch standard for the bodies of requests that outlive a page ("keepalive"). */
const KEEPALIVE_BYTES = 65_536

let desk: Desk

beforeEach(() => {
  vi.useFakeTimers()
  desk = openDesk()
})

afterEach(() => void vi.useRealTimers())

test('leaving the page sends what is held by requests that outlive it', () => {
  desk.decisions.decide([ada, ben], 'approve')
  desk.tab.dispatch('pagehide')
  expect(desk.service.sent(MODERATE).map((request) => [request.isKept, idsOf(request)])).toEqual([[true, ['ada', 'ben']]])
})

test('leaving the page sends what is on its way once more, because its request ends with the page', async () => {
  desk.service.on(MODERATE, () => new Promise(() => {}))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  desk.tab.close()
  expect(desk.service.sent(MODERATE).map((request) => [request.isKept, idsOf(request)])).toEqual([
    [false, ['ada']],
    [true, ['ada']],
  ])
})

test('leaving the page sends nothing that was taken back or conceded, and nothing while signed out', () => {
  const { decisions, signedOut } = desk.tab.dashboard
  decisions.decide([ada], 'approve')
  decisions.takeBack()
  desk.tab.dispatch('pagehide')
  decisions.decide([ben], 'approve')
  signedOut.noteSignedOut()
  desk.tab.dispatch('beforeunload')
  desk.tab.dispatch('pagehide')
  expect(desk.service.sent(MODERATE)).toEqual([])
})

test('the browser asks before it leaves more decisions than can be sent then', () => {
  const { decisions } = desk.tab.dashboard
  decisions.decide(manySubmissions(350), 'approve')
  expect(desk.tab.dispatch('beforeunload')).toBe(true)
  decisions.decide([submissionOf({ id: 'one more' })], 'approve')
  expect(desk.tab.dispatch('beforeunload')).toBe(false)
})

test('all decisions fit into the requests that outlive a page, whatever their reasons', () => {
  const worst = ['"', '\n', '\u0001', 'ü', '😀'].map((character) => character.repeat(500 / character.length))
  const reasons = fc.oneof(fc.string({ unit: 'binary', maxLength: 250 }), fc.constantFrom(...worst))
  const presses = fc.array(fc.tuple(fc.integer({ min: 1, max: 80 }), fc.option(reasons)), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(presses, (made) => {
      const { decisions, service, tab } = openDesk()
      const ids = made.flatMap(([count, reason], press) => {
        const submissions = manySubmissions(count, press)
        decisions.decide(submissions, 'reject', reason)
        return submissions.map(({ id }) => id)
      })
      tab.dispatch('pagehide')
      const sent = service.sent(MODERATE)
      expect(sent.flatMap(idsOf)).toEqual(ids)
      expect(sent.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)).toBeLessThanOrEqual(KEEPALIVE_BYTES)
    }),
    { numRuns: 30 },
  )
})

test('a reason is sent when the page is left, as long as there is room for it', () => {
  desk.decisions.decide([ada], 'reject', 'Not a customer')
  desk.tab.dispatch('pagehide')
  expect(desk.sentItems()).toMatchObject([[{ submission_id: 'ada', reason: 'Not a customer' }]])
})

test('a page that the browser shows again as it was holds nothing and reads its lists again', async () => {
  const { decisions, api } = desk.tab.dashboard
  api.queries.setQueryData(['counts', PROJECT], { pending: 1 })
  decisions.decide([ada], 'approve')
  desk.tab.dispatch('pagehide')
  desk.tab.dispatch('pageshow', { persisted: true })
  expect(desk.held()).toEqual([])
  expect(api.queries.getQueryState(['counts', PROJECT])?.isInvalidated).toBe(true)
  await pass(60_000)
  expect(desk.service.sent(MODERATE)).toHaveLength(1)
})

test('a page that opens for the first time keeps its decisions', () => {
  desk.decisions.decide([ada], 'approve')
  desk.tab.dispatch('pageshow', { persisted: false })
  expect(desk.held()).toEqual(['ada'])
})

test('a new person leaves nothing of the last one in the tab', async () => {
  const storage = new MemoryStorage()
  const other = new Browser().openTab({ service: desk.service, sessionStorage: storage })
  other.dashboard.kept.keep('session', 'earshot.draft.reason.ada', 'A secret of Grace')
  other.dashboard.decisions.decide([ada], 'approve')
  other.dashboard.person.changePerson()
  await pass(60_000)
  expect(storage.keys()).toEqual([])
  expect(desk.service.sent(MODERATE)).toEqual([])
})
