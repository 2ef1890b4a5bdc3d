import type { SubmissionChange } from '@earshot/contracts'
import { openTeamDatabase } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginPageSession } from '../support/credentials.ts'
import { erasePerson, newAddress } from '../support/erasures.ts'
import { number, type OpenStream, openStream } from '../support/event-stream.ts'
import { importFile, importsPath } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const SHORT_BEAT_MS = 500

let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  service = await startTestService({ streamHeartbeatMs: SHORT_BEAT_MS })
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})

test('a viewer follows a project, with a session and with a token, and gets ids and states alone', async () => {
  const team = await makeTeam(service.database)
  const viewer = await team.join('viewer')
  const streams = [
    await follow(team, { token: await team.tokenOf('viewer', ['read:submissions']) }),
    await follow(team, { headers: await beginPageSession(service, viewer.id) }),
  ]
  const visitors = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: { body: 'Saved us a week.', author: { name: 'Ada', email: 'ada@example.com' }, consent: { granted: true } },
  })
  const { id } = visitors.body
  const member = await team.tokenOf('member')
  await service.client(member).submissions.approve({ ...team.project, submission_id: id })
  for (const stream of streams) {
    await expect.poll(() => changesIn(stream)).toEqual([change('created', id, 'pending'), change('approved', id, 'approved')])
    expect(stream.text()).not.toMatch(/Ada|example\.com|week/)
    expect(stream.messages().map(({ event }) => event)).toEqual(['ready', 'submission.created', 'submission.approved'])
    stream.close()
  }
})

test('every change of a submission is told once and in order, whatever makes it', async () => {
  const team = await makeTeam(service.database)
  const { project } = team
  const client = service.client(team.token)
  const stream = await follow(team)
  const email = newAddress()

  const { id } = await client.submissions.create({ ...project, body: 'Good.', author: { name: 'Ada' }, tags: ['old'] })
  await client.submissions.reject({ ...project, submission_id: id })
  await client.submissions.reject({ ...project, submission_id: id })
  await client.submissions.update({ ...project, submission_id: id, metadata: { order: 'A-77' } })
  await client.tags.update({ ...project, tag: 'old', name: 'new' })
  await client.submissions.moderate({ ...project, items: [{ submission_id: id, action: 'approve', expected_state: 'rejected' }] })
  await client.submissions.delete({ ...project, submission_id: id })

  const visitors = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: { body: 'Mine.', author: { name: 'Eve', email }, consent: { granted: true } },
  })
  const own = visitors.body.id
  for (const _time of ['first', 'again'])
    await service.send('POST', '/api/public/v1/consent/revoke/', { body: { revoke_token: visitors.body.revoke_token } })
  await erasePerson(service, team, email)

  await expect
    .poll(() => changesIn(stream))
    .toEqual([
      change('created', id, 'pending'),
      change('rejected', id, 'rejected'),
      change('updated', id, 'rejected'),
      change('updated', id, 'rejected'),
      change('approved', id, 'approved'),
      change('deleted', id, 'deleted'),
      change('created', own, 'pending'),
      change('updated', own, 'pending'),
      change('deleted', own, 'deleted'),
    ])
  const times = stream.messages().flatMap(({ event, data }) => (event === 'ready' ? [] : [Date.parse(JSON.parse(data).at)]))
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(Math.abs(Date.now() - (times.at(-1) ?? 0))).toBeLessThan(30_000)
  stream.close()
})

test('an import that suppresses events is told row by row, and so is its undoing', async () => {
  const team = await makeTeam(service.database)
  const stream = await follow(team)
  const csv = `email,text\n${Array.from({ length: 300 }, (_row, number) => `person${number}@example.com,Words ${number}.`).join('\n')}\n`
  const done = await importFile(service, team, { csv, suppress_events: true })
  await expect.poll(() => changesIn(stream).length).toBe(300)
  const created = changesIn(stream)
  expect(new Set(created.map(({ submission_id }) => submission_id)).size).toBe(300)
  expect(created).toEqual(created.map(({ submission_id }) => change('created', submission_id, 'pending', 'testimonial')))
  await service.send('POST', importsPath(team, `${done.id}/undo/`), { token: team.token })
  await expect.poll(() => changesIn(stream).length).toBe(600)
  const ids = (types: string) => changesIn(stream).flatMap(({ type, submission_id }) => (type === types ? [submission_id] : []))
  expect(ids('submission.deleted').toSorted()).toEqual(ids('submission.created').toSorted())
  stream.close()
})

