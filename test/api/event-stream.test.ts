import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { openTeamDatabase } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HEARTBEAT_MS } from '../../server/src/http/long-read.ts'
import { GRACE_MS } from '../../server/src/http/open-streams.ts'
import { followWithEventSource, number, type OpenStream, openStream } from '../support/event-stream.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** Instead of fifteen seconds. */
const SHORT_BEAT_MS = 500
const ENDED_WITHIN_MS = SHORT_BEAT_MS + 5_000
/** How long a stop waits for requests. */
const DRAIN_MS = 20_000

let service: TestService
beforeAll(async () => {
  service = await startTestService({ streamHeartbeatMs: SHORT_BEAT_MS })
})
afterAll(() => service.close())

test('a stream begins with new events and sends each as stored, with a cursor of the feed', async () => {
  const team = await makeTeam(service.database)
  await emit(team)
  const stream = await openStream(service, team)
  expect(stream).toMatchObject({ status: 200 })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
  await expect.poll(() => stream.messages().length).toBe(1)
  const [ready] = stream.messages()
  expect(stream.text()).toMatch(/^retry: 1000\nid: f/)
  expect(ready).toMatchObject({ event: 'ready', data: JSON.stringify({ cursor: ready?.id }) })

  const [id] = await emit(team, 1, { body: 'Grüße, 世界 \u2028' })
  await expect.poll(() => stream.messages().length).toBe(2)
  const [row] = await service.database.run<{ payload: string }>('select payload from events where id = $1', [id])
  expect(stream.messages()[1]).toMatchObject({ event: 'submission.created', data: row?.payload })
  const page = await service.send('GET', `/api/v1/teams/${team.id}/events/?cursor=${ready?.id}`, { token: team.token })
  expect(stream.messages()[1]?.id).toBe(page.body.next_cursor)
  stream.close()
})

test('a stream resumes after Last-Event-ID, else after the cursor, without gaps or duplicates', async () => {
  const team = await makeTeam(service.database)
  const ids = await emit(team, 60)
  const whole = await openStream(service, team, { query: '?cursor=f0' })
  await expect.poll(whole.ids).toEqual(ids)
  const cursors = whole.messages().map(({ id }) => id ?? '')
  const [third = '', fiftieth = ''] = [cursors[3], cursors[50]]
  const byCursor = await openStream(service, team, { query: `?cursor=${third}` })
  await expect.poll(byCursor.ids).toEqual(ids.slice(3))
  const byHeader = await openStream(service, team, { query: `?cursor=${third}`, headers: { 'last-event-id': fiftieth } })
  await expect.poll(byHeader.ids).toEqual(ids.slice(50))

  const later = await emit(team, 30)
  for (const [stream, skipped] of [
    [whole, 0],
    [byCursor, 3],
    [byHeader, 50],
  ] as const) {
    await expect.poll(stream.ids).toEqual([...ids, ...later].slice(skipped))
    stream.close()
  }
  for (const query of ['?cursor=nonsense', '?types=nothing', '?limit=3']) {
    expect(await openStream(service, team, { query }), query).toMatchObject({ status: 400 })
  }
  expect(await openStream(service, team, { headers: { 'last-event-id': 'nonsense' } })).toMatchObject({ status: 400 })
})

test('a stream filtered by types omits others, and its cursor still advances past them', async () => {
  const team = await makeTeam(service.database)
  const stream = await openStream(service, team, { query: '?types=submission.approved&types=submission.rejected' })
  await expect.poll(() => stream.messages().length).toBe(1)
  const created = await emit(team, 3)
  const [row] = await service.database.run<{ id: string }>('select id from submissions where team_id = $1 limit 1', [team.id])
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: row?.id ?? '' })
  await number(service)
  await expect.poll(() => stream.messages().map(({ event }) => event)).toEqual(['ready', 'submission.approved'])
  const { results } = await service.client(team.token).events.list({ team_id: team.id, cursor: stream.messages()[1]?.id ?? '' })
  expect([results, created.length]).toEqual([[], 3])
  stream.close()
})

test('only callers with read:contacts see e-mail addresses in a stream', async () => {
  const team = await makeTeam(service.database)
  const blind = await openStream(service, { id: team.id, token: await team.tokenOf('admin', ['read:webhooks']) })
  const seeing = await openStream(service, team)
  await expect.poll(() => blind.messages().length + seeing.messages().length).toBe(2)
  await emit(team, 1, { author_email: 'secret@example.com' })
  await expect.poll(() => [blind, seeing].map(emailsIn)).toEqual([[null], ['secret@example.com']])
  for (const stream of [blind, seeing]) stream.close()
})

