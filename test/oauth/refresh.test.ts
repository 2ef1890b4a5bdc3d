import { afterAll, beforeAll, expect, test } from 'vitest'
import { getTokens, makeClient, type OAuthFixture, opens, own, post, startOAuthFixture, type TestClient } from '../support/oauth.ts'
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

test('a refresh gives the next token, with fewer scopes on request and never with more', async () => {
  const first = await getTokens(fixture, client)
  const wide = await refresh(first.refresh_token, { scope: 'read:profile write:webhooks' })
  expect(wide).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  const narrow = await refresh(first.refresh_token, { scope: 'read:profile' })
  expect(narrow).toMatchObject({ status: 200, body: { scope: 'read:profile', expires_in: 3600, token_type: 'Bearer' } })
  const projects = `/api/v1/teams/${fixture.team.id}/projects/`
  const refused = await fixture.service.send('GET', projects, { token: narrow.body.access_token })
  expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
  // The authorization keeps all its scopes.
  const next = await refresh(narrow.body.refresh_token)
  expect(next.body.scope).toBe('read:profile read:projects write:projects')
  expect(await fixture.service.send('GET', projects, { token: next.body.access_token })).toMatchObject({ status: 200 })
})

// The exchange of a refresh token is a hot path; codes and polls take as many statements as their steps.
test('a refresh takes two round trips to the database', async () => {
  const { refresh_token } = await getTokens(fixture, client)
  const before = fixture.service.statements.length
  expect(await refresh(refresh_token)).toMatchObject({ status: 200 })
  expect(fixture.service.statements.length - before).toBe(2)
})

test('reuse of a refresh token ends the whole family', async () => {
  const first = await getTokens(fixture, client)
  const { body: second } = await refresh(first.refresh_token)
  const { body: third } = await refresh(second.refresh_token)
  expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await refresh(third.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await Promise.all([first, second, third].map((tokens) => opens(fixture, tokens.access_token)))).toEqual([false, false, false])

  const log = await fixture.service.send('GET', `/api/v1/teams/${fixture.team.id}/audit-log/?action=authorization.deleted`, {
    token: fixture.team.token,
  })
  const changes = { reason: 'a refresh token was used twice' }
  expect(log.body.results).toMatchObject([{ actor: { id: fixture.person.id }, credential: { kind: 'oauth2' }, changes }])
})

test.each([2, 8])('of %d concurrent refreshes exactly one succeeds, and the family ends', async (count) => {
  const { refresh_token } = await getTokens(fixture, client)
  const answers = await Promise.all(Array.from({ length: count }, () => refresh(refresh_token)))
  const successes = answers.filter(({ status }) => status === 200)
  expect(successes).toHaveLength(1)
  expect(await opens(fixture, successes[0]?.body.access_token)).toBe(false)
})

test.each([2, 8])(
  'within the leeway the losers of %d concurrent refreshes are refused, and the winner’s tokens stay valid',
  async (count) => {
    const lenient = await openLenient()
    const { refresh_token } = await getTokens(fixture, client)
    const answers = await Promise.all(Array.from({ length: count }, () => refresh(refresh_token, {}, client, lenient)))
    const successes = answers.filter(({ status }) => status === 200)
    expect(successes).toHaveLength(1)
    expect(await opens(fixture, successes[0]?.body.access_token)).toBe(true)
    expect(await refresh(successes[0]?.body.refresh_token)).toMatchObject({ status: 200 })
    await lenient.service.close()
  },
)

test('reuse within the leeway ends the family once the successor was used', async () => {
  const lenient = await openLenient()
  const first = await getTokens(fixture, client)
  const { body: second } = await refresh(first.refresh_token, {}, client, lenient)
  const { body: third } = await refresh(second.refresh_token, {}, client, lenient)
  expect((await refresh(first.refresh_token, {}, client, lenient)).status).toBe(400)
  expect(await opens(fixture, third.access_token)).toBe(false)
  await lenient.service.close()
})

test('a refresh token works for its client alone, for thirty days', async () => {
  const { access_token, refresh_token } = await getTokens(fixture, client)
  expect(await refresh(refresh_token, {}, confidential)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const days = await fixture.service.database.run<{ days: number }>(
    'select extract(epoch from max(expires_at) - now())::int / 86400.0 as days from refresh_tokens',
    [],
  )
  expect(Number(days[0]?.days)).toBeCloseTo(30, 2)
  expect(await opens(fixture, access_token)).toBe(true)
  await fixture.service.database.run("update access_tokens set expires_at = now() - interval '1 second'", [])
  expect(await fixture.service.send('GET', '/api/v1/me/', { token: access_token })).toMatchObject({
    status: 401,
    body: { code: 'token_expired' },
  })
  await fixture.service.database.run("update refresh_tokens set expires_at = now() - interval '1 second'", [])
  expect(await refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

/** A second service on the same database that forgives two clicks. */
async function openLenient() {
  const { service } = fixture
  const replica = await startTestService({ services: { secretBox: service.secretBox, reuseLeewaySeconds: 10 } }, { store: service })
  return { ...fixture, service: replica }
}
