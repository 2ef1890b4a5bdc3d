import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WORDS = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
/** Of a limit of ten a minute. */
const FEW = 2
const VIOLATIONS = 5
const HOUR_SECONDS = 3600

let service: TestService
let team: Team
let address = 0
beforeAll(async () => {
  service = await startTestService({ rateLimitMultiplier: FEW / 10, trustProxy: () => true })
  await holdRateWindows(service.address)
  team = await makeTeam(service.database)
})
afterAll(() => service.close())
// Each test comes from an address of its own.
beforeEach(() => {
  address += 1
})

test('a burst in one window is one violation, without a penalty beyond the wait', async () => {
  for (let sent = 0; sent < FEW; sent += 1) expect((await leave()).status).toBe(201)
  const refused = await Promise.all(Array.from({ length: 20 }, leave))
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['429 rate_limited']))
  expect(await block()).toMatchObject({ violations: 1, blocked_until: null })
  await nextRateWindow(service.database)
  expect((await leave()).status).toBe(201)
})

test('the fifth violation within ten minutes blocks the address on the public plane alone for an hour', async () => {
  const last = await violate(VIOLATIONS)
  expect(last).toMatchObject({ status: 429, body: { code: 'abuse_blocked' } })
  expect(Number(last.headers.get('retry-after'))).toBe(HOUR_SECONDS)
  expect([last.headers.get('x-ratelimit-remaining'), last.headers.get('ratelimit')]).toEqual(['0', `"public_write";r=0;t=${HOUR_SECONDS}`])

  await nextRateWindow(service.database)
  const other = await makeTeam(service.database)
  for (const answer of [await leave(), await send('GET', `/api/public/v1/projects/${other.publicKey}/items/`)]) {
    expect(answer).toMatchObject({ status: 429, body: { code: 'abuse_blocked' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(HOUR_SECONDS - 60)
  }
  expect((await send('GET', '/api/v1/me/', { token: team.token })).status).toBe(200)
  address += 1
  expect((await leave()).status).toBe(201)
})

test('each further block lasts twice as long, up to a day, and resets a day after its end', async () => {
  const seconds: number[] = []
  for (let round = 0; round < 6; round += 1) {
    seconds.push(Number((await violate(VIOLATIONS)).headers.get('retry-after')))
    await service.database.run("update abuse_blocks set blocked_until = now() - interval '1 second' where address = $1", [ip()])
  }
  expect(seconds).toEqual([1, 2, 4, 8, 16, 24].map((hours) => hours * HOUR_SECONDS))
})

test('an address that was blocked any number of times is blocked for a day', async () => {
  await service.database.run("insert into abuse_blocks (address, violations, blocks) values ($1, '{}', 2147483647)", [ip()])
  const last = await violate(VIOLATIONS)
  expect([last.status, last.body.code, Number(last.headers.get('retry-after'))]).toEqual([429, 'abuse_blocked', 24 * HOUR_SECONDS])
})

test('violations older than ten minutes do not count', async () => {
  await violate(VIOLATIONS - 1)
  await service.database.run(
    "update abuse_blocks set violations = array[now() - interval '601 seconds'] || violations[2:] where address = $1",
    [ip()],
  )
  expect((await violate(1)).body.code).toBe('rate_limited')
  expect((await violate(1)).body.code).toBe('abuse_blocked')
})

test('concurrent requests over a limit count as exactly one violation for each limit', async () => {
  const reads = Array.from({ length: 60 }, () => send('GET', `/api/public/v1/projects/${team.publicKey}/items/`))
  await Promise.all([...reads, ...Array.from({ length: 30 }, leave)])
  expect(await block()).toMatchObject({ violations: 2, blocked_until: null })
})

function ip(): string {
  return `198.51.100.${address}`
}

function send(method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}) {
  return service.send(method, path, { token, body, headers: { 'x-forwarded-for': ip() } })
}

function leave() {
  return send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: { ...WORDS, metadata: { at: performance.now() } } })
}

/** Runs into the limit so many times, each time in a window of its own; the last answer. */
async function violate(times: number) {
  let answer = await leave()
  for (let count = 0; count < times; count += 1) {
    await nextRateWindow(service.database)
    for (let sent = 0; sent <= FEW; sent += 1) answer = await leave()
  }
  return answer
}

async function block() {
  const [row] = await service.database.run<{ violations: number; blocked_until: string | null }>(
    'select cardinality(violations) as violations, blocked_until from abuse_blocks where address = $1',
    [ip()],
  )
  return row
}
