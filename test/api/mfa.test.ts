import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, setUpFactor } from '../support/authenticator.ts'
import { stopClockWithin } from '../support/clock.ts'
import { LOG_IN, login, whoAmI } from '../support/logins.ts'
import { templatesTo } from '../support/mails.ts'
import { beginSession, givePassword, makeTeam, PASSWORD, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const SESSION = '/api/auth/session/'
const PASSWORD_PATH = '/api/v1/me/password/'
const NEW_PASSWORD = 'a horse of another colour'
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }
const WRONG_OTP = { status: 401, body: { code: 'invalid_credentials', errors: [{ field: 'otp', code: 'invalid_value' }] } }
const WRONG_PASSWORD = { status: 401, body: { code: 'invalid_credentials', errors: [{ field: 'password' }] } }

/** Of a code of an authenticator app. */
const STEP_MS = 30_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('with a second factor signing in needs the password and a code', async () => {
  const { team, email } = await makePerson()
  const { mfa } = service.client(team.token).me
  const { secret, otpauth_url } = await mfa.enroll({ password: PASSWORD })
  expect(otpauth_url).toBe(
    `otpauth://totp/Earshot:${encodeURIComponent(email)}?issuer=Earshot&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  )
  // Before it is confirmed it does not count.
  expect(await signIn(email)).toMatchObject({ status: 200, body: { mfa_enabled: false } })
  const { access } = await login(service, email)
  const { recovery_codes } = await mfa.confirm({ otp: codeOf(secret) })
  expect(new Set(recovery_codes).size).toBe(10)
  // A login by password alone is none that the account may have now.
  expect(await whoAmI(service, access)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  const refused = await service.send('POST', LOG_IN, { body: { email, password: PASSWORD } })
  expect(refused).toMatchObject({ status: 403, body: { code: 'mfa_enabled' } })

  const asked = await signIn(email)
  expect(asked).toMatchObject({ status: 401, body: { code: 'invalid_credentials', errors: [{ field: 'otp', code: 'required' }] } })
  expect(asked.headers.get('set-cookie')).toBe(null)
  expect(await signIn(email, { otp: '000000' })).toMatchObject(WRONG_OTP)
  expect(await signIn(email, { otp: codeOf(secret, 1) })).toMatchObject({ status: 200, body: { mfa_enabled: true } })
  expect(await templatesTo(service, email)).toEqual(['mfa-enabled'])
  expect(await auditOf(team)).toEqual(['mfa.enabled'])
})

test('a wrong password does not reveal the second factor and uses up no code', async () => {
  const { team, email } = await makePerson()
  const { secret } = await setUpFactor(service, team.token)
  const otp = codeOf(secret, 1)
  const wrong = await signIn(email, { password: NEW_PASSWORD, otp })
  const unknown = await signIn('nobody@example.com', { password: NEW_PASSWORD, otp })
  expect({ ...wrong.body, request_id: null }).toEqual({ ...unknown.body, request_id: null })
  expect(await signIn(email, { otp })).toMatchObject({ status: 200 })
})

test('a code works once: not after it confirmed the factor, and for one of twenty concurrent sign-ins', async () => {
  const { team, email } = await makePerson()
  using _clock = stopClockWithin(STEP_MS)
  const { secret } = await setUpFactor(service, team.token)
  expect(await signIn(email, { otp: codeOf(secret) })).toMatchObject(WRONG_OTP)
  const otp = codeOf(secret, 1)
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(email, { otp })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(WRONG_OTP)
  // Nor does one of before.
  expect(await signIn(email, { otp: codeOf(secret) })).toMatchObject(WRONG_OTP)
})

test('a clock may be 30 seconds off either way, but not a minute', async () => {
  const { team, email } = await makePerson()
  using _clock = stopClockWithin(STEP_MS)
  const { secret } = await setUpFactor(service, team.token)
  const forget = () => service.database.run('update second_factors set last_step = 0 where user_id = $1', [team.ownerId])
  for (const [steps, status] of [
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const) {
    await forget()
    expect(await signIn(email, { otp: codeOf(secret, steps) }), `${steps} steps off`).toMatchObject({ status })
  }
})

test('a recovery code signs in once, in any notation, and one of twenty at once', async () => {
  const { team, email } = await makePerson()
  const { recoveryCodes } = await setUpFactor(service, team.token)
  const [first = '', second = '', third = ''] = recoveryCodes
  expect(await signIn(email, { otp: first })).toMatchObject({ status: 200 })
  expect(await signIn(email, { otp: first })).toMatchObject(WRONG_OTP)
  expect(await signIn(email, { otp: ` ${second.replace('-', ' ').toUpperCase()} ` })).toMatchObject({ status: 200 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(email, { otp: third })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)

  const other = await makePerson()
  await setUpFactor(service, other.team.token)
  expect(await signIn(other.email, { otp: recoveryCodes[3] ?? '' })).toMatchObject(WRONG_OTP)
})

test('enrolling again replaces an unconfirmed secret, and is refused once one is active', async () => {
  const { team } = await makePerson()
  const post = (path: string, body: unknown) => service.send('POST', `/api/v1/me/mfa/${path}/`, { token: team.token, body })
  const conflict = (current_state: string) => ({ status: 409, body: { code: 'state_conflict', current_state } })
  expect(await post('confirm', { otp: '123456' })).toMatchObject(conflict('disabled'))
  expect(await post('disable', { password: PASSWORD, otp: '123456' })).toMatchObject(conflict('disabled'))
  expect(await post('enroll', { password: NEW_PASSWORD })).toMatchObject(WRONG_PASSWORD)

  const first = await post('enroll', { password: PASSWORD })
  const second = await post('enroll', { password: PASSWORD })
  expect(await post('confirm', { otp: codeOf(first.body.secret) })).toMatchObject(WRONG_OTP)
  expect(await post('confirm', { otp: 'abcde-fghjk' })).toMatchObject(WRONG_OTP)
  const answers = await Promise.all(await whileLocked(team.ownerId, 5, () => post('confirm', { otp: codeOf(second.body.secret) })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(conflict('enabled'))
  expect(await post('enroll', { password: PASSWORD })).toMatchObject(conflict('enabled'))
  const codes = await service.database.run('select from recovery_codes where user_id = $1', [team.ownerId])
  expect(codes).toHaveLength(10)
})

test('the second factor is turned off by password and code together, and leaves nothing behind', async () => {
  const { team, email } = await makePerson()
  const { secret, recoveryCodes } = await setUpFactor(service, team.token)
  const disable = (body: unknown) => service.send('POST', '/api/v1/me/mfa/disable/', { token: team.token, body })
  expect(await disable({ password: NEW_PASSWORD, otp: recoveryCodes[0] })).toMatchObject(WRONG_PASSWORD)
  expect(await disable({ password: PASSWORD, otp: '000000' })).toMatchObject(WRONG_OTP)
  expect(await disable({ password: PASSWORD })).toMatchObject({ status: 400, body: { errors: [{ field: 'otp', code: 'required' }] } })
  expect(await signIn(email)).toMatchObject({ status: 401 })
  expect(await disable({ password: PASSWORD, otp: codeOf(secret, 1) })).toMatchObject({ status: 204 })
  expect(await signIn(email)).toMatchObject({ status: 200, body: { mfa_enabled: false } })
  const rows = await service.database.run(
    'select user_id from recovery_codes where user_id = $1 union all select user_id from second_factors where user_id = $1',
    [team.ownerId],
  )
  expect(rows).toEqual([])
  expect(await templatesTo(service, email)).toEqual(['mfa-enabled', 'mfa-disabled'])
  expect(await auditOf(team)).toEqual(['mfa.disabled', 'mfa.enabled'])
})

test('a new password ends all other sessions; the caller’s session gets a new id, and tokens stay valid', async () => {
  const { team, email } = await makePerson()
  const cookie = cookieOf(await signIn(email))
  const other = cookieOf(await signIn(email))
  const { access } = await login(service, email)
  const before = await whoIs(cookie)
  const wrong = await change({ cookie }, { password: NEW_PASSWORD, new_password: NEW_PASSWORD })
  expect(wrong).toMatchObject(WRONG_PASSWORD)
  expect(wrong.headers.get('set-cookie')).toBe(null)
  const common = await change({ cookie }, { password: PASSWORD, new_password: 'password1234' })
  expect(common).toMatchObject({ status: 400, body: { errors: [{ field: 'new_password', code: 'too_common' }] } })

  const changed = await change({ cookie }, { password: PASSWORD, new_password: NEW_PASSWORD })
  expect(changed).toMatchObject({ status: 204 })
  const renewed = cookieOf(changed)
  expect(renewed).not.toBe(cookie)
  expect((await whoIs(renewed)).body.credential.id).toBe(before.body.credential.id)
  expect(await whoAmI(service, access)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  for (const dead of [cookie, other]) expect(await whoIs(dead)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  const live = await service.client(team.token).me.sessions.list()
  expect(live.results.map(({ id }) => id)).toEqual([before.body.credential.id])
  expect(await signIn(email)).toMatchObject({ status: 401 })
  expect(await signIn(email, { password: NEW_PASSWORD })).toMatchObject({ status: 200 })
  expect(await templatesTo(service, email)).toEqual(['password-changed'])
  expect(await auditOf(team)).toEqual(['password.changed'])
})

test('a token can change the password and ends every session; of two at once with the same password one succeeds', async () => {
  const { team, email } = await makePerson()
  await beginSession(service.database, team.ownerId)
  const answers = await Promise.all(
    [NEW_PASSWORD, `${NEW_PASSWORD} again`].map((new_password) =>
      service.send('POST', PASSWORD_PATH, { token: team.token, body: { password: PASSWORD, new_password } }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
  for (const { headers } of answers) expect(headers.get('set-cookie')).toBe(null)
  expect((await service.client(team.token).me.sessions.list()).results).toEqual([])
  expect(await templatesTo(service, email)).toEqual(['password-changed'])
})

test('signing in again in a browser ends its earlier session', async () => {
  const { email } = await makePerson()
  const planted = cookieOf(await signIn(email))
  const answer = await service.send('POST', SESSION, { body: { email, password: PASSWORD }, headers: { cookie: planted } })
  expect(cookieOf(answer)).not.toBe(planted)
  expect(await whoIs(planted)).toMatchObject({ status: 401 })
  expect(await whoIs(cookieOf(answer))).toMatchObject({ status: 200 })
})

/** An owner with the password of everybody; the token carries every scope. */
async function makePerson(): Promise<{ team: Team; email: string }> {
  const team = await makeTeam(service.database)
  await givePassword(service.database, team.ownerId)
  const { user } = await service.client(team.token).me.retrieve()
  return { team, email: user.email }
}

function signIn(email: string, fields: { password?: string; otp?: string } = {}) {
  return service.send('POST', SESSION, { body: { email, password: PASSWORD, ...fields } })
}

function change(headers: Record<string, string>, body: unknown) {
  return service.send('POST', PASSWORD_PATH, { headers: { ...OWN_PAGE, ...headers }, body })
}

function whoIs(cookie: string) {
  return service.send('GET', '/api/v1/me/', { headers: { cookie } })
}

function cookieOf({ headers }: { headers: Headers }): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

/** Returns the audit entries about the account’s locks, newest first. */
async function auditOf(team: Team): Promise<string[]> {
  const { results } = await service.client(team.token).teams.auditLog.list({ team_id: team.id })
  return results.map(({ action }) => action).filter((action) => /^(mfa|password)\./.test(action))
}

/** Asks several times at once, and lets all of them come as far as the user's row before one of them gets it. */
async function whileLocked<Result>(userId: string, count: number, ask: () => Promise<Result>): Promise<Promise<Result>[]> {
  return service.database.transaction(async (tx) => {
    await tx.run('select from users where id = $1 for update', [userId])
    const asked = Array.from({ length: count }, ask)
    await until('that many wait', async () => (await countWaiting()) >= count)
    return asked
  })
}

async function countWaiting(): Promise<number> {
  const waiting = 'select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())'
  return (await service.database.run(waiting, [])).length
}
