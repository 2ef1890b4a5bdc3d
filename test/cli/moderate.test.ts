import type { Submission } from '@earshot/contracts'
import stringWidth from 'string-width'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ModerationQueue } from '../../cli/src/moderation-queue.ts'
import { number } from '../support/event-stream.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { earshot } from './command-line.ts'
import { moderate } from './moderator.ts'
import { submission } from './records.ts'

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
const submit = async (body: string, name = 'Ada') => {
  const { id } = await client().submissions.create({ ...team.project, body, author: { name }, consent: { granted: true } })
  return id
}
const stateOf = async (submission_id: string) => {
  const { state, moderation } = await client().submissions.retrieve({ ...team.project, submission_id })
  return [state, moderation.reason]
}

test('decisions go out before the end, with reasons; a skipped submission stays pending', async () => {
  const [first, second, third] = [await submit('The first words'), await submit('The second words'), await submit('The third words')]
  const run = moderate(service, team)
  await run.shows(/^Website: 3 pending/)
  await run.shows('The third words')
  run.type('a')
  await run.shows('The second words')
  run.type('rspam')
  run.press('backspace')
  run.type('m!')
  run.press('return')
  await run.shows('The first words')
  run.type('s')
  await run.shows('1 skipped: press S')
  run.type('q')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '1 approved, 1 rejected, 1 left.\n' })
  expect(await Promise.all([first, second, third].map(stateOf))).toEqual([
    ['pending', null],
    ['rejected', 'spam!'],
    ['approved', null],
  ])
})

test('a decision is sent by itself after five seconds, and can be undone until then', async () => {
  const [first, second] = [await submit('The first words'), await submit('The second words')]
  const run = moderate(service, team)
  await run.shows('The second words')
  run.type('a')
  await run.shows('1 to send')
  run.type('z')
  await run.shows('Undone: “The second words”')
  run.type('sa')
  await run.shows('1 approved')
  expect(await Promise.all([first, second].map(stateOf))).toEqual([
    ['approved', null],
    ['pending', null],
  ])
  run.type('z')
  await run.shows('There is nothing to undo')
  run.press('ctrl-c')
  expect(await run.ended).toMatchObject({ exitCode: 0 })
})

test('new submissions appear, and what somebody else decided is shown and not overwritten', async () => {
  const first = await submit('The first words')
  const run = moderate(service, team)
  await run.shows('The first words')
  run.type('a')
  await run.shows('Nothing is pending')
  // Their decision arrives before ours is sent.
  await client().submissions.reject({ ...team.project, submission_id: first })
  await number(service)
  await run.shows(/“The first words” was rejected by .+ ago\.\s+Your decision was\s+not sent\./s)
  const second = await submit('Words that come later')
  await number(service)
  await run.shows('Words that come later')
  run.type('a')
  // Nobody says so before ours is sent: compare-and-set.
  await client().submissions.reject({ ...team.project, submission_id: second, reason: 'No.' })
  run.type('q')
  const { exitCode, err } = await run.ended
  expect(exitCode).toBe(0)
  expect(err).toMatch(
    /^“Words that come later” was rejected by .+ ago\. Your decision was not applied\.\n0 approved, 0 rejected, 0 left\.\n$/,
  )
  expect([await stateOf(first), await stateOf(second)]).toEqual([
    ['rejected', null],
    ['rejected', 'No.'],
  ])
})

test('a member, who may not read events, sees what happens as it happens', async () => {
  const first = await submit('Words of a visitor')
  const run = moderate(service, team, { token: await team.tokenOf('member') })
  await run.shows('Words of a visitor')
  const [second, third] = [await submit('Words that come later'), await submit('Words that go')]
  await number(service)
  await run.shows(/^Website: 3 pending/)
  await client().submissions.approve({ ...team.project, submission_id: second })
  await number(service)
  await run.shows(/“Words that come later” was approved by .+ ago\./)
  await client().submissions.delete({ ...team.project, submission_id: third })
  await number(service)
  await run.shows('“Words that go” was deleted meanwhile.')
  await client().submissions.update({ ...team.project, submission_id: first, tags: ['press'] })
  await number(service)
  await run.shows('Tags: press')
  run.type('aq')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '1 approved, 0 rejected, 0 left.\n' })
  expect(await stateOf(first)).toEqual(['approved', null])
})

test('an older submission appears once it has the tag that is moderated', async () => {
  const id = await submit('Words without a tag')
  const run = moderate(service, team, { args: ['--tag', 'press'] })
  await run.shows('Nothing is pending')
  await client().submissions.update({ ...team.project, submission_id: id, tags: ['press'] })
  await number(service)
  await run.shows('Words without a tag')
  run.type('q')
  expect(await run.ended).toMatchObject({ exitCode: 0 })
})

test('tags are set at once, and filters narrow the queue', async () => {
  const id = await submit('Words with tags')
  await submit('Words without')
  await client().submissions.update({ ...team.project, submission_id: id, tags: ['press'] })
  const run = moderate(service, team, { args: ['--tag', 'press'] })
  await run.shows('Tags: press')
  run.type('t, wall')
  run.press('return')
  await run.shows('Tags: press, wall')
  run.type('s')
  await run.hides('Words without')
  run.type('q')
  expect((await run.ended).err).toBe('0 approved, 0 rejected, 1 left.\n')
})

test.for([20, 300])('a screen of %i columns shows wide and hostile words in its width', async (columns) => {
  await submit('\u001b[31mred\u001b[0m 你好世界你好世界你好世界 مرحبا \u202eabc 👩‍👩‍👧‍👦', 'Ada \u0007Lovelace')
  const run = moderate(service, team, { columns, rows: 12 })
  await run.shows('你好')
  expect(run.lines()).toHaveLength(12)
  for (const line of run.lines()) {
    expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the screen
    expect(line).not.toMatch(/[\u0000-\u001f\u202e]/)
  }
  run.type('q')
  await run.ended
})

test('a service that goes away loses no decision: those that were not sent are listed', async () => {
  const other = await startTestService()
  const place = await makeTeam(other.database)
  const words = { ...place.project, body: 'Words that stay', author: { name: 'Ada' }, consent: { granted: true } }
  const { id } = await other.client(place.token).submissions.create(words)
  const run = moderate(other, place, { haste: 10 })
  await run.shows('Words that stay')
  await other.close()
  run.type('aq')
  expect(await run.ended).toMatchObject({ exitCode: 4, err: expect.stringContaining(`not sent: approve ${id} “Words that stay”\n`) })
})

test('without a terminal it says what scripts can use', async () => {
  const ended = await earshot(['moderate'], { url: service.url, env: { EARSHOT_TOKEN: team.token } })
  expect([ended.exitCode, ended.err.split('\n')[0]]).toEqual([2, expect.stringContaining('needs a terminal')])
})

test('a decision that could not be sent can be undone, also when somebody tried while it was being sent', () => {
  const queue = new ModerationQueue()
  queue.add([submission({ id: 'a' })] as unknown as Submission[])
  const [entry] = queue.undecided()
  if (!entry) throw new Error('There is one.')
  queue.decide(entry, { action: 'approve', reason: null }, 0)
  expect(queue.takeDue(10_000, 50, 0)).toHaveLength(1)
  expect(queue.undo()).toBeNull()
  queue.putBack(['a'])
  expect(queue.undo()?.submission.id).toBe('a')
  expect(queue.unsent()).toEqual([])
})
