import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arriveTogether } from '../support/arrive-together.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const WORDS = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
const FEW = 2

let service: TestService
let strict: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  strict = await startTestService({ rateLimitMultiplier: FEW / 10 })
  for (const { address } of [service, strict]) await holdRateWindows(address)
})
afterAll(() => Promise.all([service.close(), strict.close()]))

interface PublicRequest {
  to?: string
  method?: string
  body?: unknown
  headers?: Record<string, string>
  prepare?: (at: TestService) => Promise<unknown>
}

/** Each fails at another point of the pipeline, or at none: before the body, in it, in the handler, in the database. */
const publicRequests: Record<string, [status: number, PublicRequest]> = {
  'words that are kept': [201, { body: WORDS }],
  'words that were sent before': [201, { body: WORDS, prepare: (at) => send(at, { body: WORDS }) }],
  'words under a key': [201, { body: WORDS, headers: { 'idempotency-key': 'first' } }],
  'words under a key that was used': [
    201,
    {
      body: WORDS,
      headers: { 'idempotency-key': 'again' },
      prepare: (at) => send(at, { body: WORDS, headers: { 'idempotency-key': 'again' } }),
    },
  ],
  'a filled trap': [201, { body: { ...WORDS, website: 'https://spam.example.com' } }],
  'a wrong form token': [400, { body: { ...WORDS, form_token: 'x' } }],
  'an unknown field': [400, { body: { ...WORDS, stars: 5 } }],
  'a text that is no JSON': [400, { body: '{' }],
  'a body that is no JSON': [415, { body: 'body=Lovely', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  'a body beyond the size': [413, { body: ' '.repeat(1_100_000) }],
  'an unknown public key': [404, { to: '/api/public/v1/projects/pk_000000000000000000000000/submissions/', body: WORDS }],
  'what is no public key': [404, { to: '/api/public/v1/projects/mine/submissions/', body: WORDS }],
  'a delivery of ours': [403, { body: WORDS, headers: { 'x-service-delivery': 'x' } }],
  'a team without quota': [402, { body: WORDS, prepare: useUpQuota }],
  'an unknown revoke token': [404, { to: '/api/public/v1/consent/revoke/', body: { revoke_token: `rvk_${'0'.repeat(43)}` } }],
  'a page of items': [200, { method: 'GET', to: 'items/' }],
  'a page with an unknown cursor': [400, { method: 'GET', to: 'items/?cursor=x' }],
}

describe('a public request is counted once, whatever its outcome', () => {
  test.for(Object.entries(publicRequests))('%s', async ([, [status, request]]) => {
    team = await makeTeam(service.database)
    await request.prepare?.(service)
    const before = await counted()
    const answer = await send(service, request)
    expect(answer).toMatchObject({ status })
    expect((await counted()) - before).toBe(1)
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
  })
})

describe('over the limit a public request is refused before anything else, and nothing is stored', () => {
  test.for(Object.entries(publicRequests).filter(([, [, { method }]]) => method !== 'GET'))('%s', async ([, [, request]]) => {
    team = await makeTeam(strict.database)
    for (let sent = 0; sent < FEW; sent += 1) await send(strict, { body: {} })
    await request.prepare?.(strict)
    const refused = await send(strict, request)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(await strict.database.run('select from submissions where team_id = $1', [team.id])).toEqual([])
  })
})

test('a public submission takes one round trip: counted, authorized and stored', async () => {
  team = await makeTeam(service.database)
  const before = service.statements.length
  expect(await send(service, { body: { ...WORDS, body: 'At once' } })).toMatchObject({ status: 201 })
  expect(service.statements.slice(before)).toHaveLength(1)
})

function send(at: TestService, { to = 'submissions/', method = 'POST', body, headers = {} }: PublicRequest): Promise<TestResponse> {
  const path = to.startsWith('/') ? to : `/api/public/v1/projects/${team.publicKey}/${to}`
  return at.send(method, path, { body, headers })
}

/** All requests of this machine, over both limits of the public plane. */
async function counted(): Promise<number> {
  const [row] = await service.database.run<{ used: number }>(
    "select coalesce(sum(used), 0)::int as used from rate_windows where subject like 'public%'",
    [],
  )
  return row?.used ?? 0
}

async function useUpQuota(at: TestService): Promise<void> {
  await at.database.run(
    "insert into quota_usage (team_id, quota, period, used) values ($1, 'submissions', date_trunc('month', now() at time zone 'UTC'), 1000000000)",
    [team.id],
  )
}

test('of fifty concurrent visitors only those of a team without quota are refused', async () => {
  const poor = await makeTeam(service.database)
  const rich = await makeTeam(service.database)
  team = poor
  await useUpQuota(service)
  const before = { statements: service.statements.length, counted: await counted() }
  const answers = await arriveTogether(
    service,
    Array.from({ length: 50 }, (_, number) => () => {
      const path = `/api/public/v1/projects/${(number % 2 ? poor : rich).publicKey}/submissions/`
      return service.send('POST', path, { body: { ...WORDS, body: `Words ${number}` } })
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, (_, number) => (number % 2 ? 402 : 201)))
  const kept = await service.database.run<{ id: string; body: string }>('select id, body from submissions where team_id = $1', [rich.id])
  expect(new Map(kept.map(({ id, body }) => [id, body]))).toEqual(
    new Map(answers.flatMap(({ status, body }, number) => (status === 201 ? [[body.id, `Words ${number}`]] : []))),
  )
  expect(await service.database.run('select from submissions where team_id = $1', [poor.id])).toEqual([])
  expect((await counted()) - before.counted).toBe(50)
  expect(service.statements.length - before.statements).toBeLessThan(50)
})
