import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, setUpFactor } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import { templatesTo } from '../support/mails.ts'
import { givePassword, makeTeam, PASSWORD } from '../support/people.ts'
import { holdRateWindows } from '../support/rate-windows.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const WRONG = '000000'
const WRONG_RECOVERY_CODE = 'zzzzz-zzzzz'
const PER_DAY = 10
const WRONG_OTP = { status: 401, body: { code: 'invalid_credentials', errors: [{ field: 'otp', code: 'invalid_value' }] } }
const LIMITED = { status: 429, body: { code: 'rate_limited', detail: expect.stringContaining('recovery code') } }

/** With the default limits. The caller sets the client’s address. */
let limited: TestService
beforeAll(async () => {
  limited = await startTestService({ rateLimitMultiplier: 1, trustProxy: (_address, hop) => hop < 1 })
  await holdRateWindows(limited.address)
})
afterAll(() => limited.close())

test('wrong codes are counted once per person over every way to give one; a recovery code still works', async () => {
  const { team, email, secret, recoveryCodes } = await makePerson()
  const disable = (otp: string) => limited.send('POST', '/api/v1/me/mfa/disable/', { token: team.token, body: { password: PASSWORD, otp } })
  const browser = openBrowser(limited)
  await browser.signIn(email, PASSWORD)
  for (let index = 0; index < 3; index += 1) expect((await browser.type({ otp: WRONG })).status).toBe(401)
  for (const otp of [WRONG, '12345', 'no code', WRONG_RECOVERY_CODE]) expect(await signIn(email, otp), otp).toMatchObject(WRONG_OTP)
  for (const otp of [WRONG, WRONG_RECOVERY_CODE]) expect(await disable(otp)).toMatchObject(WRONG_OTP)
  // A right one is not counted.
  expect(await signIn(email, codeOf(secret, 1))).toMatchObject({ status: 200 })
  expect(await signIn(email, WRONG)).toMatchObject(WRONG_OTP)
  expect(await countOf(team.ownerId)).toBe(PER_DAY)

  const refused = await signIn(email, codeOf(secret, 1), '203.0.113.99')
  expect(refused).toMatchObject(LIMITED)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
  expect(await disable(codeOf(secret, 1))).toMatchObject(LIMITED)
  expect((await browser.type({ otp: codeOf(secret, 1) })).status).toBe(429)
  expect(await signIn(email, WRONG_RECOVERY_CODE)).toMatchObject(WRONG_OTP)
  expect(await signIn(email, recoveryCodes[0] ?? '')).toMatchObject({ status: 200 })
})

test('the codes that confirm an app are counted as well', async () => {
  const team = await makeTeam(limited.database)
  await givePassword(limited.database, team.ownerId)
  const { secret } = await limited.client(team.token).me.mfa.enroll({ password: PASSWORD })
  const confirm = (otp: string) => limited.send('POST', '/api/v1/me/mfa/confirm/', { token: team.token, body: { otp } })
  for (let index = 0; index < PER_DAY; index += 1) expect(await confirm(WRONG)).toMatchObject(WRONG_OTP)
  expect(await confirm(codeOf(secret))).toMatchObject(LIMITED)
})

test('of thirty wrong codes at once ten are checked', async () => {
  const { team, email } = await makePerson()
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => signIn(email, WRONG, `198.51.100.${index}`)))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(PER_DAY)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - PER_DAY)
  expect(await countOf(team.ownerId)).toBe(PER_DAY)
})

test('a sign-in step ends after five wrong codes: the password must be given again', async () => {
  const { email, secret } = await makePerson()
  const browser = openBrowser(limited)
  await browser.signIn(email, PASSWORD)
  const step = browser.tab()
  for (let index = 0; index < 4; index += 1) expect(titleOf(await browser.type({ otp: WRONG }))).toBe('Enter your code')
  const fifth = await browser.type({ otp: WRONG })
  expect([fifth.status, titleOf(fifth)]).toEqual([401, 'Sign in again'])
  expect(fifth.body).toContain('href="/accounts/sign-in/?next=%2Fapp%2F"')
  // The form of the step is of no more use, not even with the right code.
  const late = await step.type({ otp: codeOf(secret, 1) })
  expect([late.status, titleOf(late), late.headers.get('set-cookie')]).toEqual([401, 'Sign in again', null])
  await browser.signIn(email, PASSWORD)
  expect((await browser.type({ otp: codeOf(secret, 1) })).status).toBe(200)
})

test('who does not know the password uses up no codes', async () => {
  const { team, email } = await makePerson()
  const body = { email, password: 'a horse of another colour', otp: WRONG }
  for (let index = 0; index < PER_DAY; index += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${index}` }
    expect(await limited.send('POST', '/api/auth/session/', { body, headers })).toMatchObject({ status: 401 })
  }
  expect(await countOf(team.ownerId)).toBe(0)
})

test('the fifth wrong code within a day mails the owner, once a day', async () => {
  const { team, email, secret } = await makePerson()
  const mailsAfter = async (tries: number) => {
    for (let index = 0; index < tries; index += 1) await signIn(email, WRONG)
    return (await templatesTo(limited, email)).filter((template) => template === 'wrong-codes').length
  }
  expect(await mailsAfter(4)).toBe(0)
  // A right code in between hides nothing.
  expect(await signIn(email, codeOf(secret, 1))).toMatchObject({ status: 200 })
  expect(await mailsAfter(1)).toBe(1)
  expect(await mailsAfter(5)).toBe(1)
  await limited.database.run("update wrong_codes set id = uuidv7(interval '-1 day') where user_id = $1", [team.ownerId])
  await forgetStep(team.ownerId)
  expect(await signIn(email, codeOf(secret))).toMatchObject({ status: 200 })
  expect(await mailsAfter(4)).toBe(1)
  expect(await mailsAfter(1)).toBe(2)
})

async function makePerson() {
  const team = await makeTeam(limited.database)
  await givePassword(limited.database, team.ownerId)
  const { user } = await limited.client(team.token).me.retrieve()
  return { team, email: user.email, ...(await setUpFactor(limited, team.token)) }
}

function signIn(email: string, otp: string, ip = '203.0.113.1'): Promise<TestResponse> {
  return limited.send('POST', '/api/auth/session/', { body: { email, password: PASSWORD, otp }, headers: { 'x-forwarded-for': ip } })
}

async function countOf(userId: string): Promise<number> {
  return (await limited.database.run('select from wrong_codes where user_id = $1', [userId])).length
}

/** Lets the app's codes be used again that were used before. */
async function forgetStep(userId: string): Promise<void> {
  await limited.database.run('update second_factors set last_step = 0 where user_id = $1', [userId])
}

function titleOf({ body }: TestResponse): string | undefined {
  return String(body).match(/<h1>(.*)<\/h1>/)?.[1]
}
