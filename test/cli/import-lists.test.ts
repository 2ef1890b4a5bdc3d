import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE, PROJECT, page, TEAM } from './records.ts'

const IMPORT = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e0a'

async function linesOf(args: string[], records: unknown[]): Promise<string[]> {
  await using service = await playService(page(records))
  const { out } = await earshot(args, { url: service.url, env: { ...PLACE, NO_COLOR: '1' }, columns: 110 })
  return out.trimEnd().split('\n')
}

function import_(change: Record<string, unknown>, totals: Record<string, number>): Record<string, unknown> {
  const at = new Date(Date.now() - 120_500).toISOString()
  return {
    ...{ id: IMPORT, team_id: TEAM, project_id: PROJECT, state: 'completed', target: 'testimonials', file_name: 'senja.csv' },
    ...{ dry_run: false, totals: { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, removed: 0, ...totals } },
    ...{ created_at: at, updated_at: at, ...change },
  }
}

test('imports show their file, state and totals', async () => {
  const records = [
    import_({}, { rows: 1204, created: 1180, failed: 4 }),
    import_({ state: 'failed', file_name: 'old.csv', dry_run: true }, { rows: 12 }),
  ]
  expect(await linesOf(['imports', 'list'], records)).toEqual([
    'id                                    state      file       dry_run  rows  created  failed  age',
    `${IMPORT}  completed  senja.csv  no       1204     1180       4   2m`,
    `${IMPORT}  failed     old.csv    yes        12        0       0   2m`,
  ])
})

test('rows that failed show where they are and why, not what they say', async () => {
  const row = { id: IMPORT, row: 3, line: 5, column: 'Stars', code: 'invalid_format', detail: 'is not a rating', text: 'secret' }
  expect(
    await linesOf(['imports', 'rows', 'list', IMPORT], [row, { ...row, row: 2, line: 3, column: null, code: 'too_many_cells' }]),
  ).toEqual([
    'row  line  column  code            detail',
    '  3     5  Stars   invalid_format  is not a rating',
    '  2     3  -       too_many_cells  is not a rating',
  ])
})

test('a choice of numbers is checked and shown like a choice of words', async () => {
  const { out } = await earshot(['imports', 'create', '--help'], { columns: 200 })
  expect(out).toMatch(/--rating-scale <number> .*\(5, 10, 100\)/)
  await using service = await playService({ json: import_({}, {}) })
  const args = ['imports', 'create', '--target', 'testimonials', '--file-name', 'a.csv', '--csv', 'text', '--rating-scale']
  expect(await earshot([...args, '7'], { url: service.url, env: PLACE })).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('It must be one of: 5, 10, 100.'),
  })
  expect(await earshot([...args, '10'], { url: service.url, env: PLACE })).toMatchObject({ exitCode: 0 })
  expect(service.requests.map(({ body }) => JSON.parse(body).rating_scale)).toEqual([10])
})
