import { DEVICE_CODE } from '@earshot/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeClient, type OAuthFixture, opens, own, post, signInSomebody, startOAuthFixture, type TestClient } from '../support/oauth.ts'

interface Device {
  device_code: string
  user_code: string
  verification_uri_complete: string
}

let fixture: OAuthFixture
let client: TestClient
let other: TestClient
beforeAll(async () => {
  // The real limits: these tests are about 100 an hour.
  fixture = await startOAuthFixture({ rateLimitMultiplier: 1 })
  client = await makeClient(fixture, { name: 'Kiosk <b>' })
  other = await makeClient(fixture)
})
afterAll(() => fixture.service.close())
beforeEach(async () => {
  await sql("delete from rate_windows where subject not like 'user:%' returning 1")
})

const sql = <Row>(text: string, values: unknown[] = []) => fixture.service.database.run<Row>(text, values)
const begin = async (as = client): Promise<Device> => (await post(fixture, '/o/device-authorization/', own(as))).body
const poll = (device: Device, as = client) =>
  post(fixture, '/o/token/', { ...own(as), grant_type: DEVICE_CODE, device_code: device.device_code })
/** Moves the last poll a number of seconds into the past. */
const wait = (seconds: number) => sql("update device_codes set polled_at = polled_at - $1 * interval '1 second'", [seconds])
const decide = async (device: Device, decision: 'allow' | 'deny', browser = fixture.browser) => {
  await browser.open(device.verification_uri_complete)
  await browser.press(decision)
}

test('a device gets a code of eight consonants and the interval to poll at', async () => {
  const answer = await post(fixture, '/o/device-authorization/', { ...own(client), scope: 'read:profile' })
  expect(answer).toMatchObject({
    status: 200,
    body: { expires_in: 900, interval: 5, verification_uri: `${fixture.service.url}/o/device/` },
  })
  expect(answer.body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  expect(answer.body.verification_uri_complete).toBe(`${fixture.service.url}/o/device/?user_code=${answer.body.user_code}`)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const wide = await post(fixture, '/o/device-authorization/', { ...own(client), scope: 'write:privacy' })
  expect(wide).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
})

test('a client that keeps the interval is never limited: 180 polls, then the tokens', async () => {
  const device = await begin()
  for (let count = 0; count < 180; count += 1) {
    expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'authorization_pending', code: 'validation_error' } })
    await wait(5)
  }
  await decide(device, 'allow')
  expect(await poll(device)).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600 } })
})

test('a client that polls too fast gets slow_down, never rate_limited, and each time the interval grows for good', async () => {
  const device = await begin()
  expect((await poll(device)).body.error).toBe('authorization_pending')
  for (let count = 0; count < 150; count += 1) expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'slow_down' } })
  const [row] = await sql<{ interval_seconds: number }>('select interval_seconds from device_codes order by interval_seconds desc limit 1')
  expect(row?.interval_seconds).toBe(5 + 150 * 5)
  await wait(700)
  expect((await poll(device)).body.error).toBe('slow_down')
  await wait(800)
  expect((await poll(device)).body.error).toBe('authorization_pending')
})

test('unknown device codes count as unauthenticated requests: limited after a hundred in an hour', async () => {
  const device = await begin()
  const unknown = { ...device, device_code: 'x'.repeat(43) }
  const answers = await Promise.all(Array.from({ length: 105 }, () => poll(unknown)))
  expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(99)
  const limited = answers.find(({ status }) => status === 429)
  expect(limited?.body).toMatchObject({ error: 'temporarily_unavailable', code: 'rate_limited', request_id: expect.any(String) })
  expect(limited?.headers.get('retry-after')).toMatch(/^\d+$/)
  // A device that polls with a valid code from the same address is not.
  expect((await poll(device)).body.error).toBe('authorization_pending')
})

test('ten concurrent polls of an allowed device give the tokens once', async () => {
  const device = await begin()
  await decide(device, 'allow')
  const answers = await Promise.all(Array.from({ length: 10 }, () => poll(device)))
  const successes = answers.filter(({ status }) => status === 200)
  expect(successes).toHaveLength(1)
  expect(await opens(fixture, successes[0]?.body.access_token)).toBe(true)
  expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(9)
})

