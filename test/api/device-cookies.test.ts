import { parseSetCookie, type SetCookie } from 'cookie'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { lastToken } from '../support/mails.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const SESSION = '/api/auth/session/'
const NEW_PASSWORD = 'a horse of another colour'
const TRIES = 20
const TRIES_EVERYWHERE = 100
const ATTACKERS = 50
const LIMITED = { status: 429, body: { code: 'rate_limited' } }
const WRONG = { status: 401, body: { code: 'invalid_credentials' } }
const trustProxy = (_address: string, hop: number) => hop < 1

/** With the default limits. The caller sets the client’s address. */
let limited: TestService
beforeAll(async () => {
  limited = await startTestService({ rateLimitMultiplier: 1, trustProxy })
  await holdRateWindows(limited.address)
})
afterAll(() => limited.close())

test('tries that the limit of their address refused do not count against the account', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  for (let index = 0; index < TRIES; index += 1) expect(await tryFrom('203.0.113.1', email, 'wrong')).toMatchObject(WRONG)
  for (let index = TRIES; index < TRIES_EVERYWHERE - 1; index += 1) {
    expect(await tryFrom('203.0.113.1', email, 'wrong')).toMatchObject(LIMITED)
  }
  // Another way of writing the same address gets no further.
  expect(await tryFrom('::ffff:203.0.113.1', email, PASSWORD)).toMatchObject(LIMITED)
  expect(await tryFrom('203.0.113.2', email, PASSWORD)).toMatchObject({ status: 200 })
})

test('the right password is not counted, so signing in often locks nobody out', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  for (let index = 0; index < TRIES - 1; index += 1) await tryFrom('203.0.113.3', email, 'wrong')
  for (let index = 0; index <= TRIES; index += 1) expect(await tryFrom('203.0.113.3', email, PASSWORD)).toMatchObject({ status: 200 })
  expect(await tryFrom('203.0.113.3', email, 'wrong')).toMatchObject(WRONG)
  expect(await tryFrom('203.0.113.3', email, PASSWORD)).toMatchObject(LIMITED)
})

test('a try that finds the service too busy to check the password is not counted', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const answers = await Promise.all(Array.from({ length: TRIES_EVERYWHERE }, (_, index) => tryFrom(`233.252.0.${index}`, email, 'wrong')))
  const busy = answers.filter(({ status }) => status === 503)
  expect(busy.length).toBeGreaterThan(0)
  const [counted] = await limited.database.run<{ tries: number }>(
    "select sum(used)::int as tries from rate_windows where subject ~ '^sign_in:.*:233[.]252[.]0[.]'",
    [],
  )
  expect(counted?.tries).toBe(answers.length - busy.length)
})

test('fifty addresses lock an account for unknown browsers, not for one that has signed in to it', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const { email: otherEmail } = await makeUser(limited.database, PASSWORD)
  const cookie = deviceOf(await tryFrom('203.0.113.10', email, PASSWORD))
  const otherCookie = deviceOf(await tryFrom('203.0.113.11', otherEmail, PASSWORD))
  await lock(email)

  expect(await tryFrom('203.0.113.10', email, PASSWORD)).toMatchObject(LIMITED)
  expect(await tryFrom('203.0.113.10', email, PASSWORD, otherCookie)).toMatchObject(LIMITED)
  for (const forged of forgeriesOf(cookie, otherCookie)) {
    expect(await tryFrom('203.0.113.10', email, PASSWORD, forged), forged).toMatchObject(LIMITED)
  }
  // From anywhere, however the account's address is written.
  expect(await tryFrom('203.0.113.12', email.toUpperCase(), PASSWORD, cookie)).toMatchObject({ status: 200 })
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const page = await limited.send('POST', '/accounts/sign-in/', {
    headers: { ...form, cookie },
    body: String(new URLSearchParams({ email, password: PASSWORD })),
  })
  expect(page.status).toBe(303)
  // A program without cookies is unknown.
  expect(await limited.send('POST', '/api/auth/token/', { body: { email, password: PASSWORD } })).toMatchObject(LIMITED)
  expect(await tryFrom('203.0.113.10', otherEmail, PASSWORD)).toMatchObject({ status: 200 })
})

test('a stolen device cookie has a limit of its own, and locks out neither another browser nor unknown ones', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const stolen = deviceOf(await tryFrom('203.0.113.20', email, PASSWORD))
  const other = deviceOf(await tryFrom('203.0.113.21', email, PASSWORD))
  for (let index = 0; index < TRIES; index += 1) expect(await tryFrom(`198.51.100.${index}`, email, 'wrong', stolen)).toMatchObject(WRONG)
  expect(await tryFrom('198.51.100.100', email, PASSWORD, stolen)).toMatchObject(LIMITED)
  expect(await tryFrom('198.51.100.100', email, PASSWORD, other)).toMatchObject({ status: 200 })
  expect(await tryFrom('198.51.100.100', email, PASSWORD)).toMatchObject({ status: 200 })
})

