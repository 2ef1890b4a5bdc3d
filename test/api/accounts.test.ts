import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowClient } from '../support/credentials.ts'
import { login, whoAmI } from '../support/logins.ts'
import { lastToken, readMails, templatesTo } from '../support/mails.ts'
import { beginSession, givePassword, makeTeam, makeTokenOf, makeUser, PASSWORD } from '../support/people.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const OTHER_PASSWORD = 'a horse of another colour'
const SIGN_UP = '/api/auth/signup/'
const SESSION = '/api/auth/session/'
const VERIFY = '/api/auth/verify-email/'
const RESET = '/api/auth/password-reset/'
const CONFIRM = '/api/auth/password-reset/confirm/'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await holdRateWindows(service.address)
})
afterAll(() => service.close())

test('a person signs up, confirms the address by the link in the mail with a password, and signs in to an account without a team', async () => {
  const email = newAddress()
  expect(await signUp({ email })).toMatchObject({ status: 202 })
  const token = await lastToken(service, email)
  const unchosen = await post(VERIFY, { token })
  expect(unchosen).toMatchObject({ status: 400, body: { errors: [{ field: 'password', code: 'required' }] } })
  const common = await post(VERIFY, { token, password: 'password1234' })
  expect(common).toMatchObject({ status: 400, body: { errors: [{ field: 'password', code: 'too_common' }] } })
  expect(await post(VERIFY, { token, password: PASSWORD })).toMatchObject({ status: 200, body: { email_verified: true } })
  const signedIn = await signIn(email)
  expect(signedIn).toMatchObject({ status: 200, body: { email, email_verified: true, name: 'Ada' } })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  expect(await service.send('GET', '/api/v1/me/', { headers: { cookie } })).toMatchObject({ status: 200, body: { teams: [] } })
})

