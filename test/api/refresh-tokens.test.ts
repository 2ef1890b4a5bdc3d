import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerClient } from '../support/credentials.ts'
import { login, makeAccount, REVOKE, refresh, refreshed, type TokenPair, whoAmI } from '../support/logins.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const DEAD = { status: 401, body: { code: 'invalid_token' } }
const ALIVE = { status: 200 }
const PARALLEL = 8

let service: TestService
/** Another replica, on the same database and with the same secret key. */
let replica: TestService
let account: Awaited<ReturnType<typeof makeAccount>>
beforeAll(async () => {
  service = await startTestService()
  replica = await beside()
  account = await makeAccount(service)
})
afterAll(async () => {
  await replica.close()
  await service.close()
})

test('a refresh token is exchanged for the next pair; earlier access tokens stay valid', async () => {
  const first = await login(service, account.email)
  const second = await refreshed(service, first.refresh)
  expect(second.refresh).not.toBe(first.refresh)
  expect(second.access).not.toBe(first.access)
  for (const { access } of [first, second]) expect(await whoAmI(replica, access)).toMatchObject(ALIVE)
  const third = await refreshed(service, second.refresh)
  expect(decodeProtectedHeader(third.access).kid).toBe(decodeProtectedHeader(first.access).kid)
  const [row] = await service.database.run<{ days: number }>(
    'select round(extract(epoch from expires_at - now()) / 86400)::int as days from credentials where user_id = $1 order by id desc limit 1',
    [account.id],
  )
  expect(row?.days).toBe(14)
})

test('reuse of a refresh token ends its login with all tokens, on every replica, and no other', async () => {
  const other = await login(service, account.email)
  const first = await login(service, account.email)
  const second = await refreshed(service, first.refresh)
  expect(await refresh(replica, first.refresh)).toMatchObject({
    status: 401,
    body: { code: 'invalid_token', detail: expect.stringContaining('already used') },
  })
  expect(await refresh(service, second.refresh)).toMatchObject(DEAD)
  for (const { access } of [first, second]) for (const one of [service, replica]) expect(await whoAmI(one, access)).toMatchObject(DEAD)
  expect(await whoAmI(service, other.access)).toMatchObject(ALIVE)
})

test('of eight concurrent exchanges of one token exactly one succeeds, and the login ends', async () => {
  const first = await login(service, account.email)
  const answers = await exchangeAtOnce(first.refresh, [service, replica])
  const { winner, losers } = apart(answers)
  expect(losers).toEqual(Array(PARALLEL - 1).fill([401, 'invalid_token']))
  expect(await refresh(service, winner.refresh)).toMatchObject(DEAD)
  for (const access of [first.access, winner.access]) expect(await whoAmI(replica, access)).toMatchObject(DEAD)
})

test('within the leeway the losers are refused and the login stays, with one live pair; a used successor ends it', async () => {
  const lenient = await beside({ reuseLeewaySeconds: 10 })
  const first = await login(lenient, account.email)
  const { winner, losers } = apart(await exchangeAtOnce(first.refresh, [lenient]))
  expect(losers).toEqual(Array(PARALLEL - 1).fill([401, 'invalid_token']))
  expect(await whoAmI(lenient, winner.access)).toMatchObject(ALIVE)

  const next = await refresh(lenient, winner.refresh)
  expect(next).toMatchObject(ALIVE)
  expect(await refresh(lenient, first.refresh)).toMatchObject(DEAD)
  expect(await refresh(lenient, next.body.refresh)).toMatchObject(DEAD)
  expect(await whoAmI(lenient, next.body.access)).toMatchObject(DEAD)
  await lenient.close()
})

test('the leeway expires', async () => {
  const lenient = await beside({ reuseLeewaySeconds: 2 })
  const first = await login(lenient, account.email)
  const second = (await refresh(lenient, first.refresh)).body as TokenPair
  await service.database.run(
    "update refresh_tokens set used_at = used_at - interval '3 seconds' where credential_id = (select id from credentials where user_id = $1 order by id desc limit 1)",
    [account.id],
  )
  expect(await refresh(lenient, first.refresh)).toMatchObject(DEAD)
  expect(await whoAmI(lenient, second.access)).toMatchObject(DEAD)
  await lenient.close()
})

test('a refresh token expires after 14 days; invalid and foreign tokens are refused the same way', async () => {
  const pair = await login(service, account.email)
  await service.database.run(
    "update refresh_tokens set expires_at = now() - interval '1 second' where credential_id = (select id from credentials where user_id = $1 order by id desc limit 1)",
    [account.id],
  )
  expect(await refresh(service, pair.refresh)).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  for (const token of ['x', `svr_${'0'.repeat(46)}`, `${pair.refresh}x`, pair.access, `svc_${pair.refresh.slice(4)}`]) {
    expect(await refresh(service, token), token).toMatchObject(DEAD)
  }
  expect(await whoAmI(service, pair.refresh)).toMatchObject(DEAD)
})

test('a refresh token of an OAuth client can be neither exchanged nor revoked at the endpoints for logins', async () => {
  const { refresh: token } = await login(service, account.email)
  const client = await registerClient(service.database)
  await service.database.run(
    `update credentials set kind = 'oauth2', hash = null, client_id = $2
      where id = (select id from credentials where user_id = $1 order by id desc limit 1)`,
    [account.id, client.id],
  )
  expect(await refresh(service, token)).toMatchObject(DEAD)
  expect(await service.send('POST', REVOKE, { body: { refresh: token } })).toMatchObject({ status: 204 })
  const [row] = await service.database.run<{ revoked: boolean; used: boolean }>(
    `select c.revoked_at is not null as revoked, r.used_at is not null as used
       from credentials c join refresh_tokens r on r.credential_id = c.id where c.client_id is not null`,
    [],
  )
  expect(row).toEqual({ revoked: false, used: false })
})

async function exchangeAtOnce(token: string, services: TestService[]) {
  return Promise.all(Array.from({ length: PARALLEL }, (_, index) => refresh(services[index % services.length] ?? service, token)))
}

/** Splits responses into the success and the errors of the others. */
function apart(answers: Awaited<ReturnType<typeof exchangeAtOnce>>): { winner: TokenPair; losers: unknown[] } {
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  return { winner: winners[0]?.body, losers: answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.code]) }
}

function beside(services: { reuseLeewaySeconds?: number } = {}): Promise<TestService> {
  return startTestService({ database: service.database, services: { secretBox: service.secretBox, ...services } })
}
