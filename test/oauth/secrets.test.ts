import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  authorizePath,
  basic,
  getCode,
  getTokens,
  makeClient,
  type OAuthFixture,
  own,
  post,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'

let fixture: OAuthFixture
let client: TestClient
let confidential: TestClient
beforeAll(async () => {
  fixture = await startOAuthFixture()
  client = await makeClient(fixture)
  confidential = await makeClient(fixture, { confidential: true })
})
afterAll(() => fixture.service.close())

const refresh = (token: string, more: Record<string, string> = {}, as = client, at = fixture) =>
  post(at, '/o/token/', { ...own(as), grant_type: 'refresh_token', refresh_token: token, ...more })

test('an OAuth token cannot create a personal access token: no client gets that scope', async () => {
  const { access_token } = await getTokens(fixture, client)
  const body = { name: 'Escape', scopes: ['read:profile'] }
  const made = await fixture.service.send('POST', '/api/v1/me/tokens/', { token: access_token, body })
  expect(made).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope: 'write:tokens' } })
  await fixture.browser.open(authorizePath(client, { scope: 'write:tokens' }))
  expect(fixture.browser.page().headers.get('location')).toContain('error=invalid_scope')
  await expect(makeClient(fixture, { scopes: ['write:tokens'] })).rejects.toThrow()
})

test('the database holds no token, code or secret in the clear', async () => {
  const code = await getCode(fixture, confidential)
  const { body: device } = await post(fixture, '/o/device-authorization/', own(client))
  const tokens = await getTokens(fixture, confidential)
  const { body: next } = await refresh(tokens.refresh_token, {}, confidential)
  const values = [
    code.code,
    device.device_code,
    device.user_code,
    device.user_code.replace('-', ''),
    tokens.access_token,
    tokens.refresh_token,
    next.access_token,
    confidential.secret ?? '',
  ]
  const tables = await fixture.service.database.run<{ name: string }>(
    "select c.oid::regclass::text as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
    [],
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const { name } of tables) {
    const dump = JSON.stringify(await fixture.service.database.run(`select t::text as row from ${name} t`, []))
    for (const value of values) {
      expect(value.length).toBeGreaterThanOrEqual(8)
      expect(dump.includes(value) || dump.includes(Buffer.from(value).toString('hex')), name).toBe(false)
    }
  }
})

test('client id and secret may use any encoding that a form allows', async () => {
  const awkward = await makeClient(fixture, { confidential: true })
  await fixture.service.database.run("update oauth_clients set client_id = 'odd_-+%:id' where id = $1", [awkward.row.id])
  const id = encodeURIComponent('odd_-+%:id').replaceAll('_', '%5F').replaceAll('-', '%2D')
  const secret = (awkward.secret ?? '').replaceAll('_', '%5f')
  const answer = await post(fixture, '/o/introspect/', { token: 'x' }, basic(id, secret))
  expect(answer).toMatchObject({ status: 200, body: { active: false } })
})
