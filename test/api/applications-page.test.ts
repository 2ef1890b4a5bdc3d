import { type Scope, scopeDescriptions, scopes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowClient } from '../support/credentials.ts'
import { getTokens, makeClient, type OAuthFixture, opens, own, post, signInSomebody, startOAuthFixture } from '../support/oauth.ts'

const PAGE = '/accounts/applications/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const ALLOWED: Scope[] = ['read:projects', 'write:projects']

let fixture: OAuthFixture
beforeAll(async () => {
  fixture = await startOAuthFixture()
})
afterAll(() => fixture.service.close())

test('a person sees an application’s scopes, first and last use, and withdraws it: all its tokens end at once', async () => {
  const { service, browser, team, person } = fixture
  const app = await makeClient(fixture, { name: '<b>Feedback & "Co"</b>', scopes: ['read:profile', ...ALLOWED] })
  const empty = (await browser.open(PAGE)).body
  expect(empty).toContain('You have not authorized any applications.')
  for (const [, guide = ''] of empty.matchAll(/href="(\/docs\/[^"]+)"/g)) expect((await service.send('GET', guide)).status, guide).toBe(200)
  const tokens = await getTokens(fixture, app)
  const today = new Date().toISOString().slice(0, 10)
  expect((await browser.open(PAGE)).body).toContain(`since ${today} · never used`)
  expect(await opens(fixture, tokens.access_token)).toBe(true)
  expect((await browser.open('/accounts/')).body).toContain(`href="${PAGE}"`)
  const { body } = await browser.open(PAGE)
  expect(body).toContain('<strong>&lt;b&gt;Feedback &amp; &quot;Co&quot;&lt;/b&gt;</strong>')
  expect(body).not.toContain('<b>Feedback')
  expect(body).toContain(`since ${today} · last used ${today}`)
  for (const scope of ALLOWED) expect(body).toContain(`<li>${scopeDescriptions[scope]} <small><code>${scope}</code>`)

  expect((await browser.type({}, 'Feedback')).body).toContain('You have not authorized any applications.')
  expect(await opens(fixture, tokens.access_token)).toBe(false)
  const refresh = { ...own(app), grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  expect(await post(fixture, '/o/token/', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const lines = await service.database.run(
    "select actor_user_id = $2 as is_own, credential_kind from audit_entries where team_id = $1 and action = 'authorization.deleted'",
    [team.id, person.id],
  )
  expect(lines).toEqual([{ is_own: true, credential_kind: 'session' }])
})

test("another person's application is neither shown nor withdrawn", async () => {
  const { service, browser, team } = fixture
  const other = await signInSomebody(service, team)
  const id = await allowClient(service.database, other.person.id)
  expect((await browser.open(PAGE)).body).not.toContain(id)
  for (const named of [id, 'nonsense', '']) expect((await withdraw(browser.cookie(), named)).status).toBe(404)
  expect((await other.browser.open(PAGE)).body).toContain(id)
})

test('a form from another site withdraws nothing, and a signed-out person signs in first', async () => {
  const { service, browser, person } = fixture
  const id = await allowClient(service.database, person.id)
  for (const site of ['cross-site', 'same-site', 'none']) {
    expect((await withdraw(browser.cookie(), id, { 'sec-fetch-site': site })).status).toBe(403)
  }
  expect((await withdraw('', id)).headers.get('location')).toBe('/accounts/sign-in/?next=%2Faccounts%2F')
  expect((await service.send('GET', PAGE)).headers.get('location')).toBe('/accounts/sign-in/?next=%2Faccounts%2Fapplications%2F')
  expect((await browser.open(PAGE)).body).toContain(id)
})

test('a hundred applications with many scopes are shown on pages, each once', async () => {
  const { service, team } = fixture
  const { browser, person } = await signInSomebody(service, team)
  const ids: string[] = []
  for (let index = 0; index < 100; index += 1) ids.push(await allowClient(service.database, person.id))
  await service.database.run('update credentials set scopes = $2 where user_id = $1 and client_id is not null', [
    person.id,
    scopes.slice(0, 20),
  ])
  const seen: string[] = []
  for (let next: string | undefined = PAGE; next !== undefined; ) {
    const body: string = (await browser.open(next)).body
    expect(body).toContain('20 scopes')
    seen.push(...[...body.matchAll(/name="authorization_id" value="([^"]+)"/g)].map(([, id = '']) => id))
    next = body.match(/<a href="([^"]+)" rel="next">Older<\/a>/)?.[1]
  }
  expect(seen).toEqual(ids.toReversed())
})

function withdraw(cookie: string, id: string, headers: Record<string, string> = {}) {
  return fixture.service.send('POST', PAGE, {
    headers: { ...FORM, ...headers, ...(cookie !== '' && { cookie }) },
    body: String(new URLSearchParams({ authorization_id: id })),
  })
}
