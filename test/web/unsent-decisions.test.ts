import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pass } from './browser.ts'
import { ada, ben, cleo, type Desk, HOLD_MS, MODERATE, moderate, openDesk } from './moderation.ts'
import { PROJECT, submissionOf, TEAM } from './records.ts'
import { noConnection, refusal } from './service.ts'
import { messagesOf, textsOf } from './shown-texts.ts'

let desk: Desk

beforeEach(() => {
  vi.useFakeTimers()
  desk = openDesk()
})

afterEach(() => void vi.useRealTimers())

test('a decision names the state that the person saw, and the reason', async () => {
  desk.decisions.decide([{ ...ada, state: 'approved' }], 'reject', 'Not a customer')
  await pass(HOLD_MS)
  expect(desk.sentItems()).toEqual([[{ submission_id: 'ada', action: 'reject', expected_state: 'approved', reason: 'Not a customer' }]])
  expect(desk.service.sent(MODERATE)[0]?.path).toBe(`teams/${TEAM}/projects/${PROJECT}/submissions/moderate/`)
})

test('without a connection a decision waits, says so, and is tried again ever later until it arrives', async () => {
  desk.service.on(MODERATE, noConnection)
  desk.decisions.decide([ada], 'approve')
  await pass(60_000)
  expect(desk.held()).toEqual(['ada'])
  expect(textsOf(desk.tab.dashboard.notSent.NotSent({})).join(' ')).toMatch(/^One decision is not sent yet\./)
  const inFirstMinute = desk.service.sent(MODERATE).length
  await pass(60_000)
  const inSecondMinute = desk.service.sent(MODERATE).length - inFirstMinute
  // The client itself tries each request three times.
  expect(inSecondMinute).toBeLessThanOrEqual(9)
  expect(inSecondMinute).toBeGreaterThanOrEqual(3)
  desk.service.on(MODERATE, moderate)
  await pass(31_000)
  expect(desk.held()).toEqual([])
  expect(desk.decisions.useSendFailure()).toBeNull()
  expect(desk.tab.dashboard.notSent.NotSent({})).toBeNull()
})

test('a decision that may have been made cannot be taken back', async () => {
  desk.service.on(MODERATE, noConnection)
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS + 1_500)
  expect(desk.decisions.takeBack()).toEqual([])
  expect(desk.held()).toEqual(['ada'])
})

test('a decision that the service did not take because of too many requests can still be taken back', async () => {
  desk.service.on(MODERATE, () => refusal(429, 'rate_limited', {}, { 'retry-after': '600' }))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.held()).toEqual(['ada'])
  expect(desk.decisions.takeBack()).toEqual([ada])
})

test('a decision that is refused for good comes back to the list, and the refusal is shown', async () => {
  desk.service.on(MODERATE, () => refusal(403, 'insufficient_role', { detail: 'Your role is not sufficient.' }))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.held()).toEqual([])
  expect(messagesOf(desk.tab)).toEqual(['Your role is not sufficient. Ask an admin or the owner of the team.'])
  await pass(120_000)
  expect(desk.service.sent(MODERATE)).toHaveLength(1)
})

test('everything is sent at once when asked, and the answer says whether the service knows all of it', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.decisions.decide([submissionOf({ id: 'zoe', project_id: 'project-2' })], 'approve')
  const isSent = desk.decisions.sendAll()
  await pass()
  expect(await isSent).toBe(true)
  expect(desk.sentIds()).toEqual([['ada'], ['zoe']])
})

test('sending everything waits for what is on its way', async () => {
  const answer = Promise.withResolvers<void>()
  desk.service.on(MODERATE, (request) => answer.promise.then(() => moderate(request)))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  let isSent: boolean | null = null
  void desk.decisions.sendAll().then((all) => {
    isSent = all
  })
  await pass(1_000)
  expect(isSent).toBeNull()
  answer.resolve()
  await pass()
  expect(isSent).toBe(true)
  expect(desk.service.sent(MODERATE)).toHaveLength(1)
})

test('sending everything says when the connection is lost', async () => {
  desk.service.on(MODERATE, noConnection)
  desk.decisions.decide([ada], 'approve')
  const isSent = desk.decisions.sendAll()
  await pass(1_500)
  expect(await isSent).toBe(false)
})

test('while nobody is signed in nothing is sent, and the decision is sent when the same person is back', async () => {
  desk.decisions.decide([ada], 'approve')
  desk.tab.dashboard.signedOut.noteSignedOut()
  await pass(60_000)
  expect(desk.service.requests).toEqual([])
  // It waits for the person, and not for a time.
  expect(vi.getTimerCount()).toBe(0)
  desk.tab.dashboard.signedOut.noteSignedIn()
  await pass()
  expect(desk.sentIds()).toEqual([['ada']])
})

test('a session that has ended keeps the decision, which can be taken back', async () => {
  desk.service.on(MODERATE, () => refusal(401, 'not_authenticated'))
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.tab.dashboard.signedOut.isSignedOut()).toBe(true)
  expect(desk.decisions.takeBack()).toEqual([ada])
})

test('decisions are not sent in the name of somebody else who has signed in', async () => {
  desk.service.on('GET me/', () => ({ user: { id: 'somebody else' } }))
  desk.tab.dashboard.samePerson.watchPerson('grace', desk.tab.dashboard.person.changePerson)
  desk.decisions.decide([ada], 'approve')
  await pass(60_000)
  expect(desk.service.sent(MODERATE)).toEqual([])
  expect(desk.held()).toEqual([])
  expect(desk.tab.reloads).toBe(1)
})

test('a decision whose person could not be asked for was not sent, so it can be taken back', async () => {
  desk.service.on('GET me/', noConnection)
  desk.tab.dashboard.samePerson.watchPerson('grace', desk.tab.dashboard.person.changePerson)
  desk.decisions.decide([ada], 'approve')
  await pass(HOLD_MS)
  expect(desk.service.sent(MODERATE)).toEqual([])
  expect(desk.decisions.useSendFailure()).not.toBeNull()
  expect(desk.decisions.takeBack()).toEqual([ada])
})

test('the person is asked for once while the window keeps the focus, and again after it was left', async () => {
  desk.service.on('GET me/', () => ({ user: { id: 'grace' } }))
  desk.tab.dashboard.samePerson.watchPerson('grace', desk.tab.dashboard.person.changePerson)
  for (const one of [ada, ben]) {
    desk.decisions.decide([one], 'approve')
    await pass(2 * HOLD_MS)
  }
  expect(desk.service.sent('GET me/')).toHaveLength(1)
  desk.tab.dispatch('blur')
  desk.decisions.decide([cleo], 'approve')
  await pass(HOLD_MS)
  expect(desk.service.sent('GET me/')).toHaveLength(2)
  expect(desk.sentIds()).toEqual([['ada'], ['ben'], ['cleo']])
})
