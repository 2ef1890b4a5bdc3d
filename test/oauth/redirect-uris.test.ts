import { isAllowedRedirectUri } from '@earshot/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizePath,
  codeGrant,
  getCode,
  makeClient,
  type OAuthFixture,
  own,
  post,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'

const REGISTERED = [
  'https://app.example/callback',
  'https://app.example/callback?tenant=1&next=%2Fa%20b',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:8765/fixed',
  'http://[::1]/callback',
  'http://localhost:3000/callback',
  'http://localhost/agent',
  'com.example.app:/callback',
]

const ACCEPTED = [
  ...REGISTERED,
  'http://127.0.0.1:51004/callback',
  'http://127.0.0.1:1/fixed',
  'http://[::1]:51004/callback',
  'http://localhost:51004/agent',
]

const REFUSED = [
  'https://app.example/callback/',
  'https://app.example/callback?',
  'https://app.example/callback?x=1',
  'https://app.example/callback?tenant=1&next=%2fa%20b',
  'https://app.example/callback#fragment',
  'https://APP.example/callback',
  'https://app.example/Callback',
  'HTTPS://app.example/callback',
  'https://app.example:443/callback',
  'https://app.example:8443/callback',
  'https://app.example./callback',
  'https://app.example/x/../callback',
  'https://user@app.example/callback',
  'https://app.example@evil.example/callback',
  'https://app.example\\@evil.example/callback',
  'https://evil.example/callback',
  'http://app.example/callback',
  'http://localhost:3001/callback',
  'http://localhost/callback',
  'http://localhost:51004/agent/',
  'http://localhost:51004@evil.example/agent',
  'http://localhost.evil.example/agent',
  'https://localhost:51004/agent',
  'http://127.0.0.1:51004/other',
  'http://127.0.0.1:51004@evil.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1:99999/callback',
  'http://127.0.0.1:/callback',
  'http://127.1/callback',
  'http://127.0.0.2:51004/callback',
  'https://127.0.0.1:51004/callback',
  'com.example.app:/other',
  'com.example.app://callback',
  'javascript:alert(1)',
  'data:text/html,x',
  '/callback',
  'callback',
  ' https://app.example/callback',
  'https://app.example/callback\u0000',
  'https://app.example/callback\r\nx: y',
]

let fixture: OAuthFixture
let client: TestClient
beforeAll(async () => {
  fixture = await startOAuthFixture()
  client = await makeClient(fixture, { redirectUris: REGISTERED })
})
afterAll(() => fixture.service.close())

test.each(ACCEPTED)('%s matches a registered redirect URI and is used as written', async (redirectUri) => {
  await fixture.browser.open(authorizePath(client, { redirect_uri: redirectUri, state: 'a b&c=+' }))
  expect(fixture.browser.page().status).toBe(200)
  const location = (await fixture.browser.press('allow')) ?? ''
  const separator = redirectUri.includes('?') ? '&' : '?'
  expect(location.startsWith(`${redirectUri}${separator}code=`), location).toBe(true)
  const answer = new URL(location).searchParams
  expect([answer.get('state'), answer.get('iss'), answer.getAll('code').length]).toEqual(['a b&c=+', fixture.service.url, 1])
})

test.each(REFUSED)('%j does not match: an error page without a redirect', async (redirectUri) => {
  await fixture.browser.open(authorizePath(client, { redirect_uri: redirectUri }))
  const { status, headers, body } = fixture.browser.page()
  expect([status, headers.get('location'), headers.get('content-type')]).toEqual([400, null, 'text/html; charset=utf-8'])
  expect(body).toContain('Request <code>')
})

test('a program exchanges its code with the port it used before', async () => {
  const code = await getCode(fixture, client, { redirect_uri: 'http://127.0.0.1:51004/callback' })
  const wrong = { ...codeGrant(code), redirect_uri: 'http://127.0.0.1:51005/callback' }
  expect(await post(fixture, '/o/token/', { ...own(client), ...wrong })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const again = await getCode(fixture, client, { redirect_uri: 'http://127.0.0.1:51004/callback' })
  expect(await post(fixture, '/o/token/', { ...own(client), ...codeGrant(again) })).toMatchObject({ status: 200 })
})

test.each([
  ['https://app.example/callback', "form-action 'self' https://app.example;"],
  ['http://127.0.0.1:51004/callback', "form-action 'self' http://127.0.0.1:51004;"],
  ['http://[::1]:51004/callback', "form-action 'self' http:;"],
  ['com.example.app:/callback', "form-action 'self' com.example.app:;"],
])('the policy of the page for %s allows its form to lead there and to no other site', async (redirectUri, policy) => {
  await fixture.browser.open(authorizePath(client, { redirect_uri: redirectUri }))
  expect(fixture.browser.page().headers.get('content-security-policy')).toContain(policy)
})

describe('redirect URIs that the operator may register', () => {
  test.each(REGISTERED)('%s', (uri) => expect(isAllowedRedirectUri(uri)).toBe(true))

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://app.example/',
    'ftp://app.example/',
    'myapp:/callback',
    'https:app.example/callback',
    'https:///app.example/callback',
    'https://app.example/#x',
    'https://user:password@app.example/',
    "https://app.example;script-src'*'/",
    'https://app.example/ x',
    'https://bücher.example/',
    `https://app.example/${'x'.repeat(2_048)}`,
  ])('not %s', (uri) => expect(isAllowedRedirectUri(uri)).toBe(false))
})
