import { errorTable } from '@earshot/contracts'
import { type Database, openDatabase } from '@earshot/db'
import { createLog, DEVICE_CODE } from '@earshot/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  basic,
  CALLBACK,
  codeGrant,
  getCode,
  makeClient,
  type OAuthFixture,
  own,
  post,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'
import { startTestService } from '../support/test-service.ts'

const TOKEN = '/o/token/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let fixture: OAuthFixture
let client: TestClient
let confidential: TestClient
beforeAll(async () => {
  fixture = await startOAuthFixture()
  client = await makeClient(fixture)
  confidential = await makeClient(fixture, { confidential: true })
})
afterAll(() => fixture.service.close())

const raw = (body: string, headers: Record<string, string> = FORM) => fixture.service.send('POST', TOKEN, { body, headers })
const invalidRequest = { status: 400, body: { error: 'invalid_request', code: 'validation_error' } }
const invalidClient = { status: 401, body: { error: 'invalid_client', code: 'invalid_credentials' } }

test('an error has the fields of OAuth and of every other error, and is not cached', async () => {
  const { status, headers, body } = await post(fixture, TOKEN, { ...own(client), grant_type: 'refresh_token', refresh_token: 'x' })
  expect([status, body]).toEqual([
    400,
    {
      error: 'invalid_grant',
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      detail: body.error_description,
      code: 'validation_error',
      request_id: headers.get('x-request-id'),
    },
  ])
  expect([headers.get('cache-control'), headers.get('pragma'), headers.get('content-type')]).toEqual([
    'no-store',
    'no-cache',
    'application/json; charset=utf-8',
  ])
})

test.each([
  ['a parameter twice', 'grant_type=refresh_token&grant_type=refresh_token'],
  ['an array', 'grant_type[]=refresh_token&grant_type=&client_id=x'],
  ['NUL', 'grant_type=refresh_token%00'],
  ['a control character', 'grant_type=refresh_token&client_id=a%0Ab'],
  ['letters beyond ASCII', 'grant_type=refresh_token&client_id=%C3%A4'],
  ['no UTF-8', 'grant_type=%FF'],
  ['no grant_type', 'client_id=x'],
  ['an empty grant_type', 'grant_type=&client_id=x'],
  ['nothing', ''],
])('a form with %s is refused', async (_what, body) => {
  expect(await raw(body)).toMatchObject(invalidRequest)
})

test.each([
  ['an array', '{"grant_type":["refresh_token"]}'],
  ['an object', '{"grant_type":{"a":"refresh_token"}}'],
  ['a number', '{"grant_type":1}'],
  ['null', '{"grant_type":null}'],
  ['NUL', '{"grant_type":"a\\u0000"}'],
  ['a list for its body', '[]'],
  ['a text for its body', '"grant_type=refresh_token"'],
])('JSON with %s is refused', async (_what, body) => {
  expect(await raw(body, {})).toMatchObject(invalidRequest)
})

test.each([
  ['a form that says it is JSON', 'grant_type=refresh_token', 'application/json', 'malformed_json'],
  ['JSON that says it is a form', '{"grant_type":"refresh_token"}', 'application/x-www-form-urlencoded', 'validation_error'],
  ['cut JSON', '{"grant', 'application/json', 'malformed_json'],
  ['a prototype', '{"__proto__":{"grant_type":"refresh_token"}}', 'application/json', 'malformed_json'],
  ['plain text', 'grant_type=refresh_token', 'text/plain', 'unsupported_media_type'],
  ['a form in parts', 'x', 'multipart/form-data; boundary=x', 'unsupported_media_type'],
  ['70 KB of a form', `grant_type=${'x'.repeat(70_000)}`, 'application/x-www-form-urlencoded', 'body_too_large'],
  ['70 KB of JSON', JSON.stringify({ grant_type: 'x'.repeat(70_000) }), 'application/json', 'body_too_large'],
] as const)('%s is refused', async (_what, body, type, code) => {
  const answer = await raw(body, { 'content-type': type })
  expect(answer).toMatchObject({ status: errorTable[code].status, body: { error: 'invalid_request', code } })
  if (code === 'body_too_large') expect(answer.body.limit_bytes).toBe(65_536)
})

