import { setTimeout as delay } from 'node:timers/promises'
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  foldAttemptChanges,
  registerWorker,
} from '@earshot/db/dispatch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
})

/** It gets no events about the failures of other endpoints, so that their number is known. */
async function addEndpoint(url = 'http://127.0.0.1:9/hooks'): Promise<string> {
  return (await service.client(team.token).webhooks.create({ team_id: team.id, url, events: ['submission.created'] })).id
}

function statsOf(webhook_id: string, range: { from?: string; to?: string } = {}) {
  return service.client(team.token).webhooks.stats({ team_id: team.id, webhook_id, ...range })
}

const pathOf = (webhook_id: string, query = '') => `/api/v1/teams/${team.id}/webhooks/${webhook_id}/stats/${query}`
const ask = (query: string, webhook_id: string, token = team.token) => service.send('GET', pathOf(webhook_id, query), { token })

async function emit(count: number): Promise<void> {
  await service.database.run("select emit_event($1, null, 'submission.created', '{}'::json) from generate_series(1, $2::int)", [
    team.id,
    count,
  ])
}

async function claim(endpoint_id: string, count: number): Promise<ClaimedDelivery[]> {
  const workerId = await registerWorker(service.database, { jobPoolId: null })
  await emit(count)
  return claimDeliveries(service.database, { workerId, slots: [{ team_id: team.id, endpoint_id, free: count }] })
}

/** Moves attempts that have not ended to hours of the past; returns them with their new ids. */
async function spread(claimed: ClaimedDelivery[], hours: number): Promise<ClaimedDelivery[]> {
  const moves = claimed.map(({ attempt_id }, index) => ({ attempt_id, hour: index % hours, index }))
  const rows = await service.database.run<{ before: string; after: string }>(
    `with moves as materialized (
       select m.attempt_id, uuid_at(date_trunc('hour', now(), 'UTC') - m.hour * interval '1 hour' + m.index * interval '1 ms') as id
         from jsonb_to_recordset($1::jsonb) m (attempt_id uuid, hour int, index int)
     ), deliveries as (
       update webhook_deliveries d set attempt_id = m.id from moves m where d.attempt_id = m.attempt_id
     ), attempts as (
       update webhook_attempts a set id = m.id from moves m where a.id = m.attempt_id
     )
     select attempt_id as before, id as after from moves`,
    [JSON.stringify(moves)],
  )
  const ids = new Map(rows.map(({ before, after }) => [before, after]))
  return claimed.map((delivery) => ({ ...delivery, attempt_id: ids.get(delivery.attempt_id) ?? '' }))
}

type Ending = Partial<Pick<AttemptResult, 'status_code' | 'error_code' | 'delay_ms' | 'duration_ms'>>

function resultOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery, ending: Ending = {}): AttemptResult {
  const { status_code = 200, error_code = null, delay_ms = null, duration_ms = 10 } = ending
  return {
    ...{ team_id, endpoint_id, delivery_id: id, attempt_id, number, remote_ip: null, response_headers: null, response_body: null },
    ...{ response_body_truncated: false, response_body_bytes: null, error_detail: null },
    ...{ status_code, error_code, delay_ms, duration_ms, succeeded: status_code === 200 },
  }
}

interface Ended {
  hour: string
  is_success: boolean
  is_last: boolean
  error_code: string | null
  duration_ms: number | null
}

async function endedAttempts(endpointId: string): Promise<Ended[]> {
  const rows = await service.database.run<Omit<Ended, 'hour'> & { at: number }>(
    `select floor(extract(epoch from created_at))::float8 * 1000 as at, error_code, duration_ms,
            error_code is null and status_code between 200 and 299 as is_success,
            exists (select from webhook_delivery_history h where h.id = t.delivery_id and h.attempt_count = t.number) as is_last
       from webhook_attempts t
      where endpoint_id = $1 and finished_at is not null`,
    [endpointId],
  )
  return rows.map(({ at, ...row }) => ({ ...row, hour: new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString() }))
}

type Figures = Awaited<ReturnType<typeof statsOf>>['totals']

/** Checks figures against the attempts themselves: counts exactly, percentiles within 5 %. */
function expectFigures({ p50_ms, p95_ms, p99_ms, ...figures }: Figures, attempts: readonly Ended[]): void {
  const failed = attempts.filter(({ is_success }) => !is_success)
  const withCode = (pattern: RegExp) => failed.filter(({ error_code }) => pattern.test(error_code ?? '')).length
  const [timeout, interrupted, response] = [withCode(/timeout/), withCode(/interrupted/), withCode(/^(redirect)?$/)]
  const succeeded = attempts.length - failed.length
  const share = attempts.length === 0 ? null : Math.floor((10_000 * succeeded) / attempts.length) / 10_000
  expect(figures).toMatchObject({
    ...{ attempts: attempts.length, succeeded, failed: failed.length, success_share: share },
    ...{ retried: failed.filter(({ is_last }) => !is_last).length, final: failed.filter(({ is_last }) => is_last).length },
    causes: { response, timeout, interrupted, connection: failed.length - response - timeout - interrupted },
  })
  const durations = attempts.flatMap(({ duration_ms }) => duration_ms ?? []).sort((one, other) => one - other)
  for (const [percent, shown] of [[50, p50_ms] as const, [95, p95_ms] as const, [99, p99_ms] as const]) {
    const exact = durations[Math.ceil((percent * durations.length) / 100) - 1]
    if (exact === undefined || shown === null) expect(shown).toBe(exact ?? null)
    else expect(Math.abs(shown - exact)).toBeLessThanOrEqual(exact * 0.05)
  }
}

