import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

async function addEndpoint(): Promise<string> {
  const created = await service.client(team.token).webhooks.create({ team_id: team.id, url: 'http://127.0.0.1:9/hooks', events: ['*'] })
  return created.id
}

function statsOf(webhook_id: string, range: { from?: string; to?: string } = {}) {
  return service.client(team.token).webhooks.stats({ team_id: team.id, webhook_id, ...range })
}

const hourAgo = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()

test('an endpoint without attempts has zeros and nulls for the last 24 hours', async () => {
  const stats = await statsOf(await addEndpoint())
  const figures = {
    ...{ attempts: 0, succeeded: 0, failed: 0, retried: 0, final: 0, success_share: null, p50_ms: null, p95_ms: null, p99_ms: null },
    causes: { response: 0, timeout: 0, connection: 0, interrupted: 0 },
  }
  expect(stats.totals).toEqual(figures)
  expect(stats.series).toHaveLength(24)
  expect(stats.series[0]).toEqual({ start: stats.from, ...figures })
  expect(stats.series.at(-1)?.start).toBe(hourAgo(0))
  expect(stats.to).toBe(hourAgo(-1))
  expect(stats.backlog).toEqual({ pending: 0, oldest_due_at: null })
})

test('a range is rounded outward to full hours, and ends with the present one', async () => {
  const endpoint = await addEndpoint()
  const at = (hours: number, minutes: string) => hourAgo(hours).replace(':00:00', minutes)
  expect(await statsOf(endpoint, { from: at(5, ':20:10'), to: at(3, ':00:01') })).toMatchObject({ from: hourAgo(5), to: hourAgo(2) })
  expect(await statsOf(endpoint, { from: hourAgo(5), to: hourAgo(3) })).toMatchObject({ from: hourAgo(5), to: hourAgo(3) })
  expect(await statsOf(endpoint, { from: at(5, ':20:10'), to: at(5, ':20:11') })).toMatchObject({ from: hourAgo(5), to: hourAgo(4) })
  expect(await statsOf(endpoint, { to: at(3, ':30:00') })).toMatchObject({ from: hourAgo(26), to: hourAgo(2) })
  expect(await statsOf(endpoint, { from: hourAgo(2), to: '2999-01-01T00:00:00Z' })).toMatchObject({ from: hourAgo(2), to: hourAgo(-1) })
  const offset = hourAgo(5).replace('Z', '+00:30')
  expect(await statsOf(endpoint, { from: offset, to: hourAgo(3) })).toMatchObject({ from: hourAgo(6) })
  const { series } = await statsOf(endpoint, { from: new Date(Date.now() - 30 * DAY_MS + 5_000).toISOString() })
  expect(series).toHaveLength(30 * 24 + 1)
})

test.for([
  ['from', 'too_early', `?from=${encodeURIComponent(new Date(Date.now() - 30 * DAY_MS - 60_000).toISOString())}`],
  ['to', 'too_early', `?to=${encodeURIComponent(new Date(Date.now() - 30 * DAY_MS).toISOString())}`],
  ['from', 'too_late', '?from=2999-01-01T00:00:00Z'],
  ['to', 'not_after_from', `?from=${hourAgo(2)}&to=${hourAgo(2)}`],
  ['to', 'not_after_from', `?from=${hourAgo(2)}&to=${hourAgo(3)}`],
  ['from', 'invalid_format', '?from=yesterday'],
  ['hours', 'unknown_field', '?hours=3'],
])('a range with a wrong %s is refused as %s', async ([field, code, query]) => {
  const path = `/api/v1/teams/${team.id}/webhooks/${await addEndpoint()}/stats/${query}`
  const answer = await service.send('GET', path, { token: team.token })
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  expect(answer.body.errors).toMatchObject([{ field, code }])
})
