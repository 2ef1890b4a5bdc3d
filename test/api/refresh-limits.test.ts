import { makeToken } from '@earshot/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOG_IN, makeAccount, REVOKE, type TokenPair } from '../support/logins.ts'
import { PASSWORD } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const REFRESH = `${LOG_IN}refresh/`
const MAX = 100
/** A well-formed token, checksum included, that was never issued. */
const UNKNOWN = makeToken('svr_').token
const LIMITED = { status: 429, body: { code: 'rate_limited' } }

/** How many were used so far. */
let addresses = 10
/** With the default limits. The caller sets the client’s address. */
let service: TestService
/** Another replica, on the same database and with the same secret key. */
let replica: TestService
beforeAll(async () => {
  const trustProxy = (_address: string, hop: number) => hop < 1
  service = await startTestService({ rateLimitMultiplier: 1, trustProxy })
  const { address, database, secretBox } = service
  await holdRateWindows(address)
  replica = await startTestService({ database, services: { secretBox }, rateLimitMultiplier: 1, trustProxy })
})
afterAll(async () => {
  await replica.close()
  await service.close()
})

test('successful refreshes and logouts are not counted against an address', async () => {
  const ip = '203.0.113.1'
  let pair = await loginFrom('203.0.113.2')
  for (let index = 0; index < MAX + 20; index += 1) {
    const answer = await ask(REFRESH, { refresh: pair.refresh }, ip)
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null])
    pair = answer.body
  }
  expect(await ask(REVOKE, { refresh: pair.refresh }, ip)).toMatchObject({ status: 204 })
  expect(await used(ip)).toBe(0)
})

test.each([
  ['malformed', REFRESH, { refresh: 'x' }, 401],
  ['unknown', REFRESH, { refresh: UNKNOWN }, 401],
  ['absent', REFRESH, {}, 400],
  ['no JSON', REFRESH, '{"cut', 400],
  ['malformed', REVOKE, { refresh: 'x' }, 204],
  ['unknown', REVOKE, { refresh: UNKNOWN }, 204],
  ['absent', REVOKE, {}, 400],
])('a token that is %s is counted at %s before it is answered', async (_what, path, body, status) => {
  addresses += 1
  const ip = `203.0.113.${addresses}`
  const first = await ask(path, body, ip)
  expect(first.status).toBe(status)
  expect(first.headers.get('ratelimit')).toMatch(new RegExp(`^"unauthenticated";r=${MAX - 1};t=\\d+$`))
  expect(first.headers.get('x-ratelimit-remaining')).toBe(String(MAX - 1))
  await service.database.run('update rate_windows set used = $2 where subject = $1', [`unauthenticated:${ip}`, MAX])
  const last = await ask(path, body, ip)
  expect(last).toMatchObject(LIMITED)
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('of concurrent unknown tokens, over two replicas and both operations, a hundred are answered and the rest limited', async () => {
  const ip = '203.0.113.100'
  const paths = [REFRESH, REVOKE]
  const answers = await Promise.all(
    Array.from({ length: MAX + 40 }, (_, index) =>
      ask(paths[index % 2] ?? '', { refresh: UNKNOWN }, ip, index % 4 < 2 ? service : replica),
    ),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
  expect(answers.filter(({ status }) => status === 401 || status === 204)).toHaveLength(MAX)
  // Others at the address are not affected, and failures reveal nothing more.
  const { refresh } = await loginFrom('203.0.113.101')
  expect(await ask(REFRESH, { refresh: UNKNOWN }, ip)).toMatchObject(LIMITED)
  expect(await ask(REFRESH, { refresh }, ip)).toMatchObject({ status: 200 })
})

test('the token of an ended login is counted when it is presented again', async () => {
  const ip = '203.0.113.102'
  const { refresh } = await loginFrom('203.0.113.103')
  const { refresh: next } = (await ask(REFRESH, { refresh }, ip)).body as TokenPair
  expect(await ask(REVOKE, { refresh: next }, ip)).toMatchObject({ status: 204 })
  expect(await used(ip)).toBe(0)
  expect(await ask(REFRESH, { refresh: next }, ip)).toMatchObject({ status: 401 })
  expect(await ask(REVOKE, { refresh: next }, ip)).toMatchObject({ status: 204 })
  expect(await used(ip)).toBe(2)
})

test('a login is counted whether or not it succeeds', async () => {
  const ip = '203.0.113.104'
  await loginFrom(ip)
  expect(await used(ip)).toBe(1)
})

test('a refresh takes one round trip, and a failing one at most two', async () => {
  const { refresh } = await loginFrom('203.0.113.105')
  const roundTrips = async (token: string) => {
    const sent = service.statements.length
    await ask(REFRESH, { refresh: token }, '203.0.113.105')
    return service.statements.slice(sent).filter((text) => !text.includes('jwt_keys')).length
  }
  expect([await roundTrips(refresh), await roundTrips(UNKNOWN), await roundTrips('x')]).toEqual([1, 2, 1])
})

async function loginFrom(ip: string): Promise<TokenPair> {
  const { email } = await makeAccount(service)
  const { status, body } = await ask(LOG_IN, { email, password: PASSWORD }, ip)
  expect(status).toBe(200)
  return body
}

function ask(path: string, body: unknown, ip: string, at: TestService = service): Promise<TestResponse> {
  return at.send('POST', path, { body, headers: { 'content-type': 'application/json', 'x-forwarded-for': ip } })
}

async function used(ip: string): Promise<number> {
  const [row] = await service.database.run<{ used: number }>('select used from rate_windows where subject = $1', [`unauthenticated:${ip}`])
  return row?.used ?? 0
}
