import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, pass, type Tab } from './browser.ts'
import { GATHER_MS, LIST, LiveProject, STREAM, shownIn } from './live.ts'
import { changeOf, submissionOf } from './records.ts'
import { noConnection, refusal } from './service.ts'

let project: LiveProject
let tab: Tab

beforeEach(async () => {
  vi.useFakeTimers()
  project = new LiveProject()
  tab = await project.openLive(new Browser())
})

afterEach(() => void vi.useRealTimers())

test('a stream that breaks is opened again after a second, where it ended', async () => {
  project.change([changeOf('ada', 'pending')], [submissionOf({ id: 'ada' })])
  await pass()
  project.stream.end()
  await pass(999)
  expect(stateOfTab()).toBe('connecting')
  expect(opened()).toHaveLength(1)
  await pass(1)
  expect(opened()).toEqual([undefined, 'c1'])
  const read = project.service.sent(LIST).length
  project.stream.ready('c1')
  await pass()
  expect(stateOfTab()).toBe('live')
  // Nothing was missed, so nothing is read again.
  expect(project.service.sent(LIST)).toHaveLength(read)
})

test('without a connection it is tried ever less often, at most every 30 seconds, and at once when there is one again', async () => {
  project.service.on(STREAM, noConnection)
  project.stream.end()
  await pass(1_000 + 2_000 + 4_000 + 8_000 + 16_000)
  expect(opened()).toHaveLength(6)
  await pass(90_000)
  expect(opened()).toHaveLength(9)
  tab.dispatch('online')
  await pass()
  expect(opened()).toHaveLength(10)
})

test('after a good connection the waits begin short again', async () => {
  project.service.on(STREAM, noConnection)
  project.stream.end()
  await pass(31_000)
  project.service.on(STREAM, project.stream.open)
  tab.dispatch('online')
  await pass()
  project.stream.ready('c0')
  await pass()
  const before = opened().length
  project.stream.end()
  await pass(1_000)
  expect(opened()).toHaveLength(before + 1)
})

test('a stream that is silent for 45 seconds is opened again', async () => {
  await pass(45_000)
  expect(opened()).toHaveLength(1)
  await pass(1_000)
  expect(opened()).toHaveLength(2)
})

test.each([
  [403, 'insufficient_role'],
  [404, 'not_found'],
])('a project that may not be followed any more (%i) is given up', async (status, code) => {
  project.service.on(STREAM, () => refusal(status, code))
  project.stream.end()
  await pass(1_000)
  expect(stateOfTab()).toBe('off')
  const before = opened().length
  await pass(600_000)
  expect(opened()).toHaveLength(before)
})

test('while the person is signed out the stream asks for nothing, and goes on when they are back', async () => {
  tab.dashboard.signedOut.noteSignedOut()
  project.stream.end()
  await pass(600_000)
  expect(opened()).toHaveLength(1)
  tab.dashboard.signedOut.noteSignedIn()
  await pass()
  expect(opened()).toHaveLength(2)
})

test('a session that ends while the stream is opened is noted, and the stream waits for the next one', async () => {
  project.service.on(STREAM, () => refusal(401, 'not_authenticated'))
  project.stream.end()
  await pass(1_000)
  expect(tab.dashboard.signedOut.isSignedOut()).toBe(true)
  await pass(600_000)
  expect(opened()).toHaveLength(2)
})

test('changes that come together are read and shown together', async () => {
  project.change([changeOf('ada', 'pending')], [submissionOf({ id: 'ada' })])
  await pass(GATHER_MS - 1)
  expect(shownIn(tab)).toEqual([])
  project.change([changeOf('ben', 'pending')], [submissionOf({ id: 'ben' })])
  await pass(1)
  expect(shownIn(tab)).toEqual(['ben', 'ada'])
})

test('in a busy hour changes are shown every ten seconds', async () => {
  project.change([changeOf('ada', 'pending')], [submissionOf({ id: 'ada' })])
  await pass(GATHER_MS)
  project.change([changeOf('ben', 'pending')], [submissionOf({ id: 'ben' })])
  await pass(9_999)
  expect(shownIn(tab)).toEqual(['ada'])
  await pass(1)
  expect(shownIn(tab)).toEqual(['ben', 'ada'])
})

test('a change that is being read is not undone by an older one', async () => {
  const slow = Promise.withResolvers<object>()
  project.service.on('GET submissions/ada/', () => slow.promise)
  project.change([changeOf('ada', 'pending')], [submissionOf({ id: 'ada' })])
  await pass(GATHER_MS)
  project.change([changeOf('ada', 'rejected')], [submissionOf({ id: 'ada', state: 'rejected' })])
  await pass(10_000)
  slow.resolve(submissionOf({ id: 'ada' }))
  await pass()
  expect(shownIn(tab)).toEqual([])
})

function opened(): (string | undefined)[] {
  return project.service.sent(STREAM).map(({ query }) => query.cursor)
}

function stateOfTab(): string {
  return tab.dashboard.liveState.useLiveState()
}
