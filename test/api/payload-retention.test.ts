import { durations } from '@earshot/contracts'
import { continueReplay } from '@earshot/db'
import { removePastPayloads } from '@earshot/db/maintenance'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { schedule } from '../../jobs/src/job-queue.ts'
import { number } from '../support/event-stream.ts'
import { makeOlder, pastDays } from '../support/past-deliveries.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { asOperator } from '../support/webhook-fixture.ts'

const WORDS = 'Words that must go'

let service: TestService
let worker: TestDispatcher
let team: Team
beforeAll(async () => {
  service = await startTestService()
  await asOperator(service.address, pastDays([-4, -3, -2]))
  worker = await startTestDispatcher(service)
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

test('a team keeps payloads for 30 days unless an admin chooses 1 to 30', async () => {
  expect((await ask('GET', '')).body.settings.payload_retention_days).toBe(durations.eventDays)
  const answer = await keepFor(7)
  expect(answer).toMatchObject({ status: 200, body: { settings: { payload_retention_days: 7, timezone: 'UTC' } } })
  expect((await ask('GET', '')).body.settings.payload_retention_days).toBe(7)
  for (const days of [0, 31, 1.5, null]) {
    expect(await keepFor(days)).toMatchObject({ status: 400, body: { errors: [{ field: 'settings.payload_retention_days' }] } })
  }
  const settings = { payload_retention_days: 1 }
  const member = await service.send('PATCH', `/api/v1/teams/${team.id}/`, { token: await team.tokenOf('member'), body: { settings } })
  expect(member.status).toBe(403)
  const { results } = (await ask('GET', 'audit-log/')).body
  const updated = results.filter(({ action }: { action: string }) => action === 'team.updated')
  expect(updated).toMatchObject([{ changes: { payload_retention_days: { from: 30, to: 7 } } }])
})

test('payloads and answers past the days of their team are removed; younger ones and those of other teams stay', async () => {
  await using receiver = await startReceiver((response, { body }) => response.end(body))
  const other = await makeTeam(service.database)
  const endpoint = await addEndpoint(receiver.url)
  await addEndpoint(receiver.url, other)
  const event = await emit()
  await emit(other)
  await expect.poll(() => stateOf(endpoint, event)).toEqual(['succeeded'])
  // Sent again long after the event: found by an index, not by its time.
  const past = await makeOlder(service.database, team.id, { days: 2, id: event })
  await makeOlder(service.database, other.id, { days: 2, id: event })
  const again = await redeliver(endpoint)
  expect(again.status).toBe(201)
  await expect.poll(() => stateOf(endpoint, past)).toEqual(['succeeded', 'succeeded'])
  const young = await emit()
  await expect.poll(() => stateOf(endpoint, young)).toEqual(['succeeded'])

  await keepFor(3)
  expect(await removePastPayloads(service.database)).toBe(0)
  await keepFor(1)
  expect(await removePastPayloads(service.database)).toBe(1)
  expect(await payloads()).toEqual({ [past]: false, [young]: true })
  expect(Object.values(await payloads(other))).toEqual([true])
  expect(await answers()).toEqual({ kept: 1, removed: 2 })
  expect(await answers(other)).toEqual({ kept: 1, removed: 0 })
  const { results } = (await ask('GET', `webhooks/${endpoint}/deliveries/?event_id=${past}`)).body
  for (const shown of results)
    expect(shown).toMatchObject({ state: 'succeeded', payload: null, payload_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(await redeliver(endpoint, past)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'expunged' } })
  const threeDays = { from: new Date(Date.now() - 3 * 86_400_000).toISOString(), to: new Date().toISOString() }
  const replay = await ask('POST', `webhooks/${endpoint}/replay/`, threeDays)
  expect(replay).toMatchObject({ status: 202, body: { matched: 1 } })
  await continueReplay(service.database, { team_id: team.id, replay_id: replay.body.replay_id })
  expect(await ask('POST', `events/${past}/expunge/`)).toMatchObject({ status: 200, body: { id: past } })
})

test('a run passes what it has done, and what it was interrupted at comes with the next', async () => {
  await emit()
  await service.database.run(
    `insert into events (team_id, id, type, payload, payload_sha256)
     select $1, (left(uuid_at(now() - interval '2 days')::text, 13) || substr(uuidv7()::text, 14))::uuid, 'submission.created', '{}', ''
       from generate_series(1, 1200)`,
    [team.id],
  )
  await keepFor(1)
  const stop = new AbortController()
  const stopping = { ...service.database, transaction: stopAfterOne(stop) }
  expect(await removePastPayloads(stopping, { signal: stop.signal })).toBe(500)
  expect(await removePastPayloads(service.database)).toBe(700)
  expect(await removePastPayloads(service.database)).toBe(0)
  expect(Object.values(await payloads()).filter(Boolean)).toHaveLength(1)
})

test('a delivery whose payload goes before its retry ends as skipped, and is never sent without a body', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
  const endpoint = await addEndpoint(receiver.url)
  const event = await emit()
  await expect.poll(() => receiver.requests.length).toBe(1)
  await expect.poll(() => stateOf(endpoint, event)).toEqual(['pending'])
  const past = await makeOlder(service.database, team.id, { days: 2, id: event })
  await keepFor(1)
  await removePastPayloads(service.database)
  expect(await stateOf(endpoint, past)).toEqual(['skipped'])
  await service.database.run('update webhook_deliveries set next_attempt_at = now() where team_id = $1', [team.id])
  const young = await emit()
  await expect.poll(() => receiver.requests.length).toBe(2)
  expect(JSON.parse(String(receiver.requests[1]?.body)).id).toBe(young)
  const [delivery] = (await ask('GET', `webhooks/${endpoint}/deliveries/?event_id=${past}`)).body.results
  expect(delivery).toMatchObject({ state: 'skipped', attempt_count: 1, payload: null })
  expect(await service.database.run(`select from events where team_id = $1 and type like 'webhook.%'`, [team.id])).toEqual([])
})

test('the feed ends its past with the days of the team at once: a cursor from before has expired, later ones go on', async () => {
  const ids = [await emit()]
  await number(service)
  const first = (await feed()).next_cursor
  ids.push(await emit())
  await number(service)
  const second = (await feed()).next_cursor
  await makeOlder(service.database, team.id, { days: 2, id: ids[0] ?? '' })
  const aged = older(second)
  const young = await emit()
  await number(service)
  expect((await feed()).ids).toEqual([...ids, young])
  await keepFor(1)
  for (const isRemoved of [false, true]) {
    if (isRemoved) await removePastPayloads(service.database)
    expect((await feed()).ids).toEqual([young])
    expect((await feed('types=submission.created')).ids).toEqual([young])
    expect((await feed(`cursor=${aged}`)).ids).toEqual([young])
    const refused = await ask('GET', `events/?cursor=${older(first)}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'cursor_expired', oldest_cursor: aged } })
  }
  await keepFor(30)
  expect((await feed()).ids).toEqual([young])
})

test('the job runs every ten minutes, in a queue of its own', () => {
  const [item, ...more] = schedule().filter(({ task }) => task === 'payloads')
  expect(more).toEqual([])
  expect(item?.options.queueName).toBe('payloads')
  const at = (minutes: number) => item?.match({ min: minutes, hour: 0, date: 1, month: 1, dow: 0 })
  expect([0, 5, 10].map(at)).toEqual([true, false, true])
})

/** A transaction that stops the run once it has passed events. */
function stopAfterOne(stop: AbortController): TestService['database']['transaction'] {
  return async (work) => {
    const result = await service.database.transaction(work)
    if (Array.isArray(result) && result.length > 0) stop.abort()
    return result
  }
}

/** The cursor of the same event two days earlier. */
function older(cursor: string): string {
  const position = [...cursor.slice(1)].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  return `f${(position - ((2n * 86_400_000n) << 20n)).toString(36)}`
}

function keepFor(days: number | null) {
  return ask('PATCH', '', { settings: { payload_retention_days: days } })
}

async function addEndpoint(url: string, of = team): Promise<string> {
  return (await service.client(of.token).webhooks.create({ team_id: of.id, url, events: ['*'] })).id
}

/** Submits, and returns the id of the event. */
async function emit(of = team): Promise<string> {
  await of.submit({ body: WORDS })
  worker.dispatcher.nudge()
  const [event] = await service.database.run<{ id: string }>('select id from events where team_id = $1 order by id desc limit 1', [of.id])
  return event?.id ?? ''
}

async function redeliver(endpoint: string, event?: string) {
  const { results } = (await ask('GET', `webhooks/${endpoint}/deliveries/${event ? `?event_id=${event}` : ''}`)).body
  const answer = await ask('POST', `webhooks/${endpoint}/deliveries/${results[0].id}/redeliver/`)
  worker.dispatcher.nudge()
  return answer
}

function ask(method: string, path: string, body?: unknown) {
  return service.send(method, `/api/v1/teams/${team.id}/${path}`, { token: team.token, ...(body !== undefined && { body }) })
}

async function feed(query = '') {
  const { results, next_cursor } = (await ask('GET', `events/?${query}`)).body
  return { ids: results.map(({ id }: { id: string }) => id) as string[], next_cursor: String(next_cursor) }
}

/** Returns which events of a team have a payload. */
async function payloads(of = team): Promise<Record<string, boolean>> {
  const rows = await service.database.run<{ id: string; kept: boolean }>(
    'select id, payload is not null as kept from events where team_id = $1 order by id',
    [of.id],
  )
  return Object.fromEntries(rows.map(({ id, kept }) => [id, kept]))
}

async function answers(of = team) {
  const [row] = await service.database.run(
    `select count(*) filter (where num_nonnulls(response_body, response_headers) = 2)::int as kept,
            count(*) filter (where num_nonnulls(response_body, response_headers) = 0)::int as removed
       from webhook_attempts where team_id = $1 and finished_at is not null`,
    [of.id],
  )
  return row
}

async function stateOf(endpoint: string, event: string): Promise<string[]> {
  const rows = await service.database.run<{ state: string }>(
    'select state from all_webhook_deliveries where endpoint_id = $1 and event_id = $2',
    [endpoint, event],
  )
  return rows.map(({ state }) => state)
}
