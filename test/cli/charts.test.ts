import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE } from './records.ts'

const SURVEY = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e08'
const NPS = {
  ...{ score: 37.5, answered: 8, promoters: 5, passives: 1, detractors: 2 },
  ...{ promoters_percent: 62.5, passives_percent: 12.5, detractors_percent: 25 },
}

function question(change: Record<string, unknown>): Record<string, unknown> {
  const none = { choices: null, average: null, nps: null, quantiles: null, texts: null }
  return { question_id: SURVEY, ref: 'ref', type: 'short_text', title: 'What else?', answered: 0, ...none, ...change }
}

async function linesOf(args: string[], json: unknown, { columns = 80, env = { NO_COLOR: '1' } as Record<string, string> } = {}) {
  await using service = await playService({ json })
  const { out } = await earshot(args, { url: service.url, env: { ...PLACE, ...env }, columns })
  return out.trimEnd().split('\n')
}

test('results show a bar for each choice, and promoters beside detractors', async () => {
  const questions = [
    question({ type: 'nps', title: 'How likely are you to recommend us?', answered: 8, nps: NPS }),
    question({
      ...{ type: 'multiple_choice', title: 'What do you use?', answered: 12 },
      choices: [
        { value: 'api', label: 'The API', count: 12, percent: 100 },
        { value: 'cli', label: 'コマンド', count: 1, percent: 8.3 },
        { value: 'web', label: 'The web', count: 0, percent: 0 },
      ],
    }),
    question({
      type: 'number',
      title: 'How many are you?',
      answered: 1,
      average: 4.5,
      quantiles: { min: 1, p25: 2, median: 4, p75: 9, max: 900 },
    }),
    question({
      title: 'What else?',
      answered: 1,
      texts: { results: [{ value: 'A word\u001b[2J that\nis too long for this terminal, which has few columns' }] },
    }),
  ]
  const results = { survey_id: SURVEY, survey_version: 3, from: '2026-11-01', to: null, responses: 12, questions }
  expect(await linesOf(['surveys', 'results', SURVEY], results, { columns: 60 })).toEqual([
    '12 responses, questions of version 3, 2026-11-01 to …',
    '',
    'How likely are you to recommend us?',
    '  8 answers, NPS 37.5',
    '  ███████████████████▒▒▒▒░░░░░░░░',
    '  █ promoters 5 (62.5 %)   ▒ passives 1 (12.5 %)   ░ detractors 2 (25 %)',
    '',
    'What do you use?',
    '  12 answers',
    '  The API   ██████████████████████████████  12  100 %',
    '  コマンド  ██                               1  8.3 %',
    '  The web                                    0  0 %',
    '',
    'How many are you?',
    '  1 answer, average 4.5',
    '  min 1   p25 2   median 4   p75 9   max 900',
    '',
    'What else?',
    '  1 answer',
    '  “A word[2J that is too long for this terminal, which has…',
  ])
})

test('a score is shown with its course, without the days that nobody answered', async () => {
  const series = [
    { start: '2026-11-20', score: 50, answered: 6 },
    { start: '2026-11-21', score: null, answered: 0 },
    { start: '2026-11-22', score: -100, answered: 2 },
  ]
  const nps = { from: '2026-11-20', to: '2026-11-22', timezone: 'Europe/Berlin', ...NPS, series }
  expect(await linesOf(['analytics', 'nps'], nps)).toEqual([
    'NPS 37.5 of 8 answers, 2026-11-20 to 2026-11-22 (Europe/Berlin)',
    '  ███████████████████▒▒▒▒░░░░░░░░',
    '  █ promoters 5 (62.5 %)   ▒ passives 1 (12.5 %)   ░ detractors 2 (25 %)',
    '',
    '  2026-11-20    50.0  ██████████████████████████████  6',
    '  2026-11-22  -100.0  ██████████                      2',
  ])
})

test('an overview shows a range beside the one before, and the days on which something arrived', async () => {
  const figures = (change: Record<string, unknown>) => ({
    submissions: {
      ...{ total: 0, public: 0, moderated: 0, average_rating: null, average_ms_to_moderation: null },
      state: { pending: 0, approved: 0, rejected: 0 },
      kind: { text: 0, video: 0, testimonial: 0 },
      channel: { public: 0, api: 0, mcp: 0, import: 0, dashboard: 0 },
      rating: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, none: 0 },
      ...change,
    },
    responses: 3,
    nps: NPS,
  })
  const overview = {
    timezone: 'UTC',
    current: { from: '2026-11-21', to: '2026-11-22', ...figures({ total: 12, average_rating: 4.4, average_ms_to_moderation: 5_400_000 }) },
    previous: { from: '2026-11-19', to: '2026-11-20', ...figures({}) },
    days: [
      { day: '2026-11-21', submissions: 0, responses: 0 },
      { day: '2026-11-22', submissions: 12, responses: 1 },
    ],
  }
  const lines = await linesOf(['analytics', 'overview'], overview)
  expect(lines.slice(0, 4)).toEqual([
    '2026-11-21 to 2026-11-22, compared with 2026-11-19 to 2026-11-20 (UTC)',
    '',
    '                            now    before',
    '  submissions                12         0',
  ])
  expect(lines).toContain('  hours to moderation       1.5         -')
  expect(lines).toContain('  NPS                      37.5      37.5')
  expect(lines.slice(-2)).toEqual(['', '  2026-11-22  12 submissions, 1 response'])
})

