import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { earshot } from './command-line.ts'

let service: TestService
let team: Team
let ids: string[]
let home: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  ids = []
  for (const body of ['Saved us a week.', '=1+1', 'a "quoted"\r\nline', 'bell \u0007 and csi \u009b31m'])
    ids.unshift((await team.submit({ body })).id)
})
afterAll(() => service.close())
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'earshot-export-'))
})
afterEach(() => rm(home, { recursive: true }))

test('submissions are written to a file, one JSON object per line', async () => {
  const out = join(home, 'all.ndjson')
  expect(await run('export', '--out', out)).toEqual({ exitCode: 0, out: '', err: `Exported 4 submissions to ${out}.\n` })
  const records = (await readFile(out, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records.map(({ id }) => id)).toEqual(ids)
  expect(records[0].body).toBe('bell \u0007 and csi \u009b31m')
})

test('a file that ends in .csv is CSV, and its rows are counted', async () => {
  const out = join(home, 'all.CSV')
  expect(await run('export', 'submissions', '--out', out)).toMatchObject({ exitCode: 0, err: `Exported 4 submissions to ${out}.\n` })
  const text = await readFile(out, 'utf8')
  expect(text.startsWith('\u{FEFF}id,team_id,')).toBe(true)
  expect(text).toContain("'=1+1")
})

test('without a file, records go to the output, safe for a terminal; filters are those of the list', async () => {
  const { exitCode, out, err } = await run('export', '--search', 'bell')
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  expect(out).not.toContain('\u009b')
  expect(JSON.parse(out)).toMatchObject({ id: ids[0], body: 'bell \u0007 and csi \u009b31m' })
})

test('responses are exported of the survey that is named', async () => {
  const client = service.client(team.token)
  const survey = await client.surveys.create({
    ...team.project,
    name: 'Survey',
    questions: [{ ref: 'nps', type: 'nps', title: 'Recommend?' }],
  })
  const ref = { ...team.project, survey_id: survey.id }
  await client.surveys.publish(ref)
  const { id } = await client.responses.create({ ...ref, answers: [{ question_id: survey.questions[0]?.id ?? '', value: 9 }] })
  const out = join(home, 'responses.csv')
  expect(await run('export', 'responses', survey.id, '--out', out)).toMatchObject({
    exitCode: 0,
    err: `Exported 1 responses to ${out}.\n`,
  })
  expect(await readFile(out, 'utf8')).toContain(id)
})

test('what fails leaves no file that looks complete, and says why', async () => {
  const out = join(home, 'all.ndjson')
  expect(await run('export', '--out', out, '--cursor', 'nonsense')).toMatchObject({ exitCode: 1 })
  expect(await readdir(home)).toEqual(['all.ndjson.part'])
  const nowhere = join(home, 'nowhere', 'all.csv')
  expect(await run('export', '--out', nowhere)).toMatchObject({
    exitCode: 2,
    err: `error: cannot write ${nowhere}.part: no such file or directory\nSee earshot export submissions --help.\n`,
  })
  expect(await run('export', '--format', 'xml')).toMatchObject({ exitCode: 2 })
})

test('the help shows what can be exported, and by which filters', async () => {
  expect((await run('--help')).out).toMatch(/^ {2}export +write all submissions or responses to a file$/m)
  expect((await run('export', '--help')).out).toMatch(/submissions.*\n.*responses/s)
  expect((await run('export', 'submissions', '--help')).out).toContain('--min-rating <number>')
})

function run(...args: string[]) {
  const { id, project } = team
  return earshot(args, {
    url: service.url,
    env: { EARSHOT_TOKEN: team.token, EARSHOT_TEAM: id, EARSHOT_PROJECT: project.project_id },
  })
}
