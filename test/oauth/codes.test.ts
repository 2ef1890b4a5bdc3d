import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CALLBACK,
  codeGrant,
  getCode,
  makeClient,
  makeVerifier,
  type OAuthFixture,
  opens,
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

test('of twenty concurrent exchanges of one code exactly one succeeds, and its tokens are revoked because the code leaked', async () => {
  const code = codeGrant(await getCode(fixture, client))
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(fixture, '/o/token/', { ...own(client), ...code })))
  const successes = answers.filter(({ status }) => status === 200)
  expect(successes).toHaveLength(1)
  expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  expect(await opens(fixture, successes[0]?.body.access_token)).toBe(false)
  expect(await refresh(successes[0]?.body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a later second use of a code revokes the tokens of the first', async () => {
  const code = codeGrant(await getCode(fixture, client))
  const { body: tokens } = await post(fixture, '/o/token/', { ...own(client), ...code })
  expect(await opens(fixture, tokens.access_token)).toBe(true)
  expect(await post(fixture, '/o/token/', { ...own(client), ...code })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await opens(fixture, tokens.access_token)).toBe(false)
})

test('another client cannot use a code, and its attempt does not invalidate it', async () => {
  const code = codeGrant(await getCode(fixture, client))
  const foreign = await post(fixture, '/o/token/', { ...own(confidential), ...code })
  expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_grant', code: 'validation_error' } })
  expect(await post(fixture, '/o/token/', { ...own(client), ...code })).toMatchObject({ status: 200 })
})

test.each([
  ['another verifier', { code_verifier: makeVerifier().verifier }],
  ['a verifier of 42 characters', { code_verifier: 'x'.repeat(42) }],
  ['a verifier of 129 characters', { code_verifier: 'x'.repeat(129) }],
  ['another redirect_uri', { redirect_uri: `${CALLBACK}/` }],
])('%s is refused and invalidates the code', async (_what, wrong) => {
  const code = codeGrant(await getCode(fixture, client))
  expect(await post(fixture, '/o/token/', { ...own(client), ...code, ...wrong })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  expect(await post(fixture, '/o/token/', { ...own(client), ...code })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a code lives for sixty seconds', async () => {
  const code = await getCode(fixture, client)
  const [row] = await fixture.service.database.run<{ seconds: number }>(
    'select extract(epoch from max(expires_at) - now())::int as seconds from authorization_codes where used_at is null',
    [],
  )
  expect(row?.seconds).toBeGreaterThan(50)
  expect(row?.seconds).toBeLessThanOrEqual(60)
  await fixture.service.database.run("update authorization_codes set expires_at = now() - interval '1 second' where used_at is null", [])
  expect(await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code) })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
})
