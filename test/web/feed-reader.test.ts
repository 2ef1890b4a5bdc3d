import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, pass, type Tab } from './browser.ts'
import { TEAM } from './records.ts'
import { FakeService, FakeStream, noConnection, refusal, type SentRequest } from './service.ts'

const LIST = 'GET events/'
const STREAM = 'GET events/stream/'

type FeedReader = InstanceType<Tab['dashboard']['feedReader']['FeedReader']>

let service: FakeService
let stream: FakeStream
let reader: FeedReader

beforeEach(() => {
  vi.useFakeTimers()
  stream = new FakeStream()
  service = new FakeService().on(LIST, page).on(STREAM, stream.open)
  reader = new (new Browser().openTab({ service }).dashboard.feedReader.FeedReader)(TEAM, undefined)
})

afterEach(() => {
  reader.stop()
  vi.useRealTimers()
})

test('the newest events are read, and the stream goes on after them', async () => {
  await start()
  expect(shown()).toEqual(ids(200, 176))
  expect(reader.view).toMatchObject({ state: 'live', hasOlder: true })
  stream.tell('c201', eventOf(201))
  stream.tell('c202', eventOf(202))
  await pass()
  expect(shown().slice(0, 3)).toEqual(ids(202, 200))
  expect(service.sent(STREAM).map(({ query }) => query.cursor)).toEqual(['newest'])
})

test('a stream that breaks goes on after the last event, and waits ever longer without a connection', async () => {
  await start()
  stream.tell('c201', eventOf(201))
  await pass()
  service.on(STREAM, noConnection)
  stream.end()
  await pass()
  expect(reader.view.state).toBe('lost')
  await pass(1_000 + 2_000 + 4_000)
  expect(service.sent(STREAM).map(({ query }) => query.cursor)).toEqual(['newest', 'c201', 'c201', 'c201'])
  service.on(STREAM, stream.open)
  await pass(8_000)
  stream.ready('c201')
  await pass()
  expect(reader.view.state).toBe('live')
  expect(shown()[0]).toBe('e0201')
})

test('events whose time is over are left out of the stream, which goes on with the newest', async () => {
  service.on(STREAM, (request) =>
    request.query.cursor === 'c300'
      ? stream.open(request)
      : refusal(400, 'cursor_expired', { oldest_cursor: 'c250', newest_cursor: 'c300' }),
  )
  await start()
  stream.ready('c300')
  await pass()
  expect(reader.view.state).toBe('live')
})

test('a refusal ends the feed with its error, and another start tries again', async () => {
  service.on(STREAM, () => refusal(403, 'insufficient_role'))
  reader.start()
  await pass()
  expect(reader.view).toMatchObject({ state: 'failed', error: { code: 'insufficient_role' } })
  expect(shown()).toHaveLength(25)
  await pass(600_000)
  expect(service.sent(STREAM)).toHaveLength(1)
  service.on(STREAM, stream.open)
  reader.start()
  await pass()
  stream.ready('newest')
  await pass()
  expect(reader.view).toMatchObject({ state: 'live', error: null })
  expect(service.sent(LIST)).toHaveLength(1)
})

test('a pause closes the stream, and what happened meanwhile comes when it goes on', async () => {
  await start()
  reader.pause()
  await pass()
  expect(reader.view.state).toBe('paused')
  expect(service.sent(STREAM)[0]?.signal.aborted).toBe(true)
  reader.start()
  await pass()
  stream.ready('newest')
  stream.tell('c201', eventOf(201))
  await pass()
  expect(shown()[0]).toBe('e0201')
  expect(service.sent(LIST)).toHaveLength(1)
})

test('older events follow those that are read, to the first', async () => {
  await start()
  for (let read = 0; read < 7; read += 1) await older()
  expect(shown()).toEqual(ids(200, 1))
  expect(reader.view.hasOlder).toBe(false)
  await older()
  expect(service.sent(LIST)).toHaveLength(8)
})

test('two presses for older events ask for one page', async () => {
  await start()
  const both = [reader.older(), reader.older()]
  await pass()
  await Promise.all(both)
  expect(service.sent(LIST)).toHaveLength(2)
  expect(shown()).toEqual(ids(200, 151))
})

test('older events that cannot be read are said to fail, and can be asked for again', async () => {
  await start()
  service.on(LIST, () => refusal(500, 'internal_error'))
  await older()
  expect(reader.view).toMatchObject({ olderError: { code: 'internal_error' }, isReadingOlder: false, state: 'live' })
  service.on(LIST, page)
  await older()
  expect(reader.view.olderError).toBeNull()
  expect(shown()).toEqual(ids(200, 151))
})

test('an event of an address is looked for in older pages, and no further than needed', async () => {
  await start()
  await seek('e0100')
  expect(shown()).toContain('e0100')
  expect(service.sent(LIST).map(({ query }) => query.limit)).toEqual(['25', '100'])
  await seek('e0190')
  expect(service.sent(LIST)).toHaveLength(2)
})

test('an expunged event is taken out', async () => {
  await start()
  reader.remove('e0199')
  expect(shown().slice(0, 2)).toEqual(['e0200', 'e0198'])
})

async function start(): Promise<void> {
  reader.start()
  await pass()
  stream.ready('newest')
  await pass()
}

async function older(): Promise<void> {
  const read = reader.older()
  await pass()
  await read
}

async function seek(id: string): Promise<void> {
  const found = reader.seek(id)
  await pass()
  await found
}

function shown(): string[] {
  return reader.view.events.map(({ id }) => id)
}

/** A feed of 200 events, newest first. A cursor is the number of the event that follows it. */
function page({ query: { limit = '25', cursor = '200' } }: SentRequest) {
  const first = Number(cursor)
  const last = Math.max(1, first - Number(limit) + 1)
  const results = ids(first, last).map((id) => eventOf(Number(id.slice(1))))
  return { results, next_cursor: String(last - 1), newest_cursor: 'newest', has_more: last > 1 }
}

function eventOf(number: number) {
  return { id: idOf(number), type: 'submission.created' }
}

/** Ids begin with their time. */
function ids(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, index) => idOf(from - index))
}

function idOf(number: number): string {
  return `e${String(number).padStart(4, '0')}`
}
