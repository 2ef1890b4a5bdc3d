import { SubmissionKind } from '@earshot/contracts'
import stringWidth from 'string-width'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { earshot } from './command-line.ts'
import { moderate } from './moderator.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
})

const client = () => service.client(team.token)
const submission = (id: string) => client().submissions.retrieve({ ...team.project, submission_id: id })
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => stringWidth(line)))

test('the end of a long answer is on the screen, whatever its width', async () => {
  const { id } = await team.submit()
  const run = moderate(service, team, { columns: 40, rows: 12 })
  await run.shows('Saved us a week')
  run.type(`r${'It is about another product. '.repeat(3)}你好世界，再见`)
  await run.shows('product. 你好世界，再见')
  await run.shows('Enter for none')
  expect([run.lines().length, widest(run.lines())]).toEqual([12, 40])
  run.press('return')
  run.type('q')
  await run.ended
  expect((await submission(id)).moderation.reason).toBe(`${'It is about another product. '.repeat(3)}你好世界，再见`)
})

test('a reason that is too long is not lost, and is not sent', async () => {
  const { id } = await team.submit()
  const run = moderate(service, team)
  await run.shows('Saved us a week')
  run.type(`r${'x'.repeat(501)}`)
  run.press('return')
  await run.shows('at most 500 characters, and this one 501')
  run.press('backspace')
  run.press('return')
  run.type('q')
  expect((await run.ended).err).toBe('0 approved, 1 rejected, 0 left.\n')
  expect((await submission(id)).moderation.reason).toBe('x'.repeat(500))
})

test('a long text scrolls to its end and no further, and the next begins at its start', async () => {
  await team.submit({ body: 'The older words' })
  await team.submit({ body: Array.from({ length: 30 }, (_, index) => `line ${index}.`).join('\n') })
  const run = moderate(service, team, { rows: 12 })
  await run.shows('line 0.')
  for (let presses = 0; presses < 100; presses += 1) run.press('down')
  await run.shows('May not be published')
  const end = run.lines()
  run.press('up')
  expect(run.lines()[3]).toBe(end[2])
  run.press('down')
  expect(run.lines()).toEqual(end)
  run.type('s')
  await run.shows('The older words')
  expect(run.lines()[2]).toBe('Ada')
  run.type('q')
  await run.ended
})

test('tabs take their room', async () => {
  await team.submit({ body: `${'a\tb'.repeat(20)}` })
  const run = moderate(service, team, { columns: 40 })
  await run.shows('a    b')
  expect([run.lines().join('').includes('\t'), widest(run.lines())]).toEqual([false, 40])
  run.type('q')
  await run.ended
})

test('tags with commas and quotation marks stay whole', async () => {
  const { id } = await team.submit()
  const tags = ['slow, but good', 'the "best"', 'press']
  await client().submissions.update({ ...team.project, submission_id: id, tags })
  const run = moderate(service, team)
  await run.shows('Saved us a week')
  run.type('t')
  await run.shows('> "slow, but good", "the ""best""", press')
  run.type(',, " wall",5" disk, "open')
  run.press('return')
  await run.shows('The tags are set.')
  run.type('q')
  await run.ended
  expect((await submission(id)).tags).toEqual([...tags, ' wall', '5" disk', '"open'])
})

test('pasted text is text: its lines and letters are no keys', async () => {
  const { id } = await team.submit()
  const run = moderate(service, team)
  await run.shows('Saved us a week')
  run.paste('a')
  run.type('r')
  run.paste('two lines')
  run.press('return')
  run.type('q')
  expect((await run.ended).err).toBe('0 approved, 1 rejected, 0 left.\n')
  expect((await submission(id)).moderation.reason).toBe('two lines')
})

test('o shows the address on the dashboard where there is no browser', async () => {
  const { id } = await team.submit()
  const run = moderate(service, team, { columns: 40, env: { BROWSER: '/nonexistent/browser' } })
  await run.shows('Saved us a week')
  run.type('o')
  await run.shows(service.url)
  expect(run.lines().join('')).toContain(`${service.url}/app/${team.id}/${team.project.project_id}/inbox?item=${id}`)
  run.type('?')
  await run.shows('open it on the dashboard')
  run.type('qq')
  await run.ended
})

test('--kind takes each kind of submission', async () => {
  const { err } = await earshot(['moderate', '--kind', 'song'])
  expect(err).toContain(`Allowed choices are ${SubmissionKind.options.join(', ')}.`)
})
