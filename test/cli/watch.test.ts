import { expect, test } from 'vitest'
import { earshot, type Setting } from './command-line.ts'
import { type PlayedAnswer, playService, refusal } from './fake-service.ts'
import { PLACE, page, submission } from './records.ts'

const watching = ['submissions', 'list', '--watch', '1']
const away: PlayedAnswer = { status: 503, headers: { 'retry-after': '999' }, ...refusal(503, 'dependency_unavailable') }

/** Watches until `requests` were answered, then presses Ctrl-C. */
async function watch(flags: readonly string[], answers: PlayedAnswer[], screen: Pick<Setting, 'columns' | 'rows' | 'onOutput'> = {}) {
  await using service = await playService(...answers)
  const controller = new AbortController()
  const ended = setInterval(() => {
    if (service.requests.length > answers.length) controller.abort()
  }, 5)
  const setting = { url: service.url, env: PLACE, haste: 1000, interruption: controller.signal }
  const outcome = await earshot([...watching, ...flags], { ...setting, ...screen })
  clearInterval(ended)
  return { ...outcome, requests: service.requests }
}

test('--watch into a pipe prints each new and each changed row once, and Ctrl-C ends it with 0', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => submission({ id }))
  const changed = submission({ id: 'a', state: 'approved' })
  const { out, err, exitCode, requests } = await watch(
    ['--ndjson'],
    [page([a]), page([c, b, a]), page([c, b, changed]), page([c, b, changed])],
  )
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map(({ id, state }) => [id, state])).toEqual([
    ['a', 'pending'],
    ['b', 'pending'],
    ['c', 'pending'],
    ['a', 'approved'],
  ])
  expect([err, exitCode]).toEqual(['', 0])
  expect(requests[0]?.path).toContain('limit=100')
})

test('--watch into a pipe has one header, as a table and as CSV', async () => {
  const pages = [page([]), page([submission({ id: 'a' })]), page([submission({ id: 'b' }), submission({ id: 'a' })])]
  expect(
    (await watch([], pages)).out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s/)[0]),
  ).toEqual(['id', 'a', 'b'])
  expect(
    (await watch(['--csv'], pages)).out
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['\uFEFFid', 'a', 'b'])
})

test('--watch on a terminal draws the table in the place of the last one, within its lines', async () => {
  const many = Array.from({ length: 25 }, (_, index) => submission({ id: `row-${index}` }))
  const { out, err, exitCode } = await watch([], [page([]), page(many, 'c1')], { columns: 100, rows: 10 })
  const [before, first, second = ''] = out.split('\u001b[2J\u001b[H')
  expect([before, err, exitCode]).toEqual(['', '', 0])
  expect(first).toMatch(/^Every 1 s: earshot submissions list, \d\d:\d\d:\d\d\. Ctrl-C ends it\.\n\nnothing found\n$/)
  expect(second.trimEnd().split('\n').length).toBeLessThanOrEqual(9)
  expect(second).toContain('row-5')
})

test('--watch draws the table as wide as the terminal is now', async () => {
  let columns = 120
  const onOutput = () => {
    columns = 60
  }
  const { out } = await watch([], [page([submission()]), page([submission()])], { columns: () => columns, onOutput })
  const [first, second] = out
    .split('\u001b[2J\u001b[H')
    .slice(1)
    .map((screen) => Math.max(...screen.split('\n').map((line) => line.length)))
  expect(first).toBeGreaterThan(60)
  expect(second).toBeLessThanOrEqual(60)
})

test('--watch keeps within a terminal of 20 columns', async () => {
  const { out } = await watch([], [page([submission()])], { columns: 20, rows: 10 })
  expect(out).toContain('Every 1 s: earshot')
  for (const line of out.replaceAll('\u001b[2J\u001b[H', '').split('\n')) expect(line.length).toBeLessThanOrEqual(20)
})

test('--watch goes on when the service is away, and says so once', async () => {
  const answers = [page([submission({ id: 'a' })]), away, away, page([submission({ id: 'b' })])]
  const { out, err, exitCode } = await watch(['--output', 'id'], answers)
  expect([out, exitCode]).toEqual(['a\nb\n', 0])
  expect(err).toMatch(/^[^\n]+ Trying again until it is back\.\nThe service is back\.\n$/)
})

test('--watch ends when the token does, and with a service that was never there', async () => {
  expect(await watch(['--output', 'id'], [page([]), refusal(401, 'token_expired')])).toMatchObject({ exitCode: 3 })
  const nowhere = await earshot(watching, { url: 'http://127.0.0.1:9', env: PLACE })
  expect(nowhere.exitCode).toBe(4)
})

test.for(['0', '0.5', 'often', '-1', '99999999'])('--watch=%s is wrong usage', async (seconds) => {
  await using service = await playService(page([]))
  const { exitCode, err } = await earshot(['submissions', 'list', `--watch=${seconds}`], { url: service.url, env: PLACE })
  expect([exitCode, service.requests.length]).toEqual([2, 0])
  expect(err).toContain('--watch must be a number of seconds from 1 to 86400')
})