test('a password that comes with a sign-up opens nothing, neither before nor after the owner of the address confirms it', async () => {
  const email = newAddress()
  expect(await signUp({ email, password: OTHER_PASSWORD, name: 'Mallory' })).toMatchObject({ status: 202 })
  expect(await signIn(email, OTHER_PASSWORD)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  expect(await service.database.run('select from users where email = $1 and password_hash is null', [email])).toHaveLength(1)
  expect(await post(VERIFY, { token: await lastToken(service, email), password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await signIn(email, OTHER_PASSWORD)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  expect(await signIn(email)).toMatchObject({ status: 200 })
})

test('a link works once, unless it is expired, unknown or replaced by a newer one', async () => {
  const email = newAddress()
  const verify = (token: string) => post(VERIFY, { token, password: PASSWORD })
  await signUp({ email })
  const token = await lastToken(service, email)
  await age(email, '24 hours')
  expect(await verify(token)).toMatchObject({ status: 401, body: { code: 'token_expired' } })

  await nextMinute()
  await signUp({ email })
  const newer = await lastToken(service, email)
  expect(newer).not.toBe(token)
  expect(await verify(token)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  // A link for one purpose is none for another.
  expect(await post(CONFIRM, { token: newer, password: OTHER_PASSWORD })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(await verify(newer)).toMatchObject({ status: 200 })
  expect(await verify(newer)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(await verify('0'.repeat(64))).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('an account with an unconfirmed address cannot sign in, even with a password', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  await service.database.run('update users set email_verified_at = null where email = $1', [email])
  expect(await signIn(email, OTHER_PASSWORD)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  const refused = await signIn(email)
  expect(refused).toMatchObject({ status: 403, body: { code: 'email_not_verified' } })
  expect(refused.headers.get('set-cookie')).toBe(null)
  await post(RESET, { email })
  expect(await post(CONFIRM, { token: await lastToken(service, email), password: OTHER_PASSWORD })).toMatchObject({ status: 204 })
  expect(await signIn(email, OTHER_PASSWORD)).toMatchObject({ status: 200 })
})

test('signing up with a taken address gets the same response, changes nothing, and notifies its owner', async () => {
  const { email, name } = await makeUser(service.database, PASSWORD)
  const fresh = await signUp({ email: newAddress() })
  const taken = await signUp({ email: email.toUpperCase(), password: OTHER_PASSWORD, name: 'Mallory' })
  expect([taken.status, taken.body]).toEqual([fresh.status, fresh.body])
  const [mail] = await readMails(service, email)
  expect(mail).toMatchObject({ template: 'sign-up-again', text: expect.stringContaining(name) })
  expect(mail?.text).not.toContain('Mallory')
  expect(await signIn(email, OTHER_PASSWORD)).toMatchObject({ status: 401 })
  expect(await signIn(email)).toMatchObject({ status: 200, body: { name } })

  await signUp({ email })
  expect(await readMails(service, email)).toHaveLength(1)
})

test('a second sign-up of an unconfirmed address sends another link, at most one a minute, and the first works no more', async () => {
  const email = newAddress()
  await signUp({ email, name: 'Mallory' })
  const first = await lastToken(service, email)
  // Within the same minute nothing changes: the first link is the only one.
  await signUp({ email })
  expect(await templatesTo(service, email)).toEqual(['verify-email'])

  await nextMinute()
  await signUp({ email })
  expect(await templatesTo(service, email)).toEqual(['verify-email', 'verify-email'])
  expect(await post(VERIFY, { token: first, password: PASSWORD })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(await post(VERIFY, { token: await lastToken(service, email), password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await signIn(email)).toMatchObject({ status: 200, body: { email_verified: true, name: 'Ada' } })
})

test('of twenty concurrent confirmations with one link one chooses the password', async () => {
  const email = newAddress()
  await signUp({ email })
  const token = await lastToken(service, email)
  const passwords = Array.from({ length: 20 }, (_, index) => `${OTHER_PASSWORD} ${index}`)
  const answers = await Promise.all(passwords.map((password) => post(VERIFY, { token, password })))
  const chosen = passwords.filter((_, index) => answers[index]?.status === 200)
  expect(chosen).toHaveLength(1)
  expect(await signIn(email, chosen[0])).toMatchObject({ status: 200 })
})

test('twenty concurrent sign-ups of one address create one account and send one mail', async () => {
  const email = newAddress()
  const answers = await Promise.all(Array.from({ length: 20 }, () => signUp({ email })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(await templatesTo(service, email)).toEqual(['verify-email'])
  expect(await post(VERIFY, { token: await lastToken(service, email), password: PASSWORD })).toMatchObject({ status: 200 })
})

test('a password reset ends all sessions, confirms the address, and keeps tokens', async () => {
  const team = await makeTeam(service.database)
  const user = await team.join('member')
  const token = await makeTokenOf(service.database, user, ['read:profile'])
  await givePassword(service.database, user.id)
  const { access } = await login(service, user.email)
  await beginSession(service.database, user.id)
  await service.database.run('update users set email_verified_at = null where id = $1', [user.id])

  expect(await post(RESET, { email: user.email })).toMatchObject({ status: 202 })
  const link = await lastToken(service, user.email)
  expect(await post(CONFIRM, { token: link, password: OTHER_PASSWORD })).toMatchObject({ status: 204 })
  expect(await liveKinds(user.id)).toEqual(['pat'])
  expect(await whoAmI(service, access)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect(await service.send('GET', '/api/v1/me/', { token })).toMatchObject({ status: 200, body: { user: { email_verified: true } } })
  expect(await signIn(user.email, OTHER_PASSWORD)).toMatchObject({ status: 200 })
  expect(await templatesTo(service, user.email)).toEqual(['password-reset', 'password-changed'])
  const log = await service.client(team.token).teams.auditLog.list({ team_id: team.id, action: 'password.reset' })
  expect(log.results).toMatchObject([{ actor: { id: user.id }, credential: null, ip: '127.0.0.1', changes: {} }])
})

test('a password reset deletes tokens and revokes applications too, where the person asks for it', async () => {
  const team = await makeTeam(service.database)
  const user = await team.join('member')
  await givePassword(service.database, user.id)
  const token = await makeTokenOf(service.database, user, ['read:profile', 'read:tokens', 'write:tokens'])
  const child = await service.client(token).me.tokens.create({ name: 'Child', scopes: ['read:profile'] })
  await allowClient(service.database, user.id)
  await beginSession(service.database, user.id)
  const bystander = await team.tokenOf('member', ['read:profile'])

  await post(RESET, { email: user.email })
  const link = await lastToken(service, user.email)
  const wrong = await post(CONFIRM, { token: link, password: OTHER_PASSWORD, revoke_tokens: 'yes' })
  expect(wrong).toMatchObject({ status: 400, body: { errors: [{ field: 'revoke_tokens' }] } })
  expect(await post(CONFIRM, { token: link, password: OTHER_PASSWORD, revoke_tokens: true })).toMatchObject({ status: 204 })
  expect(await liveKinds(user.id)).toEqual([])
  for (const dead of [token, child.token]) expect(await service.send('GET', '/api/v1/me/', { token: dead })).toMatchObject({ status: 401 })
  expect(await service.send('GET', '/api/v1/me/', { token: bystander })).toMatchObject({ status: 200 })
  const log = await service.client(team.token).teams.auditLog.list({ team_id: team.id })
  const actions = log.results.filter(({ actor }) => actor?.id === user.id).map(({ action }) => action)
  expect(actions.filter((action) => /deleted|reset/.test(action)).sort()).toEqual([
    'authorization.deleted',
    'password.reset',
    'token.deleted',
    'token.deleted',
  ])
})

test('of twenty concurrent resets with one link one succeeds', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  await post(RESET, { email })
  const token = await lastToken(service, email)
  const passwords = Array.from({ length: 20 }, (_, index) => `${OTHER_PASSWORD} ${index}`)
  const answers = await Promise.all(passwords.map((password) => post(CONFIRM, { token, password })))
  const chosen = passwords.filter((_, index) => answers[index]?.status === 204)
  expect(chosen).toHaveLength(1)
  expect(answers.filter(({ status, body }) => status === 401 && body.code === 'invalid_token')).toHaveLength(19)
  expect(await signIn(email, chosen[0])).toMatchObject({ status: 200 })
})

test('a reset request gets the same response without an account, and sends mail only to accounts, at most once a minute', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const unknown = newAddress()
  const answers = [await post(RESET, { email }), await post(RESET, { email }), await post(RESET, { email: unknown })]
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(await readMails(service, unknown)).toEqual([])
  const token = await lastToken(service, email)
  expect(await templatesTo(service, email)).toEqual(['password-reset'])

  await age(email, '1 hour')
  expect(await post(CONFIRM, { token, password: OTHER_PASSWORD })).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  expect(await signIn(email)).toMatchObject({ status: 200 })
})

test('an account that the operator disabled gets no mails, and its links do not work', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  await post(RESET, { email })
  const token = await lastToken(service, email)
  await service.database.run('update users set disabled_at = now() where email = $1', [email])
  await nextMinute()
  expect(await post(RESET, { email })).toMatchObject({ status: 202 })
  expect(await signUp({ email })).toMatchObject({ status: 202 })
  expect(await templatesTo(service, email)).toEqual(['password-reset'])
  expect(await post(CONFIRM, { token, password: OTHER_PASSWORD })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('with sign-up closed there is no sign-up operation', async () => {
  const closed = await startTestService({ services: { isSignUpOpen: false } })
  const body = { email: newAddress(), password: PASSWORD, name: 'Ada' }
  expect(await closed.send('POST', SIGN_UP, { body })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await closed.database.run('select from users', [])).toEqual([])
  await closed.close()
})

test('addresses with capitals, plus signs and punycode are one account each in any notation; invalid ones are refused by name', async () => {
  for (const email of [
    'Ada.Lovelace@Example.COM',
    'ada+lists@example.com',
    'ada@xn--bcher-kva.example',
    'ada@xn--e1afmkfd.xn--p1ai',
    `${'a'.repeat(64)}@example.com`,
  ]) {
    expect(await signUp({ email }), email).toMatchObject({ status: 202 })
    await post(VERIFY, { token: await lastToken(service, email), password: PASSWORD })
    expect(await signIn(email.toLowerCase()), email).toMatchObject({ status: 200, body: { email } })
  }
  for (const email of [
    'ada',
    'ada@',
    'ada@example',
    'ada@bücher.example',
    `${'a'.repeat(65)}@example.com`,
    `${'a.'.repeat(32)}a@example.com`,
    `ada@${'example.'.repeat(31)}example`,
    `ada@${'a'.repeat(64)}.example`,
    'ada@-a.example',
    'a b@example.com',
  ]) {
    const refused = { status: 400, body: { code: 'validation_error', errors: [{ field: 'email' }] } }
    for (const path of [SIGN_UP, RESET, SESSION]) {
      const body = { email, ...(path !== RESET && { password: PASSWORD }), ...(path === SIGN_UP && { name: 'Ada' }) }
      expect(await post(path, body), `${path} ${email}`).toMatchObject(refused)
    }
  }
})

function post(path: string, body: unknown) {
  return service.send('POST', path, { body })
}

function signUp(fields: { email: string; password?: string; name?: string }) {
  return post(SIGN_UP, { name: 'Ada', ...fields })
}

function signIn(email: string, password = PASSWORD) {
  return post(SESSION, { email, password })
}

let addresses = 0
function newAddress(): string {
  addresses += 1
  return `new-${addresses}@example.com`
}

/** Lets time pass for the links of an address. */
async function age(email: string, interval: string): Promise<void> {
  await service.database.run(
    'update account_links set expires_at = expires_at - $2::interval where user_id = (select id from users where email = $1)',
    [email, interval],
  )
}

/** Lets the clock's minute pass in which no further mail goes. */
async function nextMinute(): Promise<void> {
  await nextRateWindow(service.database, 'account_mail:')
}

async function liveKinds(userId: string): Promise<string[]> {
  const rows = await service.database.run<{ kind: string }>(
    'select kind from credentials where user_id = $1 and revoked_at is null order by kind',
    [userId],
  )
  return rows.map(({ kind }) => kind)
}