test('nothing of another project or team appears, and neither may read the stream', async () => {
  const team = await makeTeam(service.database)
  const stranger = await makeTeam(service.database)
  const { id: project_id } = await service.client(team.token).projects.create({ team_id: team.id, name: 'Other' })
  const other = { ...team, project: { team_id: team.id, project_id } }
  const [stream, beside] = [await follow(team), await follow(other)]
  await stranger.submit()
  const theirs = await service.client(team.token).submissions.create({ ...other.project, body: 'Good.', author: { name: 'Ada' } })
  const { id } = await team.submit()
  await expect.poll(() => changesIn(stream)).toEqual([change('created', id, 'pending')])
  await expect.poll(() => changesIn(beside)).toEqual([change('created', theirs.id, 'pending')])
  for (const one of [stream, beside]) one.close()
  expect(await open(team, { token: stranger.token })).toMatchObject({ status: 404 })
  expect(await open({ ...team, project: { team_id: team.id, project_id: stranger.project.project_id } })).toMatchObject({ status: 404 })
  expect(await open(team, { token: await team.tokenOf('viewer', ['read:webhooks']) })).toMatchObject({ status: 403 })
})

test('a stream resumes after Last-Event-ID, else after the cursor, without gaps or duplicates', async () => {
  const team = await makeTeam(service.database)
  const whole = await follow(team)
  const ids: string[] = []
  for (let count = 0; count < 130; count += 1) ids.push((await team.submit()).id)
  await expect.poll(() => idsIn(whole)).toEqual(ids)
  const [third = '', hundredth = ''] = [whole.messages()[3]?.id, whole.messages()[100]?.id].map(String)
  const byCursor = await open(team, { query: `?cursor=${third}` })
  const byHeader = await open(team, { query: `?cursor=${third}`, headers: { 'last-event-id': hundredth } })
  await expect.poll(() => idsIn(byCursor)).toEqual(ids.slice(3))
  await expect.poll(() => idsIn(byHeader)).toEqual(ids.slice(100))
  for (const stream of [whole, byCursor, byHeader]) stream.close()

  const [{ cursor: start } = { cursor: '' }] = [JSON.parse(whole.messages()[0]?.data ?? '{}')]
  const client = service.client(team.token)
  const collected: string[] = []
  for await (const { data } of client.submissions.stream({ ...team.project, cursor: start })) {
    collected.push(data.submission_id)
    if (collected.length === ids.length) break
  }
  expect(collected).toEqual(ids)
  expect(await open(team, { query: '?cursor=nonsense' })).toMatchObject({ status: 400 })
  expect(await open(team, { query: '?limit=3' })).toMatchObject({ status: 400 })
})

