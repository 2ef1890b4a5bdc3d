import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startTestService } from '../support/test-service.ts'
import { earshot } from './command-line.ts'
import { type PlayedAnswer, playService } from './fake-service.ts'
import { PLACE, page, SUBMISSION, submission } from './records.ts'

const list = ['submissions', 'list']
const retrieve = ['submissions', 'retrieve', SUBMISSION]

async function show(args: readonly string[], ...answers: PlayedAnswer[]) {
  await using service = await playService(...answers)
  const outcome = await earshot(args, { url: service.url, env: PLACE })
  return { ...outcome, requests: service.requests }
}

test('--csv prints the same bytes as the export of the service, whose records have three more fields', async () => {
  const service = await startTestService()
  try {
    const team = await makeTeam(service.database)
    const { submissions } = service.client(team.token)
    const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "'=1+1", '＝1', 'a "quoted", text\nof two lines', 'plain 🎉 文字']
    for (const body of hostile)
      await submissions.create({ ...team.project, body, author: { name: body }, consent: { granted: true }, tags: ['a', 'b'] })
    const place = { EARSHOT_TEAM: team.project.team_id, EARSHOT_PROJECT: team.project.project_id, EARSHOT_TOKEN: team.token }
    const run = (...args: string[]) => earshot(args, { url: service.url, env: place })
    const exported = await run('export', 'submissions', '--format', 'csv')
    expect(exported.out).toContain(`,"'\rx",`)
    const listed = await run('submissions', 'list', '--all', '--limit', '3', '--csv')
    const out = exported.out.replaceAll(/,featured,excerpt,position\r\n|,false,,\r\n/g, '\r\n')
    expect(listed).toEqual({ exitCode: 0, out, err: '' })
  } finally {
    await service.close()
  }
})

test('--csv of an empty list is the header, and on a terminal no cell controls it', async () => {
  const { out } = await show([...list, '--csv'], page([]))
  expect(out).toMatch(/^\uFEFFid,.*,author\.name,author\.email,.*,tags,.*\r\n$/)
  await using service = await playService(page([submission({ body: 'a\u001b[2Jb' })]))
  const shown = await earshot([...list, '--csv'], { url: service.url, env: PLACE, columns: 80 })
  expect(shown.out).toMatch(/^id,/)
  expect(shown.out).toContain('a[2Jb')
  expect(shown.out).not.toContain('\u001b')
})

test('--ndjson prints a line for each record', async () => {
  const { out } = await show([...list, '--all', '--ndjson'], page([submission({ id: 'a' })], 'c1'), page([submission({ id: 'b' })]))
  expect(out.endsWith('\n')).toBe(true)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([submission({ id: 'a' }), submission({ id: 'b' })])
})

test.for([['--csv'], ['--ndjson'], ['--query', 'results[].id'], ['--output', 'id'], []])(
  '%j of the first page alone says on stderr that there may be more',
  async (flags) => {
    const records = [submission({ id: 'a' }), submission({ id: 'b' })]
    const whole = await show([...list, ...flags], page(records))
    const { out, err, exitCode } = await show([...list, ...flags], page(records, 'c1'))
    expect([out, exitCode, whole.err]).toEqual([whole.out, 0, ''])
    expect(err).toBe('2 records, and there may be more. Next page: earshot submissions list … --cursor c1, all pages: --all\n')
    expect((await show([...list, ...flags, '--all'], page(records, 'c1'), page([]))).err).toBe('')
  },
)

test('--json says by its cursor that there may be more', async () => {
  const { out, err } = await show([...list, '--json'], page([submission()], 'c1'))
  expect([JSON.parse(out).next_cursor, err]).toEqual(['c1', ''])
})

test.for(['--csv', '--ndjson'])('%s of the whole change feed says where to continue', async (flag) => {
  const { err } = await show(['events', 'list', '--all', flag], page([], 'c9'))
  expect(err).toBe('up to date. Continue later with: earshot events list … --cursor c9\n')
})

test('--json --all is one document of all pages, and the same bytes as of one page', async () => {
  const records = ['a', 'b', 'c'].map((id) => submission({ id, body: 'one\ntwo\u202e', metadata: { deep: { list: [1, {}] } } }))
  const whole = await show([...list, '--json'], page(records))
  const pages = [page(records.slice(0, 2), 'c1'), page([], 'c2'), page(records.slice(2))]
  expect((await show([...list, '--all', '--json'], ...pages)).out).toBe(whole.out)
  expect((await show([...list, '--all', '--json'], page([]))).out).toBe((await show([...list, '--json'], page([]))).out)
})

test('a list that fails midway leaves a document without an end, and the exit code of the failure', async () => {
  const { out, exitCode } = await show([...list, '--all', '--json'], page([submission()], 'c1'), { status: 500, text: 'oops' })
  expect(exitCode).toBe(4)
  expect(() => JSON.parse(out)).toThrow()
})

test('--query prints JSON, and text bare unless --json is given', async () => {
  const records = page([submission({ id: 'a', rating: 5 }), submission({ id: 'b', rating: 2 })])
  const query = async (expression: string, ...more: string[]) => (await show([...list, '--query', expression, ...more], records)).out
  expect(await query('results[?rating > `3`].id')).toBe('[\n  "a"\n]\n')
  expect(await query('results[0].id')).toBe('a\n')
  expect(await query('results[0].id', '--json')).toBe('"a"\n')
  expect(await query('length(results)')).toBe('2\n')
  expect(await query('results[9].id')).toBe('null\n')
  expect((await show([...retrieve, '--query', 'author.name'], { json: submission() })).out).toBe('Ada Lovelace\n')
})

test('--query of --all reads all pages together', async () => {
  const { out } = await show(
    [...list, '--all', '--query', 'results[].id'],
    page([submission({ id: 'a' })], 'c1'),
    page([submission({ id: 'b' })]),
  )
  expect(JSON.parse(out)).toEqual(['a', 'b'])
})

test.for(['results[', 'lenght(results)', 'results[?nope(@)]'])('--query %s is refused before anything is sent', async (expression) => {
  const { exitCode, err, requests } = await show([...list, '--query', expression], page([]))
  expect([exitCode, requests.length]).toEqual([2, 0])
  expect(err).toContain('error: --query: ')
})

test('--query takes a text that looks like a function for text', async () => {
  const expression = `results[?body == '{"type":"Function","name":"nope"}'].id`
  expect(await show([...list, '--query', expression], page([]))).toMatchObject({ exitCode: 0, out: '[]\n' })
  const literal = '`{"type": "Function", "name": "nope"}`'
  expect(await show([...list, '--query', literal], page([]))).toMatchObject({ exitCode: 0 })
})

test('--query that does not fit the response is wrong usage', async () => {
  const { exitCode, err } = await show([...list, '--query', 'length(next_cursor)'], page([]))
  expect([exitCode, err]).toEqual([2, expect.stringContaining('--query: it does not fit the response')])
})

test.for([
  ['--csv', '--json'],
  ['--csv', '--output', 'id'],
  ['--csv', '--query', 'results'],
  ['--ndjson', '--json'],
  ['--ndjson', '--csv'],
  ['--query', 'results', '--output', 'id'],
])('%j are refused together', async (flags) => {
  expect(await show([...list, ...flags], page([]))).toMatchObject({ exitCode: 2, requests: [] })
})
