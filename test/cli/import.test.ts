import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testimonialsOf } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'
import { earshot } from './command-line.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
const CSV = 'name,email,text,stars,phone\nAda,ada@example.com,"Saved us, truly, a week.",5,1\nCharles,,Fine.,4,\n'

let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
let home: string
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
  home = await mkdtemp(join(tmpdir(), 'earshot-import-test-'))
})
afterAll(async () => {
  await rm(home, { recursive: true })
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
})

test('a file is tried out, shown, and imported after a yes', async () => {
  const team = await makeTeam(service.database)
  const { exitCode, out, err } = await run(team, [await fileOf(CSV)], { answer: 'y' })
  expect({ exitCode, out: steady(out), err }).toEqual({
    exitCode: 0,
    err: 'Import 2 testimonials? [y/N] \n',
    out: [
      'Columns were recognized by their names.',
      '',
      'column  field',
      'name    author.name',
      'email   author.email',
      'text    body',
      'stars   rating',
      'Ignored: phone',
      '',
      'author   rating  text',
      'Ada           5  Saved us, truly, a week.',
      'Charles       4  Fine.',
      '',
      '2 rows: 2 new, 0 skipped, 0 failed',
      '',
      'Without the consent of their authors, testimonials cannot become public. If you have it, add --consent.granted.',
      '2 rows: 2 imported, 0 skipped, 0 failed',
      'Testimonials are pending. List them: earshot submissions list --import-id ID',
      'Remove them again: earshot imports undo ID',
      '',
    ].join('\n'),
  })
  expect(await textsOf(team)).toEqual(['Saved us, truly, a week.', 'Fine.'])

  const undo = /earshot (imports undo \S+)/.exec(out)?.[1]?.split(' ') ?? []
  expect(await run(team, [], { command: undo })).toMatchObject({ exitCode: 0 })
  const list = /earshot (submissions list \S+ \S+)/.exec(out)?.[1]?.split(' ') ?? []
  expect(await run(team, [], { command: list })).toMatchObject({ exitCode: 0 })
})

test('any other answer imports nothing', async () => {
  const team = await makeTeam(service.database)
  for (const answer of ['', 'n', 'yeah'])
    expect(await run(team, [await fileOf(CSV)], { answer })).toMatchObject({
      exitCode: 0,
      err: 'Import 2 testimonials? [y/N] \nNothing was imported.\n',
    })
  expect(await textsOf(team)).toEqual([])
})

test('--dry-run shows the same and stops; --yes does not ask; a second import finds nothing new', async () => {
  const team = await makeTeam(service.database)
  const file = await fileOf('Customer Name,Customer Email,Customer Tagline,Text\nAda,ada@example.com,CTO,Words.\n')
  const dryRun = await run(team, [file, '--dry-run', '--consent.granted'])
  expect(dryRun).toMatchObject({ exitCode: 0, err: 'This was a dry run. Nothing was imported.\n' })
  expect(dryRun.out).toMatch(/^Recognized as an export of Senja\.\n/)
  expect(dryRun.out).not.toContain('consent')
  expect(await textsOf(team)).toEqual([])

  expect(await run(team, [file, '--yes', '--consent.granted', '--consent.text', 'They agreed.'])).toMatchObject({ exitCode: 0, err: '' })
  expect(await testimonialsOf(service, team)).toMatchObject([{ body: 'Words.', consent: { granted: true, text: 'They agreed.' } }])

  const again = await run(team, [file, '--yes'])
  expect(again).toMatchObject({ exitCode: 0, err: 'There is nothing to import.\n' })
  expect(again.out).toContain('1 row: 0 new, 1 skipped, 0 failed\n')
  const changed = await run(team, [file, '--mode', 'upsert', '--consent.granted'], { answer: 'YES' })
  expect(changed).toMatchObject({ exitCode: 0, err: 'Update 1 testimonial? [y/N] \n' })
  expect(changed.out).toMatch(/1 row: 0 new, 1 to update, .*\n1 row: 0 imported, 1 updated, 0 skipped, 0 failed\n$/s)
})