test('a terminal with colours has promoters in green and detractors in red; a program gets JSON', async () => {
  const nps = { from: '2026-11-20', to: '2026-11-20', timezone: 'UTC', ...NPS, series: [] }
  const [, bars = ''] = await linesOf(['analytics', 'nps'], nps, { env: {} })
  expect(bars).toContain('\u001b[32m███')
  expect(bars).toContain('\u001b[31m░░░')
  expect(JSON.parse((await linesOf(['analytics', 'nps', '--json'], nps)).join('\n'))).toEqual(nps)
})

test('no answers are no bars', async () => {
  const none = { ...NPS, score: null, answered: 0, promoters: 0, passives: 0, detractors: 0 }
  const nps = {
    from: '2026-11-20',
    to: '2026-11-20',
    timezone: 'UTC',
    ...none,
    series: [{ start: '2026-11-20', score: null, answered: 0 }],
  }
  expect(await linesOf(['analytics', 'nps'], nps)).toEqual(['NPS – of 0 answers, 2026-11-20 to 2026-11-20 (UTC)'])
})

const NO_FIGURES = {
  ...{ attempts: 0, succeeded: 0, failed: 0, retried: 0, final: 0, success_share: null, p50_ms: null, p95_ms: null, p99_ms: null },
  causes: { response: 0, timeout: 0, connection: 0, interrupted: 0 },
}

function endpointStats(hours: Record<string, unknown>[], change: Record<string, unknown> = {}) {
  const startMs = Date.parse('2026-11-20T00:00:00.000Z')
  const at = (index: number) => new Date(startMs + index * 3_600_000).toISOString()
  const series = hours.map((hour, index) => ({ start: at(index), ...NO_FIGURES, ...hour }))
  return {
    ...{ endpoint_id: SURVEY, from: at(0), to: at(hours.length), totals: NO_FIGURES, series },
    backlog: { pending: 0, oldest_due_at: null },
    ...change,
  }
}

test('the figures of an endpoint are lines over the hours, beside the figure of all hours and the highest', async () => {
  const hours = [
    { attempts: 10, failed: 0, p50_ms: 20, p95_ms: 80, p99_ms: 90 },
    {},
    { attempts: 80, failed: 4, p50_ms: 40, p95_ms: 100, p99_ms: 30_000 },
    { attempts: 1, failed: 1, p50_ms: 5, p95_ms: 5, p99_ms: 5 },
  ]
  const totals = {
    ...{ attempts: 91, succeeded: 86, failed: 5, retried: 3, final: 2, success_share: 0.945, p50_ms: 38, p95_ms: 98, p99_ms: 30_000 },
    causes: { response: 4, timeout: 1, connection: 0, interrupted: 0 },
  }
  const stats = endpointStats(hours, { totals, backlog: { pending: 1, oldest_due_at: '2026-11-20T03:59:30.123Z' } })
  expect(await linesOf(['webhooks', 'stats', SURVEY], stats)).toEqual([
    '2026-11-20 00:00 to 2026-11-20 04:00 UTC, 4 hours',
    '',
    '                           all  peak/h',
    '  attempts  ▁ █▁            91      80',
    '  failed      █▂             5       4',
    '  p50 ms    ▄ █▁            38      40',
    '  p95 ms    ▇ █▁            98     100',
    '  p99 ms    ▁ █▁         30000   30000',
    '',
    '  94.5 % of 91 attempts succeeded',
    '  5 failed: 3 retried, 2 final; response 4, timeout 1',
    '  1 delivery pending, the first due since 2026-11-20 03:59:30 UTC',
  ])
})

test('a long range is drawn in as many blocks as the terminal has room for, each as high as its highest hour', async () => {
  const hours = Array.from({ length: 720 }, (_, index) => (index === 700 ? { attempts: 7, p50_ms: 3, p95_ms: 3, p99_ms: 3 } : {}))
  for (const columns of [200, 80, 40]) {
    const lines = await linesOf(
      ['webhooks', 'stats', SURVEY],
      endpointStats(hours, { backlog: { pending: 10_000, oldest_due_at: null } }),
      {
        columns,
      },
    )
    expect(lines[0]).toMatch(/720 hours, the highest of \d+ in each block$/)
    expect(lines.find((line) => line.startsWith('  attempts'))).toMatch(/^ {2}attempts +█ +0 +7$/)
    for (const line of lines.slice(1, 8)) expect(line.length).toBeLessThanOrEqual(columns)
    expect(lines.slice(-2)).toEqual(['  no attempts', '  at least 10000 deliveries pending'])
  }
})

test('the figures of an endpoint are JSON with --json', async () => {
  const stats = endpointStats([{}])
  expect(JSON.parse((await linesOf(['webhooks', 'stats', SURVEY, '--json'], stats)).join('\n'))).toEqual(stats)
})
