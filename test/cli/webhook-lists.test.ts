import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { attempt, PLACE, page, WEBHOOK } from './records.ts'

const HOUR_MS = 3_600_000
const NO_COLOR = { NO_COLOR: '1' }

/** Half a second off, so that no clock tick in between changes the text. */
function ago(ms: number): string {
  return new Date(Date.now() - ms - 500).toISOString()
}

function delivery(change: Record<string, unknown>): Record<string, unknown> {
  return {
    id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06',
    endpoint_id: WEBHOOK,
    event_id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e07',
    event_type: 'submission.created',
    state: 'succeeded',
    attempt_count: 1,
    next_attempt_at: null,
    payload: null,
    payload_sha256: 'ab'.repeat(32),
    replay_of: null,
    replay_id: null,
    created_at: '2026-11-20T09:30:00.000Z',
    updated_at: '2026-11-20T09:30:00.000Z',
    ...change,
  }
}

const deliveries = () => [
  delivery({ created_at: ago(3_000), state: 'sending' }),
  delivery({ created_at: ago(150_000), state: 'pending', attempt_count: 2, next_attempt_at: new Date(Date.now() + 90_500).toISOString() }),
  delivery({ created_at: ago(49 * HOUR_MS), state: 'failed', attempt_count: 8, event_type: 'submission.approved' }),
]

const attempts = () => [
  { ...attempt, started_at: ago(3_000), number: 3 },
  {
    ...attempt,
    started_at: ago(150_000),
    number: 2,
    status_code: 500,
    response_body: 'Internal Server Error: the worker ran out of luck',
    duration_ms: 1204,
  },
  {
    ...attempt,
    ...{ started_at: ago(5 * HOUR_MS), status_code: null, response_body: null, remote_ip: null },
    error: { code: 'connection_refused', detail: 'connect ECONNREFUSED 127.0.0.1:9' },
  },
]

async function linesOf(noun: string, columns: number, records: unknown[], env: Record<string, string> = NO_COLOR): Promise<string[]> {
  await using service = await playService(page(records))
  const { out } = await earshot(['webhooks', noun, 'list', WEBHOOK], { url: service.url, env: { ...PLACE, ...env }, columns })
  // Absolute instants of the day are none of this test's.
  return out
    .trimEnd()
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\dZ/g, 'YYYY-MM-DD HH:MMZ')
    .split('\n')
}

test('deliveries show id, type, state and age in 80 columns', async () => {
  expect(await linesOf('deliveries', 80, deliveries())).toEqual([
    'id                                    event_type           state    tries  age',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.created   sending      1   3s',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.created   pending      2   2m',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.approved  failed       8   2d',
  ])
})

test('in 120 columns also the time of the next attempt', async () => {
  expect(await linesOf('deliveries', 120, deliveries())).toEqual([
    'id                                    event_type           state    tries  next  age  created_at',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.created   sending      1     -   3s  YYYY-MM-DD HH:MMZ',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.created   pending      2    1m   2m  YYYY-MM-DD HH:MMZ',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06  submission.approved  failed       8     -   2d  YYYY-MM-DD HH:MMZ',
  ])
})

test('attempts show delivery, status or error code, and time in 80 columns', async () => {
  expect(await linesOf('attempts', 80, attempts())).toEqual([
    'delivery_id                           try  result                ms  age',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    3  200                   12   3s',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    2  500                 1204   2m',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    1  connection_refused    12   5h',
  ])
  expect(await linesOf('attempts', 80, attempts().slice(0, 2))).toEqual([
    'delivery_id                           try  result    ms  age  response_body',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    3  200       12   3s  thank you',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    2  500     1204   2m  Internal Server E…',
  ])
})

test('in 120 columns also the receiver’s response', async () => {
  expect(await linesOf('attempts', 120, attempts())).toEqual([
    'delivery_id                           try  result                ms  age  response_body                          trigger',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    3  200                   12   3s  thank you                              auto',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    2  500                 1204   2m  Internal Server Error: the worker ra…  auto',
    '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e06    1  connection_refused    12   5h  -                                      auto',
  ])
})

test('on a terminal successes are green, pending ones yellow, failures red', async () => {
  const coloured = async (noun: string, records: unknown[]) => (await linesOf(noun, 80, records, {})).slice(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for (ECMA-48 SGR).
  const colours = (lines: string[]) => lines.map((line) => /\u001b\[(\d+)m([\w-]+)/.exec(line)?.slice(1))
  expect(colours(await coloured('deliveries', [...deliveries(), delivery({})]))).toEqual([
    ['33', 'sending'],
    ['33', 'pending'],
    ['31', 'failed'],
    ['32', 'succeeded'],
  ])
  const running = { ...attempt, status_code: null, duration_ms: null }
  expect(colours(await coloured('attempts', [...attempts(), running]))).toEqual([
    ['32', '200'],
    ['31', '500'],
    ['31', 'connection_refused'],
    ['33', '-'],
  ])
})