async function expectStats(endpointId: string, range: { from?: string; to?: string } = {}): Promise<void> {
  const { from, to, totals, series } = await statsOf(endpointId, range)
  const attempts = (await endedAttempts(endpointId)).filter(({ hour }) => hour >= from && hour < to)
  expectFigures(totals, attempts)
  expect(series.map(({ start }) => start)).toEqual(
    Array.from({ length: (Date.parse(to) - Date.parse(from)) / HOUR_MS }, (_, index) =>
      new Date(Date.parse(from) + index * HOUR_MS).toISOString(),
    ),
  )
  for (const { start, ...figures } of series)
    expectFigures(
      figures,
      attempts.filter(({ hour }) => hour === start),
    )
}

const hourAgo = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()

test('the figures are those of the attempts, hour by hour, before they are folded, while they are, and after', async () => {
  const endpoint = await addEndpoint()
  const attempts = await spread(await claim(endpoint, 400), 20)
  const endings: Ending[] = [
    ...[{}, {}, {}, {}, {}, { status_code: 500, delay_ms: 1e9 }, { status_code: 404 }, { status_code: 500 }],
    ...[
      ['read_timeout', 30_000],
      ['connect_timeout', 10_000],
      ['connection_refused', 1],
      ['dns_failure', 0],
      ['redirect', 40],
      ['interrupted', 100],
      ['tls_error', 20],
    ].map(
      ([error_code, duration_ms]) =>
        ({ status_code: null, error_code, duration_ms, delay_ms: error_code === 'redirect' ? null : 1e9 }) as Ending,
    ),
  ]
  const results = attempts.map((attempt, index) => {
    const duration_ms = Math.round(10 ** (4.5 * Math.random()))
    return resultOf(attempt, { duration_ms, ...endings[(index * 7 + Math.floor(index / 20)) % endings.length] })
  })
  for (let start = 0; start < results.length; start += 40) {
    await completeDeliveries(service.database, results.slice(start, start + 40))
    await expectStats(endpoint)
    await foldAttemptChanges(service.database, { max: 15 })
    await expectStats(endpoint)
  }
  while (await foldAttemptChanges(service.database, { max: 1_000 }));
  await expectStats(endpoint)
  await expectStats(endpoint, { from: hourAgo(10), to: hourAgo(3) })
  await expectStats(endpoint, { from: hourAgo(29 * 24) })
  expect((await statsOf(endpoint)).totals.attempts).toBe(400)
})

test('what real receivers do is counted by outcome, tests and redeliveries included', async () => {
  let count = 0
  await using receiver = await startReceiver((response) => {
    count += 1
    const status = [200, 204, 500, 404, 301][count % 6]
    // Every sixth request gets no response.
    if (status !== undefined) void delay(count % 4 === 0 ? 60 : 0).then(() => response.writeHead(status, { location: '/' }).end())
  })
  const worker = await startTestDispatcher(service, { responseTimeoutMs: 500, backoffBaseMs: 3_600_000 })
  const endpoint = await addEndpoint(receiver.url)
  const refused = await addEndpoint(`http://127.0.0.1:${await freePort()}/`)
  await Promise.all(Array.from({ length: 60 }, () => team.submit()))
  const ended = async (id: string) => (await endedAttempts(id)).length
  await until('all were attempted', async () => (await ended(endpoint)) >= 60 && (await ended(refused)) >= 60, 30_000)
  const client = service.client(team.token)
  await client.webhooks.test({ team_id: team.id, webhook_id: endpoint })
  const [first] = (await client.webhooks.deliveries.list({ team_id: team.id, webhook_id: endpoint, state: 'succeeded' })).results
  await client.webhooks.deliveries.redeliver({ team_id: team.id, webhook_id: endpoint, delivery_id: first?.id ?? '' })
  await until('the redelivery was attempted', async () => (await ended(endpoint)) === 62)
  await expectStats(endpoint)
  await expectStats(refused)
  const { totals } = await statsOf(endpoint)
  expect(totals.attempts).toBe(62)
  expect(Math.min(totals.succeeded, totals.causes.response, totals.causes.timeout, totals.retried, totals.final)).toBeGreaterThan(0)
  expect((await statsOf(refused)).totals).toMatchObject({ attempts: 60, failed: 60, causes: { connection: 60 }, success_share: 0 })
  await worker.stop()
})