test('--json prints one object, the import', async () => {
  const team = await makeTeam(service.database)
  const dryRun = await run(team, [await fileOf(CSV), '--dry-run', '--json'])
  expect(dryRun).toMatchObject({ exitCode: 0, err: '' })
  expect(JSON.parse(dryRun.out)).toMatchObject({ state: 'completed', dry_run: true, totals: { rows: 2, created: 2 } })
  const { exitCode, out, err } = await run(team, [await fileOf(CSV), '--yes', '--json', '--suppress-events'])
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({ state: 'completed', dry_run: false, suppress_events: true, totals: { rows: 2, created: 2 } })
  const refused = await run(team, [await fileOf(CSV), '--yes', '--json'], { token: 'svc_wrong' })
  expect(refused).toMatchObject({ exitCode: 3, out: '' })
  expect(JSON.parse(refused.err)).toMatchObject({ code: 'invalid_token' })
})

test('the standard input is a file like any other', async () => {
  const team = await makeTeam(service.database)
  expect(await run(team, ['-', '--yes'], { stdin: CSV })).toMatchObject({ exitCode: 0, err: '' })
  expect(await textsOf(team)).toEqual(['Saved us, truly, a week.', 'Fine.'])
})

test('a file of more than a megabyte is uploaded once, for the dry run', async () => {
  const team = await makeTeam(service.database)
  const row = (number: number) => `person${number}@example.com,${`Words ${number}. `.repeat(400)}\n`
  const csv = `email,text\n${Array.from({ length: 300 }, (_row, number) => row(number)).join('')}`
  expect(csv.length).toBeGreaterThan(1_000_000)
  const progressStream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const outcome = await run(team, ['-', '--yes', '--suppress-events'], { stdin: csv, progressStream })
  expect(outcome).toMatchObject({ exitCode: 0, err: '' })
  expect(outcome.out).toContain('300 rows: 300 imported, 0 skipped, 0 failed\n')
  expect(await textsOf(team)).toHaveLength(300)
  const drawn = String(progressStream.read())
  const kilobytes = Math.ceil(csv.length / 1000)
  for (const line of [`100 %  ${kilobytes} of ${kilobytes} kB uploaded`, '300 rows read', '100 %  300 of 300 rows'])
    expect(drawn).toContain(line)
})

test('a file in another encoding is uploaded as it is', async () => {
  const team = await makeTeam(service.database)
  const windows = Buffer.from('name,text\nJörg,Schöne Grüße.\n', 'latin1')
  expect(await run(team, [await fileOf(windows), '--yes'])).toMatchObject({ exitCode: 0, err: '' })
  const utf16 = Buffer.from('name,text\nAda,Plain words.\n', 'utf16le')
  expect(await run(team, [await fileOf(utf16), '--yes'])).toMatchObject({ exitCode: 0, err: '' })
  expect(await textsOf(team)).toEqual(['Schöne Grüße.', 'Plain words.'])
})

test('rows that fail are shown, the first five of them, and a file none of whose rows succeeds is a failure', async () => {
  const team = await makeTeam(service.database)
  const bad = Array.from({ length: 6 }, (_row, number) => `Ada,Words ${number}.,seven\n`).join('')
  const { exitCode, out } = await run(team, [await fileOf(`name,text,rating\nAda,Fine.,5\n${bad}`), '--yes'])
  expect(exitCode).toBe(0)
  expect(steady(out)).toContain(
    '7 rows: 1 new, 0 skipped, 6 failed\n\nrow  line  column  code            detail\n  2     3  rating  invalid_format',
  )
  expect(out).toMatch(/^ {2}6 {5}7 {2}rating/m)
  expect(out).not.toMatch(/^ {2}7 {5}8 {2}rating/m)
  expect(steady(out)).toContain('All rows that failed: earshot imports rows list ID --all\n')
  const list = /earshot (imports rows list \S+ --all)/.exec(out)?.[1]?.split(' ') ?? []
  expect((await run(team, [], { command: list })).out.trimEnd().split('\n')).toHaveLength(7)

  expect(await run(team, [await fileOf(`name,text,rating\n${bad}`), '--yes'])).toMatchObject({
    exitCode: 1,
    err: 'There is nothing to import.\n',
  })
})

