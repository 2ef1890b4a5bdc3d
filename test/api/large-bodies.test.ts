import { setTimeout as delay } from 'node:timers/promises'
import { sizes } from '@earshot/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { requestHead, sendRaw } from '../support/raw-http.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const FEW = 2
const LARGE = { 'content-type': 'application/json', 'content-length': sizes.bodyBytes }
const UNKNOWN_LENGTH = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
const WORDS = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }

let service: TestService
let strict: TestService
let team: Team
let strictTeam: Team
beforeAll(async () => {
  service = await startTestService()
  strict = await startTestService({ rateLimitMultiplier: FEW / 10 })
  for (const { address } of [service, strict]) await holdRateWindows(address)
  team = await makeTeam(service.database)
  strictTeam = await makeTeam(strict.database)
})
afterAll(() => Promise.all([service.close(), strict.close()]))

/** Each surface that reads bodies of callers it does not know, by the limit that counts them. */
const surfaces: [surface: string, limit: string, pathOf: (team: Team) => string][] = [
  ['the public plane, counted with its work', 'public_write', ({ publicKey }) => `/api/public/v1/projects/${publicKey}/submissions/`],
  ['the public plane, counted first', 'public_write', () => '/api/public/v1/consent/revoke/'],
  ['an operation that counts failures', 'unauthenticated', () => '/api/auth/token/refresh/'],
  ['an operation with a credential', 'unauthenticated', () => '/api/v1/teams/'],
  ['tRPC', 'unauthenticated', () => '/trpc/teams.create'],
  ['a batch over tRPC', 'unauthenticated', () => '/trpc/teams.create,teams.create?batch=1'],
]

describe('a caller over the limit is refused before a large body is read', () => {
  test.for(surfaces)('%s', async ([, limit, pathOf]) => {
    await strict.database.run('update rate_windows set used = 1000000 where starts_with(subject, $1)', [limit])
    await strict.database.run(
      "insert into rate_windows (subject, window_start, used) values ($1, 'infinity', 1000000) on conflict do nothing",
      [`${limit}:127.0.0.1`],
    )
    for (const headers of [LARGE, UNKNOWN_LENGTH]) {
      const answer = await sendRaw(strict.url, [requestHead(`POST ${pathOf(strictTeam)}`, headers)])
      expect([answer.status, answer.head]).toEqual([429, expect.stringContaining('retry-after: ')])
    }
  })
})

describe('a request with a large body is counted once', () => {
  test.for(surfaces)('%s', async ([, limit, pathOf]) => {
    const before = await counted(limit)
    const body = JSON.stringify({ ...WORDS, body: 'x'.repeat(sizes.smallBodyBytes) })
    await service.send('POST', pathOf(team), { body })
    expect((await counted(limit)) - before).toBe(1)
  })

  test('tRPC, with a credential: the calls of a batch count as before', async () => {
    const before = await counted(`user:${team.ownerId}`)
    const call = { name: 'x'.repeat(sizes.smallBodyBytes) }
    await service.send('POST', '/trpc/teams.create,teams.create?batch=1', { token: team.token, body: { 0: call, 1: call } })
    expect((await counted(`user:${team.ownerId}`)) - before).toBe(2)
  })
})

test('a submission with a large text is stored', async () => {
  const body = '😀'.repeat(sizes.bodyCharacters)
  const path = `/api/public/v1/projects/${team.publicKey}/submissions/`
  const { status, body: made } = await service.send('POST', path, { body: { ...WORDS, body } })
  expect(status).toBe(201)
  expect(await service.database.run('select body from submissions where id = $1', [made.id])).toEqual([{ body }])
})