test('a share is 1 only if no attempt failed', async () => {
  const endpoint = await addEndpoint()
  const attempts = await claim(endpoint, 3)
  await completeDeliveries(
    service.database,
    attempts.map((attempt, index) => resultOf(attempt, index === 0 ? { status_code: 500 } : {})),
  )
  expect((await statsOf(endpoint)).totals.success_share).toBe(0.6666)
})

test('only admins with read:webhooks read the figures, and only those of their team', async () => {
  const endpoint = await addEndpoint()
  const other = await makeTeam(service.database)
  const status = async (token: string) => (await ask('', endpoint, token)).status
  expect(await status(await team.tokenOf('admin', ['read:webhooks']))).toBe(200)
  expect(await status(await team.tokenOf('member', ['read:webhooks']))).toBe(403)
  expect(await status(await team.tokenOf('admin', ['write:webhooks']))).toBe(403)
  expect(await status(other.token)).toBe(404)
  const theirs = await service.send('GET', `/api/v1/teams/${other.id}/webhooks/${endpoint}/stats/`, { token: other.token })
  expect(theirs.status).toBe(404)
})

test('a deleted endpoint has no figures, and figures of others do not mix', async () => {
  const [endpoint, other] = [await addEndpoint(), await addEndpoint()]
  await completeDeliveries(
    service.database,
    (await claim(endpoint, 2)).map((attempt) => resultOf(attempt)),
  )
  expect((await statsOf(endpoint)).totals.attempts).toBe(2)
  expect((await statsOf(other)).totals.attempts).toBe(0)
  await service.client(team.token).webhooks.delete({ team_id: team.id, webhook_id: endpoint })
  expect((await ask('', endpoint)).status).toBe(404)
})

test('the backlog shows how many deliveries wait, and since when the first is due', async () => {
  const [endpoint, other] = [await addEndpoint(), await addEndpoint()]
  const webhook = { team_id: team.id, webhook_id: endpoint }
  await emit(5)
  const due = '2026-01-05T10:00:00.000Z'
  await service.database.run(
    `update webhook_deliveries d
        set next_attempt_at = case when n = 1 then $2::timestamptz when n = 2 then $2::timestamptz + interval '1 hour' else now() + interval '1 hour' end
       from (select id, row_number() over () as n from webhook_deliveries where endpoint_id = $1) o
      where o.id = d.id`,
    [endpoint, due],
  )
  await service.database.run('delete from webhook_deliveries where endpoint_id = $1', [other])
  expect((await statsOf(endpoint)).backlog).toEqual({ pending: 5, oldest_due_at: due })
  expect((await statsOf(other)).backlog).toEqual({ pending: 0, oldest_due_at: null })
  await service.client(team.token).webhooks.update({ ...webhook, state: 'paused' })
  expect((await statsOf(endpoint)).backlog).toEqual({ pending: 5, oldest_due_at: null })
})

test('a long backlog is counted up to a bound', async () => {
  const endpoint = await addEndpoint()
  await emit(1)
  await service.database.run(
    `insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256)
     select team_id, endpoint_id, event_id, event_type, payload_sha256 from webhook_deliveries, generate_series(1, 10050) where endpoint_id = $1`,
    [endpoint],
  )
  expect((await statsOf(endpoint)).backlog.pending).toBe(10_000)
})

test('the summaries have the figures of all endpoints, in the order and pages of their list', async () => {
  const [old, middle, newest] = [await addEndpoint(), await addEndpoint(), await addEndpoint()]
  const claimed = await claim(old, 3)
  await completeDeliveries(
    service.database,
    claimed.map((delivery, index) => resultOf(delivery, index === 0 ? {} : { status_code: 500 })),
  )
  const client = service.client(team.token)
  const { results } = await client.webhooks.summaries.list({ team_id: team.id })
  expect(results.map(({ endpoint_id }) => endpoint_id)).toEqual([newest, middle, old])
  for (const { endpoint_id, latest, ...summary } of results) {
    const { series, ...stats } = await statsOf(endpoint_id)
    expect({ endpoint_id, ...summary }).toEqual(stats)
    expect(latest).toEqual(series.findLast(({ attempts }) => attempts > 0) ?? null)
  }
  expect(results.at(-1)?.totals).toMatchObject({ attempts: 3, succeeded: 1 })
  const page = await client.webhooks.summaries.list({ team_id: team.id, limit: 2 })
  expect(page.results).toEqual(results.slice(0, 2))
  const rest = await client.webhooks.summaries.list({ team_id: team.id, ...(page.next_cursor !== null && { cursor: page.next_cursor }) })
  expect(rest).toEqual({ results: results.slice(2), next_cursor: null })
  await client.webhooks.delete({ team_id: team.id, webhook_id: middle })
  expect((await client.webhooks.summaries.list({ team_id: team.id })).results).toHaveLength(2)
})
