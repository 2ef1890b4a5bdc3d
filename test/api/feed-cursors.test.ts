import { openDatabase, readEvents } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import { dropPastPartitions } from '@earshot/db/maintenance'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { number, openStream } from '../support/event-stream.ts'
import { cursorAt, loseLastEvent, pastPartitions, writePastEvent } from '../support/feed.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { asOperator } from '../support/webhook-fixture.ts'

const LAST_KEPT_DAY = -30

let store: TestDatabase
let service: TestService
beforeAll(async () => {
  store = await openTestDatabase()
  await asOperator(store.address, pastPartitions([-32, -31, -30, -29, -28]))
  service = await startTestService({ database: store.database }, { store })
  await (await makeTeam(store.database)).submit()
})
afterAll(async () => {
  await service.close()
  await store.close()
})

test('a cursor beyond the end of the feed has expired, on every surface', async () => {
  const team = await makeTeam(store.database)
  await team.submit()
  await number(store)
  const { body: page } = await list(team)
  const end = page.next_cursor
  const beyond = cursorAt(BigInt(Number.MAX_SAFE_INTEGER) << 9n)
  const refusal = {
    code: 'cursor_expired',
    oldest_cursor: 'f0',
    newest_cursor: end,
    detail: expect.any(String),
    request_id: expect.any(String),
  }
  expect(await list(team, beyond)).toMatchObject({ status: 409, body: refusal })
  for (const resumption of [{ query: `?cursor=${beyond}` }, { headers: { 'last-event-id': beyond } }]) {
    const stream = await openStream(service, team, resumption)
    expect(stream.status).toBe(409)
    await expect.poll(() => stream.hasEnded() && JSON.parse(stream.text())).toEqual(refusal)
  }
  const input = encodeURIComponent(JSON.stringify({ team_id: team.id, cursor: beyond }))
  const trpc = await service.send('GET', `/trpc/events.list?input=${input}`, { token: team.token })
  expect(trpc.status).toBe(409)
  expect(JSON.stringify(trpc.body)).toContain(`"oldest_cursor":"f0","newest_cursor":"${end}"`)
  expect((await list(team, 'f0')).body.results).toEqual(page.results)
  expect(await list(team, end)).toMatchObject({ status: 200, body: { results: [], next_cursor: end } })
})