test('a new password ends the device cookies of the old one, except in the browser that chose it', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const before = deviceOf(await tryFrom('203.0.113.30', email, PASSWORD))
  await lock(email)
  // The owner, in a browser that is unknown, gets in through the mail.
  const browser = openBrowser(limited)
  expect((await browser.signIn(email, PASSWORD)).status).toBe(429)
  await limited.send('POST', '/api/auth/password-reset/', { body: { email } })
  await browser.open(`/accounts/password-reset/?token=${await lastToken(limited, email)}`)
  expect((await browser.type({ password: NEW_PASSWORD })).status).toBe(200)
  expect((await browser.signIn(email, NEW_PASSWORD)).status).toBe(200)
  expect(await tryFrom('203.0.113.30', email, NEW_PASSWORD, before)).toMatchObject(LIMITED)

  await browser.open('/accounts/password/')
  expect((await browser.type({ password: NEW_PASSWORD, new_password: PASSWORD })).status).toBe(200)
  await browser.post('/accounts/sign-out/', {})
  expect((await browser.signIn(email, PASSWORD)).status).toBe(200)
})

test('a browser is known to each of the accounts that signed in there', async () => {
  const first = await makeUser(limited.database, PASSWORD)
  const second = await makeUser(limited.database, PASSWORD)
  const browser = openBrowser(limited)
  for (const { email } of [first, second]) {
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200)
    await browser.post('/accounts/sign-out/', {})
  }
  await lock(first.email)
  expect((await browser.signIn(first.email, PASSWORD)).status).toBe(200)
})

test('the device cookie is for this host alone, hidden from scripts and other sites, and names nobody', async () => {
  const { email } = await makeUser(limited.database, PASSWORD)
  const plain = parseSetCookie(setCookiesOf(await tryFrom('203.0.113.40', email, PASSWORD))[1] ?? '')
  expect(plain).toMatchObject({ name: 'earshot_device', path: '/', httpOnly: true, sameSite: 'strict' })
  expect(plain).not.toHaveProperty('domain')
  expect(plain.maxAge).toBe(180 * 86_400)

  const behindTls = await startTestService({ baseUrl: 'https://feedback.example' })
  const { id, email: owner } = await makeUser(behindTls.database, PASSWORD)
  const answer = await behindTls.send('POST', SESSION, { body: { email: owner, password: PASSWORD } })
  const secure: SetCookie = parseSetCookie(setCookiesOf(answer)[1] ?? '')
  expect(secure).toMatchObject({ name: '__Host-earshot_device', path: '/', httpOnly: true, sameSite: 'strict', secure: true })
  for (const what of [owner, id]) {
    expect(secure.value).not.toContain(what)
    expect(Buffer.from(secure.value ?? '', 'base64url').toString('latin1')).not.toContain(what)
  }
  await behindTls.close()
})

/** Uses up the tries that an account has for unknown browsers. */
async function lock(email: string): Promise<void> {
  const places = Array.from({ length: ATTACKERS }, (_, index) => `192.0.2.${index}`)
  for (const ip of places) {
    for (let index = 0; index < TRIES_EVERYWHERE / ATTACKERS; index += 1) expect(await tryFrom(ip, email, 'wrong')).toMatchObject(WRONG)
  }
}

function tryFrom(ip: string, email: string, password: string, cookie?: string): Promise<TestResponse> {
  const headers = { 'x-forwarded-for': ip, ...(cookie !== undefined && { cookie }) }
  return limited.send('POST', SESSION, { body: { email, password }, headers })
}

function setCookiesOf({ headers }: TestResponse): string[] {
  return headers.getSetCookie()
}

/** Returns the device cookie that a sign-in set. */
function deviceOf(answer: TestResponse): string {
  const cookie = setCookiesOf(answer).find((one) => one.startsWith('earshot_device='))
  return cookie?.split(';', 1)[0] ?? ''
}

function forgeriesOf(cookie: string, other: string): string[] {
  const [name = '', value = ''] = cookie.split('=')
  const [id = '', end = '', mac = ''] = value.split('.')
  const [otherId = '', , otherMac = ''] = other.slice(name.length + 1).split('.')
  return [
    `${name}=`,
    `${name}=${id}`,
    `${name}=${id}.${end}.`,
    `${name}=${otherId}.${end}.${mac}`,
    `${name}=${id}.${end}.${otherMac}`,
    // Longer than it was issued for.
    `${name}=${id}.${end}0.${mac}`,
  ]
}
