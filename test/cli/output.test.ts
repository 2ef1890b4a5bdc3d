import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { type PlayedAnswer, playService } from './fake-service.ts'
import { PLACE, page, SUBMISSION, submission } from './records.ts'

const list = ['submissions', 'list']
const WIDE = 200
const NARROW = 80

async function show(args: readonly string[], columns: number | undefined, ...answers: PlayedAnswer[]) {
  await using service = await playService(...answers)
  const outcome = await earshot(args, { url: service.url, env: PLACE, ...(columns && { columns }) })
  return { ...outcome, lines: outcome.out.split('\n').filter(Boolean), requests: service.requests }
}

test('a list is a table with whole ids, short times and the most important fields', async () => {
  const { lines, exitCode } = await show(list, WIDE, page([submission()]))
  expect(exitCode).toBe(0)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^id +kind +state +channel +body +rating +author\.name +.*tags +.*created_at/)
  expect(lines[1]).toContain(SUBMISSION)
  expect(lines[1]).toContain('Saved us a week.')
  expect(lines[1]).toContain('2026-11-20 09:30Z')
})

test.for([NARROW, 100, 140])('a table keeps within %i columns, cuts long text with … and never an id', async (columns) => {
  const wordy = submission({ body: 'word '.repeat(500), author: { name: '山田太郎'.repeat(20) } })
  const { lines } = await show(list, columns, page([submission(), wordy]))
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
  expect(lines[2]).toMatch(new RegExp(`^${SUBMISSION} .*…`))
  expect(lines[0]).toMatch(/state .*body .*author\.name/)
})

test('text of a visitor cannot control the terminal, and stays in one line of a table', async () => {
  const nasty = submission({ body: 'one\n\ntwo\u001b[2J\u009b31m\u202eevil', tags: ['\u001b]0;title\u0007'] })
  const commands = ['\u001b', '\u009b', '\u0007', '\u202e']
  for (const args of [list, ['submissions', 'retrieve', SUBMISSION]]) {
    const { out } = await show(args, WIDE, args === list ? page([nasty]) : { json: nasty })
    for (const command of commands) expect(out).not.toContain(command)
  }
  expect((await show(list, WIDE, page([nasty]))).lines[1]).toContain('one two[2J31mevil')
  const { out } = await show([...list, '--json'], WIDE, page([nasty]))
  for (const command of commands) expect(out).not.toContain(command)
  expect(JSON.parse(out)).toEqual(page([nasty]).json)
})

test('a cursor is shown only when it is safe to paste into a shell', async () => {
  for (const cursor of ['$(reboot)', 'c1; reboot', '\u001b[2Jc1', '`reboot`']) {
    expect((await show(list, WIDE, page([submission()], cursor))).err).toBe('1 record, and there may be more. All pages: --all\n')
  }
})

test('a single resource is aligned lines of names and values', async () => {
  const { lines } = await show(['submissions', 'retrieve', SUBMISSION], NARROW, { json: submission({ body: 'one\ntwo' }) })
  expect(lines[0]).toMatch(new RegExp(`^id {10,}${SUBMISSION}$`))
  const column = lines[0]?.indexOf(SUBMISSION) ?? 0
  expect(lines.map((line) => [line.slice(0, column).trim(), line.slice(column)])).toEqual(
    expect.arrayContaining([
      ['body', 'one'],
      ['', 'two'],
      ['author.name', 'Ada Lovelace'],
      ['author.email', '-'],
      ['consent.granted', 'yes'],
      ['tags', 'onboarding, speed'],
      ['created_at', '2026-11-20T09:30:00.000Z'],
    ]),
  )
})

test('--output prints one field, and for a list one per line', async () => {
  expect((await show(['submissions', 'retrieve', SUBMISSION, '--output', 'author.name'], WIDE, { json: submission() })).out).toBe(
    'Ada Lovelace\n',
  )
  expect((await show([...list, '--output', 'id'], WIDE, page([submission(), submission({ id: 'x' })]))).out).toBe(`${SUBMISSION}\nx\n`)
  expect((await show([...list, '--output', 'title'], WIDE, page([submission()]))).out).toBe('\n')
  expect((await show([...list, '--output', 'tags'], WIDE, page([submission()]))).out).toBe('["onboarding","speed"]\n')
})