test('a caller who loses access gets an error and the end of the stream at the next beat, and beats count as no request', async () => {
  const team = await makeTeam(service.database)
  const { database } = service
  const endings: [string, string, (token: string) => Promise<unknown>][] = [
    ['invalid_token', 'admin', (token) => revoke(token)],
    ['not_found', 'admin', (token) => byOwner(token, 'delete from memberships where user_id = $1')],
    ['insufficient_role', 'admin', (token) => byOwner(token, "update memberships set role = 'member' where user_id = $1")],
    ['insufficient_scope', 'admin', (token) => byOwner(token, "update credentials set scopes = '{}' where user_id = $1")],
  ]
  const revoke = (token: string) => byOwner(token, 'update credentials set revoked_at = now() where user_id = $1')
  const byOwner = async (token: string, sql: string) => database.run(sql, [await userOf(token)])
  const poor = await makeTeam(database)
  const followers = await Promise.all([
    ...endings.map(async ([code, role, end]) => {
      const token = await team.tokenOf(role as 'admin')
      return { code, end: () => end(token), stream: await openStream(service, { id: team.id, token }) }
    }),
    openStream(service, poor).then((stream) => ({
      code: 'plan_without_api_access',
      stream,
      end: () => database.run("update teams set plan = 'free' where id = $1", [poor.id]),
    })),
  ])
  const faithful = await openStream(service, team)
  for (const { end } of followers) await end()
  for (const { stream, code } of followers) {
    await expect.poll(stream.hasEnded, { timeout: ENDED_WITHIN_MS, message: code }).toBe(true)
    const last = stream.messages().at(-1)
    expect([last?.event, JSON.parse(last?.data ?? '{}')]).toMatchObject(['error', { code, request_id: stream.headers.get('x-request-id') }])
  }
  const [id] = await emit(team)
  await expect.poll(faithful.ids).toContain(id)
  expect(faithful.text()).toContain('\n\n:\n\n')
  const rows = await database.run<{ used: number }>('select used from rate_windows where subject = $1', [`user:${team.ownerId}`])
  expect(rows).toEqual([{ used: 1 }])
  faithful.close()
})

test('a stream beats every 15 seconds', () => {
  expect(HEARTBEAT_MS).toBe(15_000)
})

test('a person can have 20 streams, and another once one ends', async () => {
  const team = await makeTeam(service.database)
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(service, team)))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  const refused = await service.send('GET', `/api/v1/teams/${team.id}/events/stream/`, { token: team.token })
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await openStream(service, { id: team.id, token: await team.tokenOf('admin') })).toMatchObject({ status: 200 })
  streams[0]?.close()
  await expect.poll(async () => (await openStream(service, team)).status).toBe(200)
  for (const stream of streams) stream.close()
})

// Each of these has a service of its own, and waits for most of its time.
test.concurrent('200 idle streams of ten teams cost five statements a second, besides authorizing each at every beat', async ({
  expect,
}) => {
  const store = await openTestDatabase()
  const own = await startTestService({ database: store.database }, { store })
  const teams = await Promise.all(Array.from({ length: 10 }, () => makeTeam(store.database)))
  const streams = await Promise.all(teams.flatMap((team) => Array.from({ length: 20 }, () => openStream(own, team))))
  await expect.poll(() => streams.filter((stream) => stream.messages().length === 1).length).toBe(200)
  // The first look at a team is news to all of its streams.
  await untilQuiet(() => store.statements.filter((text) => !text.includes('unnest(')).length)
  const settled = store.statements.length
  const startedAt = performance.now()
  await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(4_000)
  const seconds = (performance.now() - startedAt) / 1000
  const sent = store.statements.slice(settled).filter((text) => !text.includes('rate_windows'))
  console.log(`200 idle streams: ${(sent.length / seconds).toFixed(1)} statements a second, authorizations aside`)
  expect(sent.length / seconds).toBeLessThan(6)
  for (const stream of streams) stream.close()
  await own.close()
  await store.close()
})

test.concurrent('a WHATWG client that reconnects over restarts of the service gets every event once', async ({ expect }) => {
  const store = await openTestDatabase()
  const place = { database: store.database, services: { secretBox: createSecretBox(randomBytes(32)) }, streamHeartbeatMs: SHORT_BEAT_MS }
  const first = await startTestService(place, { store })
  const port = Number(new URL(first.url).port)
  const team = await makeTeam(store.database)
  const follower = followWithEventSource(`${first.url}/api/v1/teams/${team.id}/events/stream/`, team.token, ['submission.created'])
  await expect.poll(() => follower.counts.opened).toBe(1)
  const all: string[] = []
  let running = first
  for (let restart = 1; restart <= 3; restart += 1) {
    all.push(...(await emit(team, 30, {}, store)))
    await running.close()
    all.push(...(await emit(team, 20, {}, store)))
    running = await startTestService(place, { store, port })
    await expect.poll(() => follower.counts.opened).toBe(restart + 1)
  }
  all.push(...(await emit(team, 10, {}, store)))
  await expect.poll(() => follower.ids).toEqual(all)
  await running.database.run('update credentials set revoked_at = now() where user_id = $1', [team.ownerId])
  await expect.poll(follower.isClosed, { timeout: ENDED_WITHIN_MS }).toBe(true)
  expect(follower.ids).toEqual(all)
  await running.close()
  await store.close()
})