test('after a restore, cursors of what was lost have expired, also once the feed has gone on; older ones continue', async () => {
  const lost = await openTestDatabase()
  const team = await makeTeam(lost.database)
  const before = await emit(lost, team)
  await lost.database.close()
  const restored = await openTestDatabase({ template: lost.address })
  const original = openDatabase({ address: lost.address, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot test' })
  const after = await emit({ database: original }, team)
  await original.close()

  const read = (cursor: string) => readEvents(restored.database, { team_id: team.id, cursor, limit: 10 }, ({ id }) => id)
  const expired = { code: 'cursor_expired', fields: { oldest_cursor: 'f0', newest_cursor: before.cursor } }
  await expect(read(after.cursor)).rejects.toMatchObject(expired)
  const later = await emit(restored, team)
  await expect(read(after.cursor)).rejects.toMatchObject({ ...expired, fields: { newest_cursor: later.cursor } })
  expect(await read(before.cursor)).toEqual({
    ...{ results: [later.id], next_cursor: later.cursor },
    ...{ has_more: false, newest_cursor: later.cursor },
  })
  expect((await read('f0')).results).toEqual([before.id, later.id])
  await restored.close()
  await lost.close()
})

test('a cursor has expired once events after it are dropped, however old; one that missed nothing has not', async () => {
  const team = await makeTeam(store.database)
  const write = (day: number) => writePastEvent(store.database, team.id, { day })
  const [first, second, third] = [await write(-32), await write(-31), await write(LAST_KEPT_DAY)]
  await dropPast()
  const expired = { status: 409, body: { code: 'cursor_expired', oldest_cursor: second.cursor, newest_cursor: third.cursor } }
  expect(await list(team, first.cursor)).toMatchObject(expired)
  expect(await list(team, 'f0')).toMatchObject(expired)
  for (const cursor of [second.cursor, undefined]) expect(idsOf(await list(team, cursor))).toEqual([third.id])
  expect(await list(team, third.cursor)).toMatchObject({ status: 200, body: { results: [] } })

  const quiet = await makeTeam(store.database)
  await asOperator(store.address, pastPartitions([-32, -31]))
  const last = await writePastEvent(store.database, quiet.id, { day: -32 })
  await dropPast()
  expect(await list(quiet, last.cursor)).toMatchObject({ status: 200, body: { results: [], next_cursor: last.cursor } })
  expect(await list(quiet, 'f0')).toMatchObject({ status: 409, body: { oldest_cursor: last.cursor, newest_cursor: last.cursor } })
})

test('events that were numbered days late stay in the feed for as long as others of their place', async () => {
  await asOperator(store.address, pastPartitions([-32, -31]))
  const team = await makeTeam(store.database)
  const early = await writePastEvent(store.database, team.id, { day: LAST_KEPT_DAY })
  const late = await writePastEvent(store.database, team.id, { day: -31, numberedOn: -29 })
  const kept = await writePastEvent(store.database, team.id, { day: -28 })
  await dropPast()
  expect(idsOf(await list(team, early.cursor))).toEqual([late.id, kept.id])
  expect(idsOf(await list(team))).toEqual([early.id, late.id, kept.id])
  await store.database.run("update feed_late_days set last_position = feed_position_at(now() - interval '32 days')", [])
  await dropPast()
  expect(await store.database.run('select from events where id = $1', [late.id])).toEqual([])
})

test('an empty page of a rare type moves the cursor to the end, so that it does not expire', async () => {
  const team = await makeTeam(store.database)
  const { cursor } = await emit(store, team)
  const query = 'types=video.ready&cursor=f0'
  const page = await service.send('GET', `/api/v1/teams/${team.id}/events/?${query}`, { token: team.token })
  expect(page.body).toEqual({ results: [], next_cursor: cursor, has_more: false, newest_cursor: cursor })
})

test('a stream whose cursor expires while it is open ends with the error', async () => {
  const team = await makeTeam(store.database)
  await emit(store, team)
  const stream = await openStream(service, team)
  await expect.poll(() => stream.messages().length).toBe(1)
  await loseLastEvent(store.database, team.id)
  const { cursor } = await emit(store, team)
  await expect.poll(stream.hasEnded).toBe(true)
  const last = stream.messages().at(-1)
  expect(last?.event).toBe('error')
  expect(JSON.parse(last?.data ?? '{}')).toMatchObject({ code: 'cursor_expired', oldest_cursor: 'f0', newest_cursor: cursor })
})

async function list(team: Team, cursor?: string) {
  return service.send('GET', `/api/v1/teams/${team.id}/events/${cursor === undefined ? '' : `?cursor=${cursor}`}`, { token: team.token })
}

function idsOf({ status, body }: Awaited<ReturnType<typeof list>>): string[] {
  expect(status, JSON.stringify(body)).toBe(200)
  return body.results.map(({ id }: { id: string }) => id)
}

/** Emits an event, numbers it, and returns it with its cursor. */
async function emit({ database }: Pick<TestDatabase, 'database'>, { id: team_id }: Team): Promise<{ id: string; cursor: string }> {
  const [row] = await database.run<{ id: string }>("select emit_event($1, null, 'submission.created', '{}') as id", [team_id])
  await numberFeeds(database, { max: 10 })
  const [end] = await database.run<{ position: string }>('select position from feed_ends where team_id = $1', [team_id])
  return { id: row?.id ?? '', cursor: cursorAt(BigInt(end?.position ?? 0)) }
}

async function dropPast(): Promise<void> {
  const owner = openDatabase({ address: store.address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot test owner' })
  await dropPastPartitions(owner)
  await owner.close()
}
