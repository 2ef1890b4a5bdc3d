import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeUser, PASSWORD, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SESSION = '/api/auth/session/'
const BASE_URL = 'http://localhost:8000'
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }
const DAY_MS = 86_400_000

let service: TestService
let team: Team
let email: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database, { plan: 'free' })
  email = (await makeUser(service.database, PASSWORD)).email
  await service.database.run("insert into memberships (team_id, user_id, role) select $1, id, 'admin' from users where email = $2", [
    team.id,
    email,
  ])
})
afterAll(() => service.close())

test('a session’s cookie is out of reach of scripts and other sites, and only its hash is stored', async () => {
  const { answer, cookie } = await signIn()
  expect(answer).toMatchObject({ status: 200, body: { email, mfa_enabled: false } })
  const header = answer.headers.getSetCookie()[0] ?? ''
  expect(header).toMatch(/^earshot_session=[a-z0-9]{40}; /)
  expect(header.split('; ')).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', `Max-Age=${30 * 86_400}`]))
  const rows = await service.database.run<{ row: string }>('select c::text as row from credentials c', [])
  expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1])

  const secure = await startTestService({ baseUrl: 'https://feedback.example' })
  const { email: other } = await makeUser(secure.database, PASSWORD)
  const elsewhere = await secure.send('POST', SESSION, { body: { email: other, password: PASSWORD } })
  expect(elsewhere.headers.get('set-cookie')).toMatch(/^__Host-earshot_session=.*; Secure/)
  await secure.close()
})

test('a session needs no API access of the plan and has every scope; the role decides', async () => {
  const { cookie } = await signIn()
  const me = await service.send('GET', '/api/v1/me/', { headers: { cookie } })
  expect(me).toMatchObject({
    status: 200,
    body: { credential: { kind: 'session' }, teams: [{ id: team.id, plan: 'free', role: 'admin' }] },
  })
  const path = `/api/v1/teams/${team.id}/`
  const renamed = await service.send('PATCH', path, { headers: { cookie, ...OWN_PAGE }, body: { name: 'Renamed' } })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed' } })
  const deleted = await service.send('DELETE', path, { headers: { cookie, ...OWN_PAGE } })
  expect(deleted).toMatchObject({ status: 403, body: { code: 'insufficient_role', required_role: 'owner' } })
})

test('only the service’s own pages can use a session, even for reading', async () => {
  const { cookie } = await signIn()
  const rename = (headers: Record<string, string>) =>
    service.send('PATCH', '/api/v1/me/', { headers: { cookie, ...headers }, body: { name: 'Renamed' } })
  const refused = { status: 403, body: { code: 'csrf_failed' } }
  expect(await rename({})).toMatchObject(refused)
  expect(await rename({ 'sec-fetch-site': 'none' })).toMatchObject(refused)
  const foreign = { status: 401, body: { code: 'not_authenticated' } }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    expect(await rename(headers as Record<string, string>), JSON.stringify(headers)).toMatchObject(foreign)
    expect(await service.send('GET', '/api/v1/me/', { headers: { cookie, ...headers } as Record<string, string> })).toMatchObject(foreign)
  }
  // What a page claims in Origin does not count where the browser says otherwise.
  expect(await rename({ 'sec-fetch-site': 'cross-site', origin: BASE_URL })).toMatchObject(foreign)
  expect(await rename({ origin: BASE_URL })).toMatchObject({ status: 200 })
  expect(await rename(OWN_PAGE)).toMatchObject({ status: 200 })
})

test('another site can sign nobody in or out', async () => {
  const { cookie } = await signIn()
  const headers = { 'sec-fetch-site': 'cross-site', cookie }
  const refused = { status: 403, body: { code: 'csrf_failed' } }
  expect(await service.send('POST', SESSION, { headers, body: { email, password: PASSWORD } })).toMatchObject(refused)
  expect(await service.send('DELETE', SESSION, { headers })).toMatchObject(refused)
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie } })).toMatchObject({ status: 200 })
})

test('an ended session is refused on the next request, and its cookie is cleared', async () => {
  const { cookie } = await signIn()
  const ended = await service.send('DELETE', SESSION, { headers: { cookie, ...OWN_PAGE } })
  expect(ended).toMatchObject({ status: 204 })
  expect(ended.headers.get('set-cookie')).toContain('Max-Age=0')
  const after = await service.send('GET', '/api/v1/me/', { headers: { cookie } })
  expect(after).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(after.headers.get('set-cookie')).toContain('Max-Age=0')
  expect(await service.send('DELETE', SESSION, { headers: { cookie } })).toMatchObject({ status: 204 })
})

