import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  getTokens,
  makeClient,
  type OAuthFixture,
  opens,
  own,
  post,
  signInSomebody,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'
import { startTestService } from '../support/test-service.ts'

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

test('revoking an access token ends it alone; revoking a refresh token ends its whole family', async () => {
  const first = await getTokens(fixture, client)
  const { body: second } = await refresh(first.refresh_token)
  expect(await post(fixture, '/o/revoke/', { ...own(client), token: first.access_token })).toMatchObject({ status: 200 })
  expect([await opens(fixture, first.access_token), await opens(fixture, second.access_token)]).toEqual([false, true])
  expect(await post(fixture, '/o/revoke/', { ...own(client), token: second.refresh_token, token_type_hint: 'access_token' })).toMatchObject(
    {
      status: 200,
    },
  )
  expect(await opens(fixture, second.access_token)).toBe(false)
  expect((await refresh(second.refresh_token)).status).toBe(400)
})

test('a client cannot revoke the tokens of others, and does not learn whether they exist', async () => {
  const { access_token, refresh_token } = await getTokens(fixture, client)
  for (const token of [access_token, refresh_token, 'sva_unknown', 'x']) {
    expect(await post(fixture, '/o/revoke/', { ...own(confidential), token })).toMatchObject({ status: 200, body: {} })
  }
  expect(await opens(fixture, access_token)).toBe(true)
  expect((await post(fixture, '/o/revoke/', { client_id: confidential.id, token: access_token })).status).toBe(401)
  expect((await refresh(refresh_token)).status).toBe(200)
})

test('a confidential client can introspect its own tokens and no others', async () => {
  const { access_token, refresh_token } = await getTokens(fixture, confidential)
  const look = (token: string, as = confidential) => post(fixture, '/o/introspect/', { ...own(as), token })
  expect(await look(access_token)).toMatchObject({
    status: 200,
    body: {
      active: true,
      client_id: confidential.id,
      token_type: 'Bearer',
      sub: fixture.person.id,
      scope: 'read:profile read:projects write:projects',
    },
  })
  expect(await look(refresh_token)).toMatchObject({ body: { active: true, sub: fixture.person.id } })
  const inactive = { status: 200, body: { active: false } }
  expect(await look('sva_unknown')).toMatchObject(inactive)
  const foreign = await look((await getTokens(fixture, client)).access_token)
  expect(foreign.body).toEqual({ active: false })
  await post(fixture, '/o/revoke/', { ...own(confidential), token: refresh_token })
  expect((await look(access_token)).body).toEqual({ active: false })
  expect(await look(access_token, client)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
})

test('an authorization that a person withdraws ends at once on every replica', async () => {
  const { service, browser } = fixture
  const replica = await startTestService({ services: { secretBox: service.secretBox } }, { store: service })
  const elsewhere = { service: replica }
  const tokens = await getTokens(fixture, client)
  expect(await opens(elsewhere, tokens.access_token)).toBe(true)
  const listed = await service.send('GET', '/api/v1/me/authorizations/', { headers: { cookie: browser.cookie() } })
  const [authorization] = listed.body.results
  expect(authorization).toMatchObject({
    client: { id: client.id, name: 'Test application' },
    scopes: ['read:profile', 'read:projects', 'write:projects'],
    last_used_at: expect.any(String),
  })
  const path = `/api/v1/me/authorizations/${authorization.id}/`
  const headers = { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' }
  expect((await service.send('DELETE', path, { headers })).status).toBe(204)
  expect([await opens(fixture, tokens.access_token), await opens(elsewhere, tokens.access_token)]).toEqual([false, false])
  expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await service.send('DELETE', path, { headers })).status).toBe(404)
  await replica.close()
})

test('nobody sees or withdraws another person’s authorizations; allowing and withdrawing are in the team’s audit log', async () => {
  const { service, team, person } = fixture
  const { access_token } = await getTokens(fixture, client)
  const { body: me } = await service.send('GET', '/api/v1/me/', { token: access_token })
  expect(me.credential).toMatchObject({ kind: 'oauth2', scopes: ['read:profile', 'read:projects', 'write:projects'] })
  const { browser } = await signInSomebody(service, team)
  const headers = { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' }
  expect((await service.send('GET', '/api/v1/me/authorizations/', { headers })).body.results).toEqual([])
  expect((await service.send('DELETE', `/api/v1/me/authorizations/${me.credential.id}/`, { headers })).status).toBe(404)
  await service.send('DELETE', `/api/v1/me/authorizations/${me.credential.id}/`, {
    headers: { cookie: fixture.browser.cookie(), 'sec-fetch-site': 'same-origin' },
  })
  const log = await service.send('GET', `/api/v1/teams/${team.id}/audit-log/`, { token: team.token })
  const ours = log.body.results.filter(({ target }: { target: { id: string } }) => target.id === me.credential.id)
  expect(ours).toMatchObject([
    { action: 'authorization.deleted', actor: { id: person.id }, credential: { kind: 'session' } },
    { action: 'authorization.created', actor: { id: person.id }, credential: { kind: 'session' }, target: { type: 'authorization' } },
  ])
  expect(ours[1].changes).toMatchObject({
    client: { to: 'Test application' },
    scopes: { to: ['read:profile', 'read:projects', 'write:projects'] },
  })
})