test('a cursor whose changes are no longer kept, or that was never given, has expired', async () => {
  const team = await makeTeam(service.database)
  const stream = await follow(team)
  for (let count = 0; count < 3; count += 1) await team.submit()
  await expect.poll(() => idsIn(stream).length).toBe(3)
  const cursors = stream.messages().map(({ id }) => id)
  stream.close()
  await service.database.run(
    'delete from submission_feed where project_id = $1 and position in (select position from submission_feed where project_id = $1 order by position limit 2)',
    [team.project.project_id],
  )
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/stream/`
  const expired = { status: 409, body: { code: 'cursor_expired', oldest_cursor: cursors[2], newest_cursor: cursors[3] } }
  for (const cursor of [cursors[1], 'f7', 'fzzzzzzzzzz'])
    expect(await service.send('GET', `${path}?cursor=${cursor}`, { token: team.token }), String(cursor)).toMatchObject(expired)
  const rest = await open(team, { query: `?cursor=${cursors[2]}` })
  await expect.poll(() => idsIn(rest).length).toBe(1)
  rest.close()
})

test('a stream ends when the role, the membership, the scope or the project does', async () => {
  const team = await makeTeam(service.database)
  const { database } = service
  const follower = async (code: string, sql: string, isSession: boolean) => {
    const token = isSession ? '' : await team.tokenOf('viewer', ['read:submissions', 'read:profile'])
    const userId = isSession ? (await team.join('viewer')).id : (await service.client(token).me.retrieve()).user.id
    const stream = await follow(team, isSession ? { headers: await beginPageSession(service, userId) } : { token })
    return { code, stream, end: () => database.run(sql, [userId]) }
  }
  const cases = await Promise.all([
    follower('not_found', 'delete from memberships where user_id = $1', true),
    follower('insufficient_scope', "update credentials set scopes = '{}' where user_id = $1", false),
    follower('invalid_token', 'update credentials set revoked_at = now() where user_id = $1', true),
  ])
  const faithful = await follow(team)
  for (const { end } of cases) await end()
  for (const { stream, code } of cases) {
    await expect.poll(stream.hasEnded).toBe(true)
    expect(lastOf(stream), code).toMatchObject({ event: 'error', code })
  }
  expect(faithful.hasEnded()).toBe(false)
  await service.client(team.token).projects.delete(team.project)
  await expect.poll(faithful.hasEnded).toBe(true)
  expect(lastOf(faithful)).toMatchObject({ event: 'error', code: 'not_found' })
})

test('a person has 20 streams, of events and of submissions together', async () => {
  const team = await makeTeam(service.database)
  const streams = await Promise.all([
    ...Array.from({ length: 10 }, () => openStream(service, team)),
    ...Array.from({ length: 10 }, () => open(team)),
  ])
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(await open(team)).toMatchObject({ status: 429 })
  expect(await openStream(service, team)).toMatchObject({ status: 429 })
  for (const stream of streams) stream.close()
})

test.each(['free', 'business'] as const)('a session on the plan %s follows its project', async (plan) => {
  const team = await makeTeam(service.database, { plan })
  const stream = await follow(team, { token: '', headers: await beginPageSession(service, team.ownerId) })
  const { id } = await team.submit()
  await expect.poll(() => idsIn(stream)).toEqual([id])
  stream.close()
})

test('with row-level security changes are noted and read as the role that is bound to their team', async () => {
  const store = await openTestDatabase()
  const teamDatabase = openTeamDatabase({ address: store.address, poolSize: 2, applicationName: 'earshot test' })
  const own = await startTestService({ database: store.database, teamDatabase }, { store })
  const [team, other] = [await makeTeam(store.database), await makeTeam(store.database)]
  const stream = await openStream(own, team, { path: `projects/${team.project.project_id}/submissions/stream/` })
  const send = async ({ project, token }: Team) => {
    const { id } = await own.client(token).submissions.create({ ...project, body: 'Good.', author: { name: 'Ada' } })
    await own.client(token).submissions.approve({ ...project, submission_id: id })
    return id
  }
  await send(other)
  const id = await send(team)
  await number(own)
  await expect.poll(() => changesIn(stream)).toEqual([change('created', id, 'pending'), change('approved', id, 'approved')])
  stream.close()
  await own.close()
  await teamDatabase.close()
  await store.close()
})

interface Reader {
  token?: string
  query?: string
  headers?: Record<string, string>
}

function open({ id, project, token: ownToken }: Team, { token = ownToken, ...options }: Reader = {}): Promise<OpenStream> {
  return openStream(service, { id, token }, { ...options, path: `projects/${project.project_id}/submissions/stream/` })
}

/** Opens a stream and waits until it has begun. */
async function follow(team: Team, reader?: Reader): Promise<OpenStream> {
  const stream = await open(team, reader?.headers ? { token: '', ...reader } : reader)
  expect(stream).toMatchObject({ status: 200 })
  await expect.poll(() => stream.messages().length).toBe(1)
  return stream
}

function changesIn(stream: OpenStream): SubmissionChange[] {
  return stream.messages().flatMap(({ event, data }) => (event?.startsWith('submission.') ? [JSON.parse(data)] : []))
}

function idsIn(stream: OpenStream): string[] {
  return changesIn(stream).map(({ submission_id }) => submission_id)
}

function change(what: string, submission_id: string, state: SubmissionChange['state'], kind = 'text') {
  return { type: `submission.${what}`, submission_id, kind, state, at: expect.stringMatching(/^20\d\d-.+Z$/) }
}

function lastOf(stream: OpenStream): { event: string | null; code: string } {
  const { event = null, data = '{}' } = stream.messages().at(-1) ?? {}
  return { event, code: JSON.parse(data).code }
}
