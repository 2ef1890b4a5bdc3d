import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { number } from '../support/event-stream.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { refusal } from './fake-service.ts'
import { startGate } from './gate.ts'
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
const submit = async (body: string) => {
  const { id } = await client().submissions.create({ ...team.project, body, author: { name: 'Ada' }, consent: { granted: true } })
  return id
}
const submitMany = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => team.submit({ body: `Words ${index}.` })))
const stateOf = async (submission_id: string) => (await client().submissions.retrieve({ ...team.project, submission_id })).state
const counts = async () => {
  const { pending, approved, rejected } = await client().submissions.counts(team.project)
  return { pending, approved, rejected }
}

/** Approves as somebody else, who is noticed at once. */
const approveElsewhere = async (submission_id: string) => {
  await client().submissions.approve({ ...team.project, submission_id })
  await number(service)
}
const isNextPage = (request: string) => request.startsWith('GET') && request.includes('cursor=') && request.includes('state=pending')
/** Without the stream, whose start reads what is new, a second page comes from the list alone. */
const isStream = (request: string) => request.includes('/submissions/stream/')
const isDecision = (request: string) => request.includes('/moderate/')

test('a reason that is being typed rejects nothing else when somebody decides on its submission', async () => {
  const [older, newer] = [await submit('The older words'), await submit('The newer words')]
  const run = moderate(service, team)
  await run.shows('The newer words')
  run.type('rsp')
  await approveElsewhere(newer)
  await run.shows(/“The newer words” was approved by/)
  run.type('am')
  await run.shows('spam')
  expect(run.lines().join('\n')).not.toContain('The older words')
  run.press('return')
  await run.shows(/“The newer words” was approved by .* Your decision was\s+not sent/s)
  await run.shows('The older words')
  run.type('q')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '0 approved, 0 rejected, 1 left.\n' })
  expect(await Promise.all([older, newer].map(stateOf))).toEqual(['pending', 'approved'])
})

test('a key acts on the submission that is on the screen, not on the next when somebody has decided on it', async () => {
  const [older, newer] = [await submit('The older words'), await submit('The newer words')]
  const run = moderate(service, team)
  await run.shows('The newer words')
  await approveElsewhere(newer)
  await run.shows(/“The newer words” was approved by/)
  run.type('a')
  await run.shows('The older words')
  run.type('q')
  expect((await run.ended).err).toBe('0 approved, 0 rejected, 1 left.\n')
  expect(await stateOf(older)).toBe('pending')
})

test('a next page that fails is read again, and the session goes on', async () => {
  await submitMany(51)
  let isAway = true
  await using gate = await startGate(service.url, (request) => {
    if (isStream(request)) return 'hang'
    return isNextPage(request) && isAway ? refusal(503, 'dependency_unavailable') : 'pass'
  })
  const run = moderate(service, team, { url: gate.url })
  await run.shows(/^Website: 50\+ pending/)
  run.type('a'.repeat(41))
  await run.shows(/Not all submissions are here: .*dependency_unavailable.*Trying again/s)
  isAway = false
  await run.shows(/^Website: 10 pending/)
  await run.shows('The service is back.')
  run.type('q')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '41 approved, 0 rejected, 10 left.\n' })
  expect(await counts()).toEqual({ pending: 10, approved: 41, rejected: 0 })
})

test('what is not loaded yet is counted at the end, too', async () => {
  await submitMany(51)
  await using gate = await startGate(service.url, (request) => (isStream(request) ? 'hang' : 'pass'))
  const run = moderate(service, team, { url: gate.url })
  await run.shows(/^Website: 50\+ pending/)
  run.type('aq')
  expect((await run.ended).err).toBe('1 approved, 0 rejected, 49+ left.\n')
})

test('submissions behind skipped ones are loaded', async () => {
  await submitMany(51)
  await using gate = await startGate(service.url, (request) => (isStream(request) ? 'hang' : 'pass'))
  const run = moderate(service, team, { url: gate.url })
  await run.shows(/^Website: 50\+ pending/)
  run.type('s'.repeat(50))
  await run.shows(/^Website: 51 pending/)
  run.type('q')
  await run.ended
})

