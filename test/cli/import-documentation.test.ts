import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Import, ImportRow, importPresets } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { importFile, testimonialsOf } from '../support/imports.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const page = await readFile(new URL('../../docs/importing.md', import.meta.url), 'utf8')

let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  const port = await freePort()
  service = await startTestService({ baseUrl: `http://127.0.0.1:${port}` }, { port })
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
})

test('the codes of the page are those of the contract', () => {
  const codesIn = (table: string[][]) => table.flatMap(([codes = '']) => Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code))
  expect(codesIn(tableUnder('what to do')).toSorted()).toEqual(Import.shape.error.unwrap().shape.code.options.toSorted())
  expect(codesIn(tableUnder('meaning')).toSorted()).toEqual(ImportRow.shape.code.options.toSorted())
})

test('exports are recognized from the columns that the page names', async () => {
  const team = await makeTeam(service.database)
  const rows = tableUnder('recognized from the columns')
  expect(rows).toHaveLength(importPresets.length)
  for (const [index, [name = '', columns = '']] of rows.entries()) {
    const header = columns.replaceAll('`', '').split(/, | and /)
    const csv = `${[...header, 'Question'].join(',')}\n${header.map(() => '').join(',')},Words.\n`
    const mapping = name === 'Typeform' ? { Question: 'body' } : {}
    expect([name, (await importFile(service, team, { csv, mapping, dry_run: true })).preset]).toEqual([name, importPresets[index]])
  }
})

test('the requests of the page import', async () => {
  const team = await makeTeam(service.database)
  const directory = await mkdtemp(join(tmpdir(), 'earshot-import-page-'))
  await writeFile(join(directory, 'reviews.csv'), Buffer.from('name,text\nJörg,Schön.\n', 'latin1'))
  const script = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block = '']) => block).filter((block) => block.includes('curl'))
  const { project_id, team_id } = team.project
  const env = { ...process.env, EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token, TEAM: team_id, PROJECT: project_id }
  // The file of a dry run is taken over once that has ended.
  const [dryRun = '', upload = ''] = script
  const settled = dryRun.replace(/^curl -sS -H "\$AUTH" "\$IMPORTS\/\$ID\/"$/m, 'until $& | grep -q \'"state":"completed"\'; do :; done')
  expect(settled).not.toBe(dryRun)
  await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', settled + upload], { cwd: directory, env })
  await rm(directory, { recursive: true })
  const textsOf = async () => (await testimonialsOf(service, team)).map(({ body }) => body).toSorted()
  await until('both are imported', async () => (await textsOf()).length === 2)
  expect(await textsOf()).toEqual(['Saved us a week.', 'Schön.'])
})

/** Returns the rows of the table whose second column has this heading. */
function tableUnder(heading: string): string[][] {
  const table = new RegExp(`^\\|[^|\\n]+\\| ${heading} +\\|\\n\\|[-| ]+\\n(?<rows>(?:\\|.*\\n)+)`, 'm').exec(page)?.groups?.rows
  if (table === undefined) throw new Error(`There is no table "${heading}"`)
  const cells = (row: string) => row.split('|').slice(1, -1)
  return table
    .trim()
    .split('\n')
    .map((row) => cells(row).map((cell) => cell.trim()))
}
