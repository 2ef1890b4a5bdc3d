import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastToken } from '../support/mails.ts'
import { makeTokenOf, makeUser, PASSWORD } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const SESSION = '/api/auth/session/'
const TRIES = 20
const TRIES_EVERYWHERE = 100
/** Of the password of everybody, with less memory and fewer passes than today. */
const WEAK_HASH = '$argon2id$v=19$m=4096,t=1,p=1$0kW5LomVoruBWZ9oC03g9A$JIajD0R9mjYivgRavPhCK7f/AMlCBzKj5dkWb5a2OVM'
const LIMITED = { status: 429, body: { code: 'rate_limited' } }

let service: TestService
/** With the default limits. The caller sets the client’s address. */
let limited: TestService
beforeAll(async () => {
  service = await startTestService()
  limited = await startTestService({ rateLimitMultiplier: 1, trustProxy: (_address: string, hop: number) => hop < 1 })
  await holdRateWindows(limited.address)
})
afterAll(async () => {
  await service.close()
  await limited.close()
})

test('after twenty tries an address is locked out of an account for a while, and of an unknown one alike', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const limitedAt = async (address: string, ip: string) => {
    for (let index = 0; index < TRIES; index += 1) {
      expect(await tryFrom(ip, address, 'wrong')).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
    }
    // The right password too, and however the address is written.
    return tryFrom(ip, address.toUpperCase(), PASSWORD)
  }
  const known = await limitedAt(email, '203.0.113.1')
  const unknown = await limitedAt('nobody@example.com', '203.0.113.2')
  expect(known).toMatchObject(LIMITED)
  for (const { headers } of [known, unknown]) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900)
  }
  expect({ ...unknown.body, request_id: null }).toEqual({ ...known.body, request_id: null })
  // Its owner is elsewhere, and others are here.
  expect(await tryFrom('203.0.113.3', email, PASSWORD)).toMatchObject({ status: 200 })
  const { email: other } = await makeUser(limited.database, PASSWORD)
  expect(await tryFrom('203.0.113.1', other, PASSWORD)).toMatchObject({ status: 200 })
})

test('after a hundred tries in an hour from any addresses an account is locked for all', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const places = Array.from({ length: TRIES_EVERYWHERE / TRIES }, (_, index) => `198.51.100.${index}`)
  for (const ip of places) for (let index = 0; index < TRIES; index += 1) await tryFrom(ip, email, 'wrong')
  const answer = await tryFrom('198.51.100.200', email, PASSWORD)
  expect(answer).toMatchObject(LIMITED)
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
})

test('twenty wrong passwords also lock the confirmation of the caller’s own password, with idempotency keys too', async () => {
  const user = await makeUser(limited.database, PASSWORD)
  await limited.database.run(
    "insert into teams (name, slug, plan, nps_low_score_threshold, cors_origins, locale) values ('A', 'a', 'pro', 7, '{}', 'en')",
    [],
  )
  await limited.database.run("insert into memberships select id, $1, 'owner' from teams", [user.id])
  const token = await makeTokenOf(limited.database, user, ['write:profile'])
  const enroll = (password: string, headers: Record<string, string> = {}) =>
    limited.send('POST', '/api/v1/me/mfa/enroll/', { token, body: { password }, headers })
  for (let index = 0; index < TRIES; index += 1) {
    const refused = await enroll('wrong', { 'idempotency-key': `try-${index}` })
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_credentials', errors: [{ field: 'password' }] } })
  }
  const answer = await enroll(PASSWORD)
  expect(answer).toMatchObject(LIMITED)
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  // What else a token may is not closed by it.
  expect(await limited.send('GET', '/api/v1/me/', { token })).toMatchObject({ status: 200 })
})

test('under a burst of sign-ins some are told to retry, and none fails', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const answers = await Promise.all(Array.from({ length: 150 }, () => signIn(email, PASSWORD)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.length - refused.length).toBeGreaterThan(50)
  for (const { status, body, headers } of refused) {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'dependency_unavailable', '1'])
  }
})

test('a password hashed with other parameters is rehashed when it is used, and only the right one', async () => {
  const { id, email } = await makeUser(service.database, PASSWORD)
  await service.database.run('update users set password_hash = $2 where id = $1', [id, WEAK_HASH])
  const stored = async () =>
    (await service.database.run<{ hash: string }>('select password_hash as hash from users where id = $1', [id]))[0]?.hash
  await signIn(email, 'a horse of another colour')
  expect(await stored()).toBe(WEAK_HASH)
  expect(await signIn(email, PASSWORD)).toMatchObject({ status: 200 })
  expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await signIn(email, PASSWORD)).toMatchObject({ status: 200 })
})

test('a password that is too short, too long, common, or based on the own name is refused by the name of its field', async () => {
  const email = 'ada.lovelace@example.com'
  const signUp = (address: string) => service.send('POST', '/api/auth/signup/', { body: { email: address, name: 'Augusta King' } })
  const choose = async (password: string, address = email) => {
    const token = await lastToken(service, address)
    return service.send('POST', '/api/auth/verify-email/', { body: { token, password } })
  }
  await signUp(email)
  const refused: Record<string, string[]> = {
    invalid_value: ['short', 'x'.repeat(257), 'x'.repeat(1_000_000), `${'é'.repeat(11)}`, 'abcdefghijk\u0000', 'lone surrogate \ud800'],
    too_common: [
      'password1234',
      'Password1234!',
      'passwordpassword',
      'QWERTYUIOP123',
      'letmein!!!!!!',
      '123456789012',
      'aaaaaaaaaaaa',
      'abcabcabcabc',
    ],
    too_personal: [
      'adalovelace1',
      'Ada.Lovelace',
      'augusta king',
      'AugustaKing1843',
      'earshot earshot',
      'ada.lovelace@example.com',
      'Lovelace2026!',
    ],
  }
  for (const [code, passwords] of Object.entries(refused)) {
    for (const password of passwords) {
      const answer = await choose(password)
      const what = `${password.slice(0, 30)}: ${JSON.stringify(answer.body)}`
      expect(answer, what).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'password' }] } })
      if (code !== 'invalid_value') expect(answer.body.errors[0].code, what).toBe(code)
    }
  }
  expect(await choose('x'.repeat(1_100_000))).toMatchObject({ status: 413 })
  expect(await signIn(email, 'x'.repeat(1_000_000))).toMatchObject({ status: 400 })
  for (const [index, password] of ['unlikely words stay', 'Zürich im Mai 1957', '  blanks around  ', '🐎🔋📎 correct ones'].entries()) {
    const other = `other-${index}@example.com`
    await signUp(other)
    expect(await choose(password, other), password).toMatchObject({ status: 200 })
  }
})

function signIn(email: string, password: string): Promise<TestResponse> {
  return service.send('POST', SESSION, { body: { email, password } })
}

function tryFrom(ip: string, email: string, password: string): Promise<TestResponse> {
  return limited.send('POST', SESSION, { body: { email, password }, headers: { 'x-forwarded-for': ip } })
}
