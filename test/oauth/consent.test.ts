import { deleteOAuthClient } from '@earshot/db/oauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import {
  authorizePath,
  CALLBACK,
  makeClient,
  type OAuthFixture,
  signInSomebody,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'
import { PASSWORD } from '../support/password.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

let fixture: OAuthFixture
let client: TestClient
beforeAll(async () => {
  fixture = await startOAuthFixture()
  client = await makeClient(fixture, { name: 'Dash <script>' })
})
afterAll(() => fixture.service.close())

const codes = async () =>
  (await fixture.service.database.run<{ count: number }>('select count(*)::int as count from authorization_codes', []))[0]?.count
const answerOf = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)

test('viewing the consent page grants nothing; it shows the client, each scope in words, the redirect target and the account, and needs no script', async () => {
  const before = await codes()
  await fixture.browser.open(authorizePath(client, { scope: 'read:profile write:projects' }))
  const { status, headers, body } = fixture.browser.page()
  expect(status).toBe(200)
  for (const text of [
    'Dash &lt;script&gt;',
    fixture.person.email,
    'app.example',
    'Read your profile, sessions and authorized applications',
    'Create, change and delete projects and their public keys',
    'name="viewport"',
  ]) {
    expect(body).toContain(text)
  }
  expect(body).not.toMatch(/<script|read:projects/)
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' https://app.example; base-uri 'none'; frame-ancestors 'none'",
  )
  expect([headers.get('x-frame-options'), headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
    'DENY',
    'no-store',
    'same-origin',
  ])
  expect(await codes()).toBe(before)
})

test('without a scope the client requests all of its scopes', async () => {
  await fixture.browser.open(authorizePath(client))
  for (const scope of ['read:profile', 'read:projects', 'write:projects'])
    expect(fixture.browser.page().body).toContain(`<code>${scope}</code>`)
})

test('a signed-out person signs in first and returns to the same consent page', async () => {
  const browser = openBrowser(fixture.service)
  const state = 's'.repeat(4_096)
  await browser.open(authorizePath(client, { state }))
  expect(browser.page().body).toContain('type="password"')
  await browser.type({ email: fixture.person.email, password: PASSWORD })
  expect(browser.page().body).toContain('Allow Dash')
  expect(answerOf(await browser.press('allow'))).toEqual({ code: expect.stringMatching(/^\w{43}$/), state, iss: fixture.service.url })
})

test('a denied request gives the client nothing', async () => {
  const before = await codes()
  await fixture.browser.open(authorizePath(client))
  expect(answerOf(await fixture.browser.press('deny'))).toEqual({ error: 'access_denied', state: 'st4te', iss: fixture.service.url })
  expect(await codes()).toBe(before)
})

