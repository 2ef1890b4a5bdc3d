import { createLocalJWKSet, type JWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOG_IN, login, makeAccount, REVOKE, refresh, refreshed, whoAmI } from '../support/logins.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const BASE_URL = 'http://localhost:8000'
const DEAD = { status: 401, body: { code: 'invalid_token' } }
const ALIVE = { status: 200 }

let service: TestService
/** Another replica, on the same database and with the same secret key. */
let replica: TestService
let account: Awaited<ReturnType<typeof makeAccount>>
beforeAll(async () => {
  service = await startTestService()
  replica = await startTestService({ database: service.database, services: { secretBox: service.secretBox } })
  account = await makeAccount(service)
})
afterAll(async () => {
  await replica.close()
  await service.close()
})

test('an access token has subject, issuer, audience and expiry, and can be verified with the public key', async () => {
  const { access, refresh: token } = await login(service, account.email)
  const keys = await service.database.run<{ public_key: JWK }>('select public_key from jwt_keys', [])
  expect(keys.map(({ public_key }) => public_key.d)).toEqual([undefined])
  const publicKeys = createLocalJWKSet({ keys: keys.map(({ public_key }) => public_key) })
  const { payload, protectedHeader } = await jwtVerify(access, publicKeys)
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: keys[0]?.public_key.kid })
  expect(payload).toEqual({
    iss: BASE_URL,
    aud: `${BASE_URL}/api/`,
    sub: account.id,
    sid: expect.stringMatching(/^[\w-]{43}$/),
    jti: expect.any(String),
    iat: expect.closeTo(Date.now() / 1000, -1),
    exp: (payload.iat ?? 0) + 900,
  })
  expect(token).toMatch(/^svr_[0-9A-Za-z]{46}$/)
})

test('a login works on REST and tRPC, with every scope, in two round trips, and shows its token’s expiry', async () => {
  const { access } = await login(service, account.email)
  const sent = service.statements.length
  const me = await whoAmI(service, access)
  expect(service.statements.length - sent).toBe(2)
  const { exp = 0 } = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString())
  expect(me).toMatchObject({
    status: 200,
    body: { user: { email: account.email }, credential: { kind: 'jwt', expires_at: new Date(exp * 1000).toISOString() } },
  })
  expect(me.body.credential.scopes).toContain('write:tokens')
  expect(await service.send('GET', '/trpc/me.retrieve', { token: access })).toMatchObject({
    status: 200,
    body: { result: { data: { credential: me.body.credential } } },
  })
  const team = `/api/v1/teams/${account.teamId}/`
  expect(await service.send('PATCH', team, { token: access, body: { name: 'Renamed' } })).toMatchObject({ body: { name: 'Renamed' } })
  const deleted = await service.send('DELETE', team, { token: access })
  expect(deleted).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
})

test('a login needs a plan with API access', async () => {
  const { email, teamId } = await makeAccount(service)
  const { access } = await login(service, email)
  await service.database.run("update teams set plan = 'free' where id = $1", [teamId])
  const refused = { status: 403, body: { code: 'plan_without_api_access' } }
  expect(await whoAmI(service, access)).toMatchObject(refused)
  expect(await service.send('GET', `/api/v1/teams/${teamId}/`, { token: access })).toMatchObject(refused)
})

test('neither the tokens nor the secret of a login are in the database', async () => {
  const { access, refresh: token } = await login(service, account.email)
  const { sid } = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString())
  const rows = await service.database.run<{ row: string }>(
    'select c::text as row from credentials c union all select r::text from refresh_tokens r union all select k::text from jwt_keys k',
    [],
  )
  const dump = JSON.stringify(rows)
  for (const value of [access, token, sid]) {
    expect(dump).not.toContain(value)
    expect(dump).not.toContain(Buffer.from(value).toString('hex'))
  }
})

test('a wrong password, an unknown address and a disabled account get the same response', async () => {
  const disabled = await makeUser(service.database, PASSWORD)
  await service.database.run('update users set disabled_at = now() where id = $1', [disabled.id])
  const answers = await Promise.all(
    [
      { email: account.email, password: 'not the password' },
      { email: 'nobody@example.com', password: PASSWORD },
      { email: disabled.email, password: PASSWORD },
    ].map((body) => service.send('POST', LOG_IN, { body })),
  )
  const [first] = answers
  expect(first).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  for (const answer of answers) {
    expect([answer.status, { ...answer.body, request_id: null }]).toEqual([401, { ...first?.body, request_id: null }])
  }
})