test('the next page is mentioned on stderr, not on stdout', async () => {
  const { err, out } = await show([...list, '--output', 'id'], WIDE, page([submission()], 'c1'))
  expect(out).toBe(`${SUBMISSION}\n`)
  expect(err).toBe('1 record, and there may be more. Next page: earshot submissions list … --cursor c1, all pages: --all\n')
  expect((await show([...list, '--json'], WIDE, page([submission()], 'c1'))).err).toBe('')
  expect((await show(list, WIDE, page([submission()]))).err).toBe('')
})

test('--all follows the cursor past an empty page, in the largest pages', async () => {
  const pages = [page([submission({ id: 'a' })], 'c1'), page([], 'c2'), page([submission({ id: 'b' })])]
  const { out, err, requests } = await show([...list, '--all', '--output', 'id'], WIDE, ...pages)
  expect([out, err]).toEqual(['a\nb\n', ''])
  expect(requests.map(({ path }) => path.split('?')[1])).toEqual(['limit=100', 'limit=100&cursor=c1', 'limit=100&cursor=c2'])
  const json = JSON.parse((await show([...list, '--all', '--json'], WIDE, ...pages)).out)
  expect(json).toEqual({ results: [submission({ id: 'a' }), submission({ id: 'b' })], next_cursor: null })
  expect((await show([...list, '--all'], WIDE, ...pages)).lines).toHaveLength(3)
})

test.for([[], ['--query', 'length(results)'], ['--ndjson']])('--all %j counts on a terminal until the output begins', async (flags) => {
  const progressStream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const shown: string[] = []
  progressStream.on('data', (text) => shown.push(text))
  await using service = await playService(page([submission()], 'c1'), page([submission()]))
  const onOutput = () => shown.push('OUTPUT')
  const { err } = await earshot([...list, '--all', ...flags], { url: service.url, env: PLACE, columns: 80, progressStream, onOutput })
  const [before = '', ...after] = shown.join('').split('OUTPUT')
  if (!flags.includes('--ndjson')) expect(before).toMatch(/\d submissions/)
  // The line is erased, and nothing is drawn into the output.
  expect(before.split('\u001b[0K').at(-1)).not.toContain('submissions')
  expect([after.join(''), err]).toEqual(['', ''])
})

test('--all of the change feed ends when it has caught up, and prints the cursor', async () => {
  const { err, exitCode } = await show(['events', 'list', '--all'], WIDE, page([], 'c9'))
  expect([exitCode, err]).toEqual([0, 'nothing found\nup to date. Continue later with: earshot events list … --cursor c9\n'])
})

test('an empty list prints "nothing found" on stderr, and an empty result prints "done"', async () => {
  expect(await show(list, WIDE, page([]))).toMatchObject({ out: '', err: 'nothing found\n', exitCode: 0 })
  expect(await show(['submissions', 'delete', SUBMISSION], WIDE, { status: 204 })).toMatchObject({ out: '', err: 'done\n', exitCode: 0 })
  expect(await show(['submissions', 'delete', SUBMISSION, '--json'], WIDE, { status: 204 })).toMatchObject({
    out: '',
    err: '',
    exitCode: 0,
  })
})

test('the results of a moderation are a table', async () => {
  const results = [
    { submission_id: SUBMISSION, outcome: 'failed', submission: null, error: { code: 'not_found', detail: 'No.', current_state: null } },
  ]
  const { lines } = await show(['submissions', 'moderate', '--items', '{}'], NARROW, { json: { results } })
  expect(lines[0]).toMatch(/^submission_id +outcome +error\.code/)
  expect(lines[1]).toMatch(new RegExp(`^${SUBMISSION} +failed +not_found`))
})

/** Columns of a line; the characters of these tests that are two wide are the CJK ones. */
function displayWidth(line: string): number {
  return [...line].reduce((width, character) => width + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0)
}