test.concurrent('for a stalled reader no more is read than the buffers hold; others go on, and nothing is lost', async ({ expect }) => {
  const store = await openTestDatabase()
  const own = await startTestService({ database: store.database, drainMs: DRAIN_MS }, { store })
  const team = await makeTeam(store.database)
  await emit(team, 1, { body: 'x'.repeat(10_000) }, store)
  await store.database.run(
    `with copy as (
       insert into events (team_id, type, payload, payload_sha256)
       select team_id, type, payload, payload_sha256 from events, generate_series(1, 3999) where team_id = $1 and type = 'submission.created'
       returning team_id, id, type
     )
     insert into unnumbered_events select team_id, id, type from copy`,
    [team.id],
  )
  for (let batch = 0; batch < 4; batch += 1) await number(store)
  const pages = () => store.statements.filter((text) => text.includes('order by n.position')).length
  const slow = connect(Number(new URL(own.url).port), '127.0.0.1')
  slow.write(`GET /api/v1/teams/${team.id}/events/stream/?cursor=f0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${team.token}\r\n\r\n`)
  slow.pause()
  await untilQuiet(pages)
  expect(pages()).toBeGreaterThan(1)
  expect(pages() * 25).toBeLessThan(3_000)
  const brisk = await openStream(own, team, { query: '?types=submission.created' })
  const [id] = await emit(team, 1, {}, store)
  await expect.poll(brisk.ids).toEqual([id])
  brisk.close()

  let begun = ''
  const cursors: string[] = []
  slow.setEncoding('latin1').on('data', (chunk) => {
    const blocks = (begun + chunk).split('\n\n')
    begun = blocks.pop() ?? ''
    for (const block of blocks) cursors.push(...(/^id: (\S+)\nevent: submission/m.exec(block)?.slice(1) ?? []))
  })
  slow.resume()
  await expect.poll(() => cursors.length).toBe(4_001)
  expect(new Set(cursors).size).toBe(4_001)

  // And one that takes nothing does not keep a stop waiting.
  const stuck = connect(Number(new URL(own.url).port), '127.0.0.1')
  stuck.on('error', () => {})
  stuck.write(`GET /api/v1/teams/${team.id}/events/stream/?cursor=f0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${team.token}\r\n\r\n`)
  stuck.pause()
  await untilQuiet(pages)
  using late = measureLateness()
  const startedAt = performance.now()
  expect(GRACE_MS).toBe(1_000)
  await own.close()
  expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS / 2 + 1_000 * late.seconds())
  await store.close()
})

test('with row-level security a stream reads as the role that is bound to its team', async () => {
  const store = await openTestDatabase()
  const teamDatabase = openTeamDatabase({ address: store.address, poolSize: 2, applicationName: 'earshot test' })
  const own = await startTestService({ database: store.database, teamDatabase }, { store })
  const [team, other] = [await makeTeam(store.database), await makeTeam(store.database)]
  const stream = await openStream(own, team)
  await expect.poll(() => stream.messages().length).toBe(1)
  await emit(other, 1, {}, store)
  const ids = await emit(team, 2, {}, store)
  await expect.poll(stream.ids).toEqual(ids)
  stream.close()
  await own.close()
  await teamDatabase.close()
  await store.close()
})

function emailsIn(stream: OpenStream): unknown[] {
  return stream
    .messages()
    .flatMap(({ event, data }) => (event === 'submission.created' ? [JSON.parse(data).data.submission.author.email] : []))
}

async function userOf(token: string): Promise<string> {
  return (await service.client(token).me.retrieve()).user.id
}

/** Submits, numbers, and returns the events' ids in the order of the feed. */
async function emit(team: Team, count = 1, fields: object = {}, { database }: Pick<TestService, 'database'> = service): Promise<string[]> {
  const [before] = await database.run<{ end: string | null }>('select position as end from feed_ends where team_id = $1', [team.id])
  for (let made = 0; made < count; made += 1) await team.submit(fields)
  await number({ database })
  const rows = await database.run<{ id: string }>(
    'select event_id as id from feed_positions where team_id = $1 and position > $2 order by position',
    [team.id, before?.end ?? '0'],
  )
  return rows.map(({ id }) => id)
}

/** Waits until a count has not grown for a second. */
async function untilQuiet(count: () => number): Promise<void> {
  let known = -1
  const isQuiet = () => {
    const isSame = count() === known
    known = count()
    return isSame
  }
  await until('it is quiet', isQuiet, 20_000, 1_000)
}