test.each([
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['no method', { code_challenge_method: undefined }, 'invalid_request'],
  ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a method in lower case', { code_challenge_method: 's256' }, 'invalid_request'],
  ['a challenge of 42 characters', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
  ['a challenge of 44 characters', { code_challenge: 'x'.repeat(44) }, 'invalid_request'],
  ['a challenge with padding', { code_challenge: `${'x'.repeat(42)}=` }, 'invalid_request'],
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
  ['two response types', { response_type: 'code token' }, 'unsupported_response_type'],
  ['an unknown scope', { scope: 'read:profile read:everything' }, 'invalid_scope'],
  ['scopes of which none is the client’s', { scope: 'write:privacy' }, 'invalid_scope'],
  ['a resource of others', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ['a resource with a fragment', { resource: 'http://127.0.0.1/mcp#x' }, 'invalid_target'],
])('%s is reported to the client, with its state and the issuer', async (_what, changes, error) => {
  await fixture.browser.open(authorizePath(client, changes))
  const { status, headers } = fixture.browser.page()
  expect(status).toBe(303)
  expect(headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?/)
  expect(answerOf(headers.get('location'))).toEqual({ error, state: 'st4te', iss: fixture.service.url })
})

test('a request without state gets a response without state', async () => {
  await fixture.browser.open(authorizePath(client, { state: undefined }))
  expect(Object.keys(answerOf(await fixture.browser.press('allow')))).toEqual(['code', 'iss'])
})

test('a duplicate parameter is reported to the client, except one that identifies the client or its redirect URI', async () => {
  await fixture.browser.open(`${authorizePath(client)}&scope=read%3Aprofile&scope=read%3Aprofile`)
  expect(answerOf(fixture.browser.page().headers.get('location'))).toMatchObject({ error: 'invalid_request', state: 'st4te' })
  await fixture.browser.open(`${authorizePath(client)}&state=other`)
  expect(answerOf(fixture.browser.page().headers.get('location'))).toEqual({ error: 'invalid_request', iss: fixture.service.url })
  for (const twice of [`client_id=${client.id}`, `redirect_uri=${encodeURIComponent(CALLBACK)}`]) {
    await fixture.browser.open(`${authorizePath(client)}&${twice}`)
    expect(fixture.browser.page().status).toBe(400)
  }
})

test.each([
  ['no client', { client_id: undefined }],
  ['an unknown client', { client_id: 'nobody' }],
  ['NUL in the client', { client_id: 'a\u0000' }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['a state of more than 4 KB', { state: 's'.repeat(4_097) }],
  ['a state of other than ASCII', { state: 'ä' }],
  ['a state with a line break', { state: 'a\r\nb' }],
])('%s is shown on a page, without a redirect', async (_what, changes) => {
  await fixture.browser.open(authorizePath(client, changes))
  const { status, headers } = fixture.browser.page()
  expect([status, headers.get('location'), headers.get('content-type')]).toEqual([400, null, 'text/html; charset=utf-8'])
})

test('a decision counts from the page under any name of the service, in a browser without Fetch Metadata too', async () => {
  const { port } = new URL(fixture.service.url)
  const proxied = await startOAuthFixture({ baseUrl: `http://localhost:${port}`, trustProxy: () => true })
  const other = await makeClient(proxied)
  await proxied.browser.open(authorizePath(other))
  const question = String(proxied.browser.page().body).match(/name="question" value="([^"]+)"/)?.[1] ?? ''
  const decide = (headers: Record<string, string>) =>
    proxied.service.send('POST', '/o/authorize/', {
      body: String(new URLSearchParams({ question, decision: 'allow' })),
      headers: { 'content-type': FORM['content-type'], cookie: proxied.browser.cookie(), 'x-forwarded-host': 'earshot.lan', ...headers },
    })
  for (const origin of ['http://earshot.lan:1', 'https://earshot.lan', 'null']) expect((await decide({ origin })).status, origin).toBe(403)
  const allowed = await decide({ origin: 'http://earshot.lan' })
  expect([allowed.status, answerOf(allowed.headers.get('location'))]).toEqual([303, expect.objectContaining({ code: expect.any(String) })])
  await proxied.service.close()
})

test('a decision applies only to the page shown: not from another person, session or site, not changed and not late', async () => {
  const { service, team, browser } = fixture
  const before = await codes()
  await browser.open(authorizePath(client))
  const sealed = String(browser.page().body).match(/name="question" value="([^"]+)"/)?.[1] ?? ''
  const submit = (fields: Record<string, string>, headers: Record<string, string>) =>
    service.send('POST', '/o/authorize/', { body: String(new URLSearchParams(fields)), headers: { ...FORM, ...headers } })
  const cookie = browser.cookie()
  const stranger = (await signInSomebody(service, team)).browser
  const sameAgain = openBrowser(service)
  await sameAgain.signIn(fixture.person.email, PASSWORD)
  const allow = { question: sealed, decision: 'allow' }
  expect((await submit(allow, { cookie: stranger.cookie() })).status).toBe(400)
  expect((await submit(allow, { cookie: sameAgain.cookie() })).status).toBe(400)
  expect((await submit(allow, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await submit(allow, { cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403)
  expect((await submit(allow, {})).headers.get('location')).toContain('/accounts/sign-in/')
  expect((await submit({ decision: 'allow' }, { cookie })).status).toBe(400)
  expect((await submit({ ...allow, question: `${sealed.slice(0, -4)}AAAA` }, { cookie })).status).toBe(400)
  // A decision sealed for a device is not valid on this page.
  await browser.open('/o/device/')
  expect((await submit({ ...allow, question: 'x' }, { cookie })).status).toBe(400)
  expect(await codes()).toBe(before)
  const late = Date.now() + 601_000
  const realNow = Date.now
  Date.now = () => late
  expect((await submit(allow, { cookie })).status).toBe(400)
  Date.now = realNow
  expect(await codes()).toBe(before)
  // Changed fields beside the sealed ones are of no account.
  const allowed = await submit({ ...allow, redirect_uri: 'https://evil.example/', scope: 'write:privacy' }, { cookie })
  expect(allowed.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?code=/)
})

test('a client that was deleted while the page was open gets nothing', async () => {
  const passing = await makeClient(fixture)
  await fixture.browser.open(authorizePath(passing))
  await deleteOAuthClient(fixture.service.database, passing.id)
  expect(await fixture.browser.press('allow')).toBe(null)
  expect(fixture.browser.page().status).toBe(401)
})

test('every authorization asks for consent, even when the client was allowed before', async () => {
  for (let count = 0; count < 2; count += 1) {
    await fixture.browser.open(authorizePath(client, { prompt: 'none' }))
    expect(fixture.browser.page().status).toBe(200)
    await fixture.browser.press('allow')
  }
})