test('who may not set tags is told, and decides all the same', async () => {
  const id = await submit('Words that stay')
  await submit('Words of praise')
  const run = moderate(service, team, {
    token: await team.tokenOf('member', ['read:submissions', 'moderate:submissions', 'read:projects']),
  })
  await run.shows('Words of praise')
  run.type('at, wall')
  run.press('return')
  await run.shows(/The tags of “Words that stay” are not set: .*scope/s)
  run.type('aq')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '2 approved, 0 rejected, 0 left.\n' })
  expect(await stateOf(id)).toBe('approved')
})

test.for([
  ['sends its decisions before the end', 404, 'not_found', { exitCode: 1, err: expect.not.stringContaining('not sent') }],
  ['lists its decisions if the token has ended', 401, 'token_expired', { exitCode: 3, err: expect.stringContaining('not sent: approve') }],
] as const)('a session that the service ends %s', async ([, status, code, outcome]) => {
  await submitMany(51)
  await using gate = await startGate(service.url, (request) => {
    if (isStream(request)) return 'hang'
    return isNextPage(request) ? refusal(status, code) : 'pass'
  })
  const run = moderate(service, team, { url: gate.url })
  await run.shows(/^Website: 50\+ pending/)
  run.type(`${'s'.repeat(40)}as`)
  expect(await run.ended).toMatchObject(outcome)
  expect(gate.requests.some(isDecision)).toBe(status === 404)
})

test('Ctrl-C ends while a page hangs, and sends what was decided', async () => {
  await submitMany(51)
  await using gate = await startGate(service.url, (request) => (isStream(request) || isNextPage(request) ? 'hang' : 'pass'))
  const run = moderate(service, team, { url: gate.url })
  await run.shows(/^Website: 50\+ pending/)
  run.type('a'.repeat(41))
  await expect.poll(() => gate.requests.some(isNextPage)).toBe(true)
  run.press('ctrl-c')
  expect(await run.ended).toMatchObject({ exitCode: 0, err: '41 approved, 0 rejected, 9+ left.\n' })
})

test('a second Ctrl-C ends at once with 130, and lists what was not sent with its reason', async () => {
  const id = await submit('Words that stay')
  await using gate = await startGate(service.url, (request) => (isDecision(request) ? 'hang' : 'pass'))
  const run = moderate(service, team, { url: gate.url })
  await run.shows('Words that stay')
  run.type('rspam, again')
  run.press('return')
  run.press('ctrl-c')
  await run.closes()
  await expect.poll(() => gate.requests.some(isDecision)).toBe(true)
  run.interrupt()
  const { exitCode, err } = await run.ended
  expect(exitCode).toBe(130)
  expect(err.endsWith(`0 approved, 0 rejected, 0 left.\nnot sent: reject ${id} “Words that stay”: spam, again\n`)).toBe(true)
})

test.for([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s closes the screen at once, and gives the service a few seconds to take what was decided', async ([name, exitCode]) => {
  const ids = [await submit('The first words'), await submit('The second words')]
  let isHanging = false
  await using gate = await startGate(service.url, (request) => (isDecision(request) && isHanging ? 'hang' : 'pass'))
  const sent = moderate(service, team, { url: gate.url })
  await sent.shows('The second words')
  sent.type('a')
  sent.signal(name)
  await sent.closes()
  expect(await sent.ended).toMatchObject({ exitCode, err: '1 approved, 0 rejected, 1 left.\n' })
  isHanging = true
  const hung = moderate(service, team, { url: gate.url, haste: 5 })
  await hung.shows('The first words')
  hung.type('a')
  hung.signal(name)
  expect(await hung.ended).toMatchObject({ exitCode, err: expect.stringContaining(`not sent: approve ${ids[0]}`) })
})

test('submissions that arrive before the stream is ready appear', async () => {
  await submit('The first words')
  const { promise: isOpening, resolve: open } = Promise.withResolvers<void>()
  await using gate = await startGate(service.url, async (request) => {
    if (isStream(request)) await isOpening
    return 'pass' as const
  })
  const run = moderate(service, team, { url: gate.url })
  await run.shows('The first words')
  await submit('Words in between')
  await number(service)
  open()
  await run.shows(/^Website: 2 pending/)
  run.type('q')
  await run.ended
})

test('all submissions appear, however many arrive at once', async () => {
  await submit('The first words')
  const run = moderate(service, team, { token: await team.tokenOf('member') })
  await run.shows('The first words')
  await submitMany(120)
  await number(service)
  await run.shows(/^Website: 121 pending/)
  run.type('q')
  await run.ended
})