test('a code that was denied, expired, withdrawn or issued to another client gives nothing', async () => {
  const denied = await begin()
  await decide(denied, 'deny')
  expect(fixture.browser.page().body).toContain('Access denied')
  expect(await poll(denied)).toMatchObject({ status: 400, body: { error: 'access_denied' } })

  const withdrawn = await begin()
  await decide(withdrawn, 'allow')
  await sql("update credentials set revoked_at = now() where kind = 'oauth2'")
  expect(await poll(withdrawn)).toMatchObject({ status: 400, body: { error: 'access_denied' } })

  const foreign = await begin()
  await decide(foreign, 'allow')
  expect(await poll(foreign, other)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await poll(foreign)).toMatchObject({ status: 200 })

  const expired = await begin()
  await sql("update device_codes set expires_at = now() - interval '1 second' where taken_at is null")
  expect(await poll(expired)).toMatchObject({ status: 400, body: { error: 'expired_token' } })
  await fixture.browser.open(expired.verification_uri_complete)
  expect(fixture.browser.page().status).toBe(400)
})

test('a link that contains the code still asks, and shows the client, its scopes, the account and the code', async () => {
  const device = await begin()
  await fixture.browser.open(device.verification_uri_complete)
  const { status, body, headers } = fixture.browser.page()
  expect(status).toBe(200)
  for (const text of [
    device.user_code,
    'Kiosk &lt;b&gt;',
    fixture.person.email,
    'Read your profile',
    'write:projects',
    '>Allow<',
    '>Deny<',
  ]) {
    expect(body).toContain(text)
  }
  expect(headers.get('content-security-policy')).toContain("form-action 'self';")
  expect((await poll(device)).body.error).toBe('authorization_pending')
})

test('when two tabs decide on one device, the second learns that it was decided', async () => {
  const device = await begin()
  await fixture.browser.open(device.verification_uri_complete)
  const [one, two] = [fixture.browser.tab(), fixture.browser.tab()]
  await Promise.all([one.press('allow'), two.press('deny')])
  expect([one.page().status, two.page().status].sort()).toEqual([200, 409])
  const wasAllowed = one.page().status === 200
  expect((await poll(device)).status).toBe(wasAllowed ? 200 : 400)
  await fixture.browser.open(device.verification_uri_complete)
  expect(fixture.browser.page()).toMatchObject({ status: 409, body: expect.stringContaining('Code already used') })
})

test('after ten wrong codes, further codes from that person and that address are refused, even right ones', async () => {
  const { browser } = await signInSomebody(fixture.service, fixture.team)
  await browser.open('/o/device/')
  const device = await begin()
  for (let count = 0; count < 10; count += 1) {
    expect(await browser.type({ user_code: 'wrong' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('invalid or has expired'),
    })
  }
  expect((await browser.type({ user_code: 'BBBB-BBBB' }).catch(() => browser.page())).status).toBe(429)
  expect(browser.page().headers.get('retry-after')).toMatch(/^\d+$/)
  // Another person at the same address, even with a right code, which must not be revealed either.
  await fixture.browser.open(device.verification_uri_complete)
  expect(fixture.browser.page()).toMatchObject({ status: 429, body: expect.not.stringContaining('Kiosk') })
  // The same person from another address: only the address' count is gone.
  await sql("delete from rate_windows where subject like 'device_code:1%' returning 1")
  await browser.open('/o/device/?user_code=BBBB-BBBB')
  expect(browser.page().status).toBe(429)
})

test('right codes are not counted', async () => {
  for (let count = 0; count < 12; count += 1) {
    await fixture.browser.open((await begin()).verification_uri_complete)
    expect(fixture.browser.page().status).toBe(200)
  }
  const guesses = await Promise.all(Array.from({ length: 30 }, () => fixture.browser.tab().open('/o/device/?user_code=BBBB-BBBB')))
  expect(guesses.filter(({ status }) => status === 400)).toHaveLength(10)
})

test('case, spaces and dashes of a code do not matter', async () => {
  for (const write of [
    (code: string) => code.toLowerCase(),
    (code: string) => code.replace('-', ''),
    (code: string) => ` ${code.replace('-', ' – ')} `,
  ]) {
    const device = await begin()
    await fixture.browser.open('/o/device/')
    expect(await fixture.browser.type({ user_code: write(device.user_code) })).toMatchObject({
      status: 200,
      body: expect.stringContaining(device.user_code),
    })
  }
})

test('the CLI is a built-in public client with every scope but those of tokens', async () => {
  const cli = { ...client, id: 'earshot-cli', secret: undefined }
  const device = await begin(cli)
  await decide(device, 'allow')
  const { body } = await poll(device, cli)
  const { body: metadata } = await fixture.service.send('GET', '/.well-known/oauth-authorization-server')
  expect(body.scope.split(' ').sort()).toEqual(metadata.scopes_supported.sort())
  expect(body.scope).not.toContain('tokens')
  expect(metadata.scopes_supported).toHaveLength(28)
})