test('an account with a second factor cannot log in by password alone, and only a right password reveals it', async () => {
  const { email, id } = await makeUser(service.database, PASSWORD)
  await service.database.run('update users set mfa_enabled_at = now() where id = $1', [id])
  const send = (password: string) => service.send('POST', LOG_IN, { body: { email, password } })
  expect(await send(PASSWORD)).toMatchObject({ status: 403, body: { code: 'mfa_enabled' } })
  expect(await send('not the password')).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  expect(await service.database.run('select 1 from credentials where user_id = $1', [id])).toEqual([])
})

test('an unverified address cannot log in', async () => {
  const { email, id } = await makeUser(service.database, PASSWORD)
  await service.database.run('update users set email_verified_at = null where id = $1', [id])
  const answer = await service.send('POST', LOG_IN, { body: { email, password: PASSWORD } })
  expect(answer).toMatchObject({ status: 403, body: { code: 'email_not_verified' } })
})

test('after twenty wrong passwords, counted over all replicas and with sessions, even the right one is refused', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const limited = { database: service.database, rateLimitMultiplier: 1, services: { secretBox: service.secretBox } }
  const strict = await Promise.all([startTestService(limited), startTestService(limited)])
  const paths = [LOG_IN, '/api/auth/session/']
  const statuses = new Set<number>()
  for (let tries = 0; tries < 20; tries += 1) {
    const { status } = (await strict[tries % 2]?.send('POST', paths[tries % 2] ?? '', { body: { email, password: 'wrong' } })) ?? {}
    statuses.add(status ?? 0)
  }
  expect([...statuses]).toEqual([401])
  for (const one of strict) {
    const answer = await one.send('POST', LOG_IN, { body: { email, password: PASSWORD } })
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    await one.close()
  }
})

test.each(['its last', 'a used'])(
  'logging out with %s refresh token ends the access tokens at once, on every replica, and repeating it is no error',
  async (which) => {
    const first = await login(service, account.email)
    const second = await refreshed(service, first.refresh)
    const token = which === 'a used' ? first.refresh : second.refresh
    for (const one of [service, replica]) expect(await whoAmI(one, second.access)).toMatchObject(ALIVE)
    for (let times = 0; times < 2; times += 1) {
      expect(await service.send('POST', REVOKE, { body: { refresh: token } })).toMatchObject({ status: 204, body: undefined })
    }
    for (const { access } of [first, second]) for (const one of [service, replica]) expect(await whoAmI(one, access)).toMatchObject(DEAD)
    expect(await refresh(service, second.refresh)).toMatchObject(DEAD)
  },
)

test('logging out with an unknown token is no error', async () => {
  for (const token of ['x', `svr_${'0'.repeat(46)}`]) {
    expect(await service.send('POST', REVOKE, { body: { refresh: token } })).toMatchObject({ status: 204 })
  }
})

test('a login is listed with the sessions, with its origin, and can be ended there', async () => {
  const { email } = await makeAccount(service)
  const { access } = await login(service, email)
  const list = await service.send('GET', '/api/v1/me/sessions/', { token: access })
  expect(list.body.results).toMatchObject([{ kind: 'jwt', is_current: true, ip: '127.0.0.1', user_agent: 'node' }])
  const path = `/api/v1/me/sessions/${list.body.results[0].id}/`
  expect(await service.send('DELETE', path, { token: access })).toMatchObject({ status: 204 })
  expect(await whoAmI(replica, access)).toMatchObject(DEAD)
})

test('an account that is disabled can neither call nor refresh', async () => {
  const { email, id } = await makeAccount(service)
  const { access, refresh: token } = await login(service, email)
  await service.database.run('update users set disabled_at = now() where id = $1', [id])
  expect(await whoAmI(service, access)).toMatchObject(DEAD)
  expect(await refresh(service, token)).toMatchObject(DEAD)
})