test('--map names columns, and refuses what is no field', async () => {
  const team = await makeTeam(service.database)
  const file = await fileOf('Who,What=?,Plan\nAda,Words.,gold\n')
  const map = ['--map', 'Who=author.name', '--map', 'What=?=body', '--map', 'Plan=metadata.plan']
  expect(await run(team, [file, '--yes', ...map])).toMatchObject({ exitCode: 0, err: '' })
  expect(await testimonialsOf(service, team)).toMatchObject([{ body: 'Words.', author: { name: 'Ada' }, metadata: { plan: 'gold' } }])
  for (const wrong of ['Who', 'Who=nobody', 'Who=metadata.', '=body'])
    expect(await run(team, [file, '--yes', '--map', wrong])).toMatchObject({ exitCode: 2, out: '' })
  const tooLong = await run(team, [file, '--yes', '--map', `${'x'.repeat(300)}=body`])
  expect(tooLong).toMatchObject({ exitCode: 1, err: expect.stringContaining('--map (mapping.') })
})

test('what a file says is printed without commands to the terminal', async () => {
  const team = await makeTeam(service.database)
  const command = '\u001b]0;owned\u0007\u009b31m'
  const csv = `na${command}me,text,name,rating\nx,Words${command}.,A${command}da,5\ny,,B,5\n${'z,Words of somebody who sends no commands.,C,5\n'.repeat(20)}`
  const { exitCode, out, err } = await run(team, [await fileOf(csv), '--yes'], { columns: 80 })
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there, but for our own colours.
  expect(out.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(out).toContain('Ignored: na]0;owned31mme')
})

test('an import that uses up the quota says how it goes on', async () => {
  const team = await makeTeam(service.database)
  await service.database.run(
    `insert into quota_usage (team_id, quota, period, used) values ($1, 'imported_rows', date_trunc('month', now() at time zone 'UTC')::date, 49999)`,
    [team.id],
  )
  await service.database.run(`update teams set plan = 'pro' where id = $1`, [team.id])
  const { exitCode, out, err } = await run(team, [await fileOf(CSV), '--yes', '--project', team.project.project_id])
  expect(exitCode).toBe(1)
  expect(steady(err)).toBe(
    'error: The team has used up its imported rows of this month. Resume the import next month, or after an upgrade. (quota_exceeded)\nContinue later: earshot imports resume ID --project ID\n',
  )
  expect(out).toContain('1 row: 1 imported, 0 skipped, 0 failed\nTestimonials are pending.')
  await service.database.run(`update teams set plan = 'free' where id = $1`, [team.id])
  expect(await run(team, [await fileOf(CSV), '--yes'])).toMatchObject({ exitCode: 1, out: '' })
})

test('a file that cannot be imported is refused before anything is sent', async () => {
  const team = await makeTeam(service.database)
  const usage = async (args: string[], stdin = '') => (await run(team, args, { stdin })).err.split('\n')[0]
  expect(await run(team, [join(home, 'nowhere.csv'), '--yes'])).toMatchObject({ exitCode: 2, out: '' })
  expect(await usage([join(home, 'nowhere.csv'), '--yes'])).toBe(`error: cannot read ${home}/nowhere.csv: no such file or directory`)
  expect(await usage([home, '--yes'])).toBe(`error: ${home} is a directory`)
  expect(await usage([await fileOf(''), '--yes'])).toMatch(/\.csv is empty$/)
  expect(await usage(['-', '--yes'])).toBe('error: the standard input is empty')
  expect(await usage(['-'], CSV)).toBe('error: the standard input cannot answer a question: add --yes or --dry-run')
  expect(await usage([await fileOf(CSV)])).toContain('add --yes or --dry-run')
  expect(await usage([await fileOf(CSV), '--json'])).toBe('error: --json requires --yes or --dry-run')
  expect(
    (await service.send('GET', `/api/v1/teams/${team.id}/projects/${team.project.project_id}/imports/`, { token: team.token })).body,
  ).toEqual({
    results: [],
    next_cursor: null,
  })
})

let files = 0

async function fileOf(content: string | Uint8Array): Promise<string> {
  files += 1
  const path = join(home, `${files}.csv`)
  await writeFile(path, content)
  return path
}

async function textsOf(team: Team): Promise<string[]> {
  return (await testimonialsOf(service, team)).map(({ body }) => body ?? '')
}

function steady(text: string): string {
  return text.replaceAll(UUID, 'ID')
}

type Setting = Parameters<typeof earshot>[1] & { command?: string[]; token?: string }

function run({ id, project, token }: Team, args: string[], { command = ['import'], token: other = token, ...setting }: Setting = {}) {
  return earshot([...command, ...args], {
    url: service.url,
    env: { EARSHOT_TOKEN: other, EARSHOT_TEAM: id, EARSHOT_PROJECT: project.project_id },
    haste: 5,
    ...setting,
  })
}