test('an unknown method and an unknown path', async () => {
  const got = await fixture.service.send('GET', TOKEN)
  expect([got.status, got.headers.get('allow'), got.body.code]).toEqual([405, 'POST', 'method_not_allowed'])
  expect(await fixture.service.send('POST', '/o/nothing/')).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('JSON and forms are equivalent, the trailing slash is optional, and unknown parameters are ignored', async () => {
  const code = codeGrant(await getCode(fixture, client))
  const body = { ...own(client), ...code, audience: ['a', 'b'], hint: 7 }
  expect(await fixture.service.send('POST', '/o/token', { body })).toMatchObject({ status: 200, body: { expires_in: 3600 } })
  const form = await post(fixture, '/o/token', { ...own(client), ...codeGrant(await getCode(fixture, client)), audience: 'a', scope: '' })
  expect(form).toMatchObject({ status: 200, body: { expires_in: 3600 } })
})

test('parameters in the query are refused, secrets above all', async () => {
  expect(
    await post(fixture, `${TOKEN}?client_secret=x`, { ...own(client), grant_type: 'refresh_token', refresh_token: 'x' }),
  ).toMatchObject(invalidRequest)
})

test.each([
  ['a percent sign that is no encoding', () => basic('100%', 'x')],
  ['an encoding that is no UTF-8', () => basic('%FF', 'x')],
  ['an encoded NUL', () => basic('a%00', 'x')],
  ['no colon', () => ({ authorization: `Basic ${Buffer.from('abc').toString('base64')}` })],
  ['no base64', () => ({ authorization: 'Basic ***' })],
  ['no id', () => basic('', 'x')],
  ['another scheme', () => ({ authorization: 'Bearer sva_x' })],
  ['an unknown client', () => basic('nobody', 'x')],
  ['a wrong secret', () => basic(confidential.id, `${confidential.secret}x`)],
  ['no secret', () => basic(confidential.id, '')],
  ['a secret of a client that has none', () => basic(client.id, 'x')],
])('Basic with %s is no client', async (_what, headers) => {
  const answer = await post(fixture, TOKEN, { grant_type: 'refresh_token', refresh_token: 'x' }, headers())
  expect(answer).toMatchObject(invalidClient)
  expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="Earshot"/)
})

test('two authentication methods in one request are refused, even if both are valid', async () => {
  const twice = { ...own(confidential), grant_type: 'refresh_token', refresh_token: 'x' }
  const header = basic(confidential.id, confidential.secret ?? '')
  expect(await post(fixture, TOKEN, twice, header)).toMatchObject(invalidRequest)
  const named = { client_id: client.id, grant_type: 'refresh_token', refresh_token: 'x' }
  expect(await post(fixture, TOKEN, named, header)).toMatchObject(invalidRequest)
})

test('a verifier, code or device code does not replace the client’s secret', async () => {
  const code = codeGrant(await getCode(fixture, confidential))
  for (const grant of [
    code,
    { grant_type: 'refresh_token', refresh_token: 'x', code_verifier: 'x'.repeat(43) },
    { grant_type: DEVICE_CODE, device_code: 'x' },
  ]) {
    expect(await post(fixture, TOKEN, { client_id: confidential.id, ...grant })).toMatchObject(invalidClient)
  }
  expect(await post(fixture, '/o/device-authorization/', { client_id: confidential.id })).toMatchObject(invalidClient)
  // The failed authentications did not invalidate the code.
  expect(await post(fixture, TOKEN, { ...own(confidential), ...code })).toMatchObject({ status: 200 })
})

test('an unknown grant type is unsupported for every client; one that the client lacks is unauthorized', async () => {
  for (const grant_type of ['password', 'client_credentials', 'implicit', 'toString', '__proto__', 'urn:x:y']) {
    expect(await post(fixture, TOKEN, { client_id: 'nobody', grant_type })).toMatchObject({ body: { error: 'unsupported_grant_type' } })
  }
  const narrow = await makeClient(fixture, { grantTypes: ['authorization_code'] })
  for (const grant of [
    { grant_type: 'refresh_token', refresh_token: 'x' },
    { grant_type: DEVICE_CODE, device_code: 'x' },
  ]) {
    expect(await post(fixture, TOKEN, { ...own(narrow), ...grant })).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
  }
  expect(await post(fixture, '/o/device-authorization/', own(narrow))).toMatchObject({
    status: 400,
    body: { error: 'unauthorized_client' },
  })
})

test('failures are counted by address; successes are not', async () => {
  const limited = await startOAuthFixture({ rateLimitMultiplier: 1 })
  const app = await makeClient(limited)
  const fail = () => post(limited, TOKEN, { ...own(app), grant_type: 'refresh_token', refresh_token: 'x' })
  // Signing in was one.
  const answers = await Promise.all(Array.from({ length: 110 }, fail))
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(99)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(11)
  const code = codeGrant(await getCode(limited, app))
  let { status, body } = await post(limited, TOKEN, { ...own(app), ...code })
  for (let count = 0; count < 5; count += 1) {
    expect(status).toBe(200)
    ;({ status, body } = await post(limited, TOKEN, { ...own(app), grant_type: 'refresh_token', refresh_token: body.refresh_token }))
  }
  expect(status).toBe(200)
  expect((await fail()).body).toMatchObject({ error: 'temporarily_unavailable', code: 'rate_limited' })
  await limited.service.close()
})

test('database failures are reported in the same form, without the database’s own text', async () => {
  const address = { host: '127.0.0.1', port: 1, user: 'x', database: 'x' }
  const away = openDatabase({ address, poolSize: 1, applicationName: 'earshot test away' })
  const chatty: Database['run'] = () => Promise.reject(new Error('column "svr_secret" does not exist'))
  const services = { secretBox: fixture.service.secretBox }
  for (const [run, status, error, code] of [
    [away.run, 503, 'temporarily_unavailable', 'dependency_unavailable'],
    [chatty, 500, 'server_error', 'internal_error'],
  ] as const) {
    // A start needs a database that is there.
    const database = { ...fixture.service.database, run: fixture.service.database.run }
    const broken = {
      service: await startTestService({ database, services, log: createLog({ level: 'silent' }) }, { store: fixture.service }),
    }
    database.run = run
    for (const path of [TOKEN, '/o/revoke/', '/o/introspect/', '/o/device-authorization/']) {
      const answer = await post(broken, path, { ...own(client), grant_type: 'refresh_token', refresh_token: 'x', token: 'x' })
      expect(answer, path).toMatchObject({ status, body: { error, code, request_id: expect.any(String) } })
      expect(JSON.stringify(answer.body)).not.toMatch(/svr_secret|ECONNREFUSED|column/)
      if (status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await broken.service.close()
  }
  await away.close()
})

test('browser programs may call the endpoints for clients, and never the pages', async () => {
  const origin = { origin: 'https://app.example' }
  const metadata = await fixture.service.send('GET', '/.well-known/oauth-authorization-server', { headers: origin })
  expect(metadata.headers.get('access-control-allow-origin')).toBe('*')
  const token = await post(fixture, TOKEN, { grant_type: 'x' }, origin)
  expect([token.status, token.headers.get('access-control-allow-origin')]).toEqual([400, '*'])
  const preflight = { ...origin, 'access-control-request-method': 'POST' }
  expect((await fixture.service.send('OPTIONS', TOKEN, { headers: preflight })).status).toBe(204)
  for (const path of ['/o/authorize/', '/o/device/', '/accounts/sign-in/', '/o/%61uthorize/']) {
    const page = await fixture.service.send('GET', `${path}?redirect_uri=${CALLBACK}`, { headers: origin })
    expect(page.headers.get('access-control-allow-origin'), path).toBe(null)
  }
  expect((await fixture.service.send('OPTIONS', '/o/authorize/', { headers: preflight })).headers.get('access-control-allow-origin')).toBe(
    null,
  )
})