test('a session used in the second half of its thirty days is extended by thirty, up to ninety in all', async () => {
  const { cookie } = await signIn()
  const use = () => service.send('GET', '/api/v1/me/', { headers: { cookie } })
  const id = (await use()).body.credential.id as string
  const age = (days: number, left: number) =>
    service.database.run(
      "update credentials set id = overlay(id::text placing left(uuid_at(now() - $2 * interval '1 day')::text, 13) from 1 for 13)::uuid, expires_at = now() + $3 * interval '1 day' where id = $1 returning id",
      [id, days, left],
    )
  expect((await use()).headers.get('set-cookie')).toBe(null)

  const [aged] = (await age(20, 10)) as { id: string }[]
  const prolonged = await use()
  expect(prolonged.headers.get('set-cookie')).toContain(cookie)
  expect(prolonged.headers.get('set-cookie')).toContain(`Max-Age=${30 * 86_400}`)
  expect(await expiryOf(aged?.id ?? '')).toBeCloseTo(Date.now() + 30 * DAY_MS, -5)

  await service.database.run(
    "update credentials set id = overlay(id::text placing left(uuid_at(now() - interval '85 days')::text, 13) from 1 for 13)::uuid, expires_at = now() + interval '1 day' where id = $1",
    [aged?.id],
  )
  const last = (await use()).body.credential.id as string
  expect(await expiryOf(last)).toBeCloseTo(Date.now() + 5 * DAY_MS, -5)

  await service.database.run("update credentials set expires_at = now() - interval '1 second' where id = $1", [last])
  expect(await use()).toMatchObject({ status: 401, body: { code: 'token_expired' } })
})

test('malformed cookies are no credential and no server error', async () => {
  for (const cookie of [
    'earshot_session=%E0%A4%A',
    'earshot_session=',
    '=',
    ';;;',
    `earshot_session=${'x'.repeat(4000)}`,
    'earshot_session="a b"',
  ]) {
    const { status, body } = await service.send('GET', '/api/v1/me/', { headers: { cookie } })
    expect(status, cookie).toBe(401)
    expect(['not_authenticated', 'invalid_token']).toContain(body.code)
  }
})

test('a token does not work as a session, nor a session as a token', async () => {
  const { cookie } = await signIn()
  const value = cookie.split('=')[1] ?? ''
  expect(await service.send('GET', '/api/v1/me/', { token: value })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  const headers = { cookie: `earshot_session=${team.token}` }
  expect(await service.send('GET', '/api/v1/me/', { headers })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('users list their sessions and end them one by one', async () => {
  const { email: mine } = await makeUser(service.database, PASSWORD)
  const first = await signIn({ email: mine, 'user-agent': 'Browser/1' })
  const second = await signIn({ email: mine, 'user-agent': 'x'.repeat(5_000) })
  const listed = await service.send('GET', '/api/v1/me/sessions/', { headers: { cookie: second.cookie } })
  expect(listed.body.results).toMatchObject([
    { kind: 'session', is_current: true, ip: '127.0.0.1', user_agent: 'x'.repeat(300) },
    { kind: 'session', is_current: false, ip: '127.0.0.1', user_agent: 'Browser/1' },
  ])
  const path = `/api/v1/me/sessions/${listed.body.results[1].id}/`
  const foreign = await signIn()
  expect(await service.send('DELETE', path, { headers: { cookie: foreign.cookie, ...OWN_PAGE } })).toMatchObject({ status: 404 })
  expect(await service.send('DELETE', path, { headers: { cookie: second.cookie, ...OWN_PAGE } })).toMatchObject({ status: 204 })
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie: first.cookie } })).toMatchObject({ status: 401 })
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie: second.cookie } })).toMatchObject({ status: 200 })
})

async function signIn({ email: who = email, ...headers }: Record<string, string> = {}) {
  const answer = await service.send('POST', SESSION, { body: { email: who, password: PASSWORD }, headers })
  return { answer, cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' }
}

async function expiryOf(id: string): Promise<number> {
  const [row] = await service.database.run<{ at: number }>(
    'select extract(epoch from expires_at)::float8 * 1000 as at from credentials where id = $1',
    [id],
  )
  return row?.at ?? 0
}
