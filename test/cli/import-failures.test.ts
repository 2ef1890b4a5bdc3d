import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { earshot } from './command-line.ts'
import { type PlayedAnswer, playService, refusal } from './fake-service.ts'
import { PLACE, PROJECT, TEAM } from './records.ts'

const DRY_RUN = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e0a'
const IMPORT = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e0b'
const AT_ONCE = { 'retry-after': '0' }

let home: string
let file: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'earshot-import-test-'))
  file = join(home, 'file.csv')
  await writeFile(file, 'text\nWords.\n')
})
afterAll(() => rm(home, { recursive: true }))

test('an import that fails says why and what to do', async () => {
  const failures: [string, string][] = [
    ['unknown_column', 'Name the columns with --map "Column=field".\nColumns of the file: text, other\n'],
    ['no_mapping', 'Name the columns with --map "Column=field".\nColumns of the file: text, other\n'],
    ['not_csv', 'Correct the file, and import it again.\n'],
    ['unclosed_quote', 'Correct the file, and import it again.\n'],
    ['internal_error', 'Import the file again.\n'],
  ]
  for (const [code, advice] of failures) {
    const error = { code, detail: 'Because.\u009b31m' }
    const outcome = await run([created(), dryRun({ state: 'failed', error, columns: ['text', 'other'] })])
    expect(outcome).toEqual({ exitCode: 1, out: '', err: `error: Because.31m (${code})\n${advice}` })
  }
  const resumable = { state: 'failed', error: { code: 'internal_error', detail: 'Because.' } }
  const outcome = await run([created(), dryRun(), created(), running(resumable)])
  expect(outcome).toMatchObject({
    exitCode: 1,
    err: `error: Because. (internal_error)\nContinue later: earshot imports resume ${IMPORT}\n`,
  })
})

test('with --json an import that fails is printed, too', async () => {
  const failed = dryRun({ state: 'failed', error: { code: 'not_csv', detail: 'No.' } })
  const { exitCode, out, err } = await run([created(), failed], ['--json'])
  expect({ exitCode, err, printed: JSON.parse(out) }).toEqual({ exitCode: 1, err: '', printed: failed.json })
})

test('the real import takes over the file of the dry run, with the same options', async () => {
  await using service = await playService(created(), dryRun(), created(), running({ state: 'completed' }))
  const outcome = await earshot(['import', file, '--yes', '--map', 'text=body', '--date-order', 'dmy'], { url: service.url, env: PLACE })
  expect(outcome).toMatchObject({ exitCode: 0, err: '' })
  const options = { target: 'testimonials', file_name: 'file.csv', mapping: { text: 'body' }, date_order: 'dmy' }
  const sent = service.requests.flatMap(({ method, body }) => (method === 'POST' ? [JSON.parse(body)] : []))
  expect(sent).toEqual([
    { ...options, csv: 'text\nWords.\n', dry_run: true },
    { ...options, dry_run_id: DRY_RUN },
  ])
})

test('Ctrl-C ends the command, which says that the import goes on', async () => {
  await using service = await playService(created(), dryRun(), created(), running())
  const interruption = new AbortController()
  const outcome = earshot(['import', file, '--yes'], { url: service.url, env: PLACE, interruption: interruption.signal })
  await until('the import is polled', () => service.requests.length > 5)
  interruption.abort()
  expect(await outcome).toMatchObject({
    exitCode: 130,
    err: `The import goes on at the service. Look at it: earshot imports retrieve ${IMPORT}\n`,
  })
})

test('an import whose service is away goes on, and so does the command after a refusal for too many requests', async () => {
  const busy = refusal(429, 'rate_limited')
  const broken = { instead: 'reset' } as const
  const outcome = await run(
    [created(), dryRun(), created(), { ...busy, headers: { 'retry-after': '40' } }, running(), broken, broken, broken],
    [],
    {
      haste: 1000,
    },
  )
  expect(outcome).toMatchObject({ exitCode: 4, err: expect.stringContaining('The import goes on at the service. ') })
  expect(outcome.err).toContain('error: ')
})

test('a refused upload and a refused request are told like those of other commands', async () => {
  const reserved = created({ upload: { url: 'http://localhost:8000/api/v1/x/file/', max_bytes: 4, expires_at: '' } })
  await writeFile(join(home, 'windows.csv'), Buffer.from('t\nö\n', 'latin1'))
  const away = refusal(503, 'dependency_unavailable')
  expect(await run([reserved, { ...away, headers: AT_ONCE }], [], {}, 'windows.csv')).toEqual({
    exitCode: 1,
    out: '',
    err: 'error: Refused as dependency_unavailable. (dependency_unavailable)\nRequest id: req-1\n',
  })
  const refused = refusal(402, 'feature_not_in_plan', { feature: 'imports', plan: 'free' })
  expect(await run([refused])).toMatchObject({ exitCode: 1, err: expect.stringContaining('The plan free does not include imports.') })
})

function record(change: Record<string, unknown>): Record<string, unknown> {
  return {
    ...{ team_id: TEAM, project_id: PROJECT, state: 'completed', preset: null, columns: ['text'], mapping: { text: 'body' } },
    ...{ consent: null, dry_run: false, preview: null, totals: totals({ rows: 1, created: 1 }), error: null, ...change },
  }
}

function totals(change: Record<string, number>): Record<string, number> {
  return { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, removed: 0, ...change }
}

function created(change: Record<string, unknown> = {}) {
  return { status: 202, json: record({ id: IMPORT, state: 'running', upload: null, totals: totals({}), ...change }) }
}

function dryRun(change: Record<string, unknown> = {}) {
  return { json: record({ id: DRY_RUN, dry_run: true, ...change }) }
}

function running(change: Record<string, unknown> = {}) {
  return { json: record({ id: IMPORT, state: 'running', ...change }) }
}

async function run(answers: PlayedAnswer[], args: string[] = [], setting: Parameters<typeof earshot>[1] = {}, name = 'file.csv') {
  await using service = await playService(...answers)
  return await earshot(['import', join(home, name), '--yes', ...args], { url: service.url, env: PLACE, ...setting })
}