test('without a credential tRPC answers 401, whatever the body is', async () => {
  for (const body of ['{"cut', '[]', '"text"', JSON.stringify({ name: 'x'.repeat(sizes.smallBodyBytes) })]) {
    const before = await counted('unauthenticated')
    const answer = await service.send('POST', '/trpc/teams.create', { body })
    expect(answer).toMatchObject({ status: 401, body: { error: { data: { code: 'not_authenticated' } } } })
    expect((await counted('unauthenticated')) - before).toBe(1)
  }
})

test('bodies of too many values or keys are refused on every surface', async () => {
  const values = `{"a":[${Array.from({ length: sizes.jsonValues }, () => 0).join(',')}]}`
  const keys = `{${Array.from({ length: sizes.jsonKeys + 1 }, (_, number) => `"${number}":0`).join(',')}}`
  const long = `{"${'k'.repeat(sizes.jsonKeyBytes)}":0}`
  for (const [body, code] of [
    [values, 'too_many_values'],
    [keys, 'too_many_keys'],
    [long, 'too_many_keys'],
  ] as const) {
    for (const [, , pathOf] of surfaces) {
      const { status, body: answer } = await service.send('POST', pathOf(team), { token: team.token, body })
      expect(status).toBe(400)
      expect(answer.error?.data ?? answer).toMatchObject({ code: 'validation_error', errors: [{ field: '', code }] })
    }
  }
})

test('values and keys are counted before anything is made of them', async () => {
  const values = `{"a":[${'0,'.repeat(sizes.jsonValues)}`
  const keys = `{${Array.from({ length: sizes.jsonKeys + 1 }, (_, number) => `"${number}":0,`).join('')}`
  for (const [cut, code] of [
    [values, 'too_many_values'],
    [keys, 'too_many_keys'],
  ] as const) {
    const { body } = await service.send('POST', submissionsPath(), { token: team.token, body: cut })
    expect(body).toMatchObject({ code: 'validation_error', errors: [{ field: '', code }] })
  }
})

test('a megabyte in one field is refused, whatever its format is', async () => {
  const long = (head: string, filler: string, tail: string) => head + filler.repeat(1_000_000 / filler.length) + tail
  const fields = {
    body: { body: long('', 'x', '') },
    'author.email': { author: { name: 'Ada', email: long('', 'a.', '') } },
    'author.avatar_url': { author: { name: 'Ada', avatar_url: long('https://a', '/:80', ' ') } },
    language: { language: long('en', '-en', '-') },
    metadata: { metadata: { a: long('', 'x', '') } },
  }
  for (const [field, value] of Object.entries(fields)) {
    const body = { body: 'Good', author: { name: 'Ada' }, ...value }
    const answer = await service.send('POST', submissionsPath(), { token: team.token, body })
    expect(answer, field).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field }] } })
  }
})

test('the largest metadata passes: as many values as 16 KB hold', async () => {
  const metadata = { a: Array.from({ length: (sizes.metadataBytes - '{"a":[]}'.length) / 2 }, () => 0) }
  const body = { body: 'x', author: { name: 'Ada' }, metadata }
  expect(await service.send('POST', submissionsPath(), { token: team.token, body })).toMatchObject({ status: 201, body: { metadata } })
})

test('/metrics tells how long the event loop was blocked since the last scrape', async () => {
  await service.send('GET', '/metrics')
  const until = performance.now() + 300
  while (performance.now() < until);
  // The timer that measures it ticks once more.
  await delay(100)
  const longest = async () => {
    const { body } = await service.send('GET', '/metrics')
    return Number(/^earshot_event_loop_delay_seconds\{quantile="1"\} (.+)$/m.exec(body)?.[1])
  }
  expect(await longest()).toBeGreaterThan(0.25)
  expect(await longest()).toBeLessThan(0.25)
})

async function counted(limit: string): Promise<number> {
  const [row] = await service.database.run<{ used: number }>(
    'select coalesce(sum(used), 0)::int as used from rate_windows where starts_with(subject, $1)',
    [limit],
  )
  return row?.used ?? 0
}

function submissionsPath(): string {
  return `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
}
