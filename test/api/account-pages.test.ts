import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, setUpFactor } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import { lastToken } from '../support/mails.ts'
import { givePassword, makeTeam, makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const SIGN_IN = '/accounts/sign-in/'
const NEW_PASSWORD = 'a horse of another colour'
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a person signs up, confirms the address and signs in, on pages without script', async () => {
  const browser = openBrowser(service)
  const email = 'ada@pages.example'
  expect(String((await browser.open(SIGN_IN)).body)).toContain('href="/accounts/sign-up/?next=%2Fapp%2F"')
  expect((await browser.open('/accounts/sign-up/')).body).not.toContain('type="password"')
  const nameless = await browser.type({ name: '', email })
  expect(nameless.status).toBe(400)
  expect(nameless.body).toContain(`value="${email}"`)
  const done = await browser.type({ name: 'Ada <i>', email })
  expect([done.status, titleOf(done)]).toEqual([200, 'Check your e-mail'])

  const link = `/accounts/verify-email/?token=${await lastToken(service, email)}`
  // A program that looks at mails follows the link; a person presses the button.
  await browser.open(link)
  await browser.open(link)
  const common = await browser.type({ password: 'password1234' })
  expect(common.status).toBe(400)
  expect(common.body).toContain('It is too common.')
  expect(common.body).not.toContain('password1234')
  expect(titleOf(await browser.type({ password: PASSWORD }))).toBe('Welcome to Earshot')
  await browser.open(link)
  expect((await browser.type({ password: NEW_PASSWORD })).status).toBe(401)
  await browser.signIn(email, PASSWORD)
  const home = await browser.open('/accounts/')
  expect([home.status, titleOf(home)]).toEqual([200, 'Ada &lt;i&gt;'])
  expect(home.body).toContain('You are not on a team yet.')
})

test('the sign-up page shows the same whether or not the address has an account', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  const pages: unknown[] = []
  for (const address of [email, 'nobody@pages.example']) {
    await browser.open('/accounts/sign-up/')
    const { status, body } = await browser.type({ name: 'Ada', email: address })
    pages.push([status, body.replace(address, '')])
  }
  expect(pages[1]).toEqual(pages[0])
})

test('a forgotten password is replaced through the link in the mail', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.open('/accounts/password-reset/')
  expect(titleOf(await browser.type({ email }))).toBe('Check your e-mail')
  const link = `/accounts/password-reset/?token=${await lastToken(service, email)}`
  await browser.open(link)
  expect((await browser.type({ password: 'short' })).status).toBe(400)
  expect(titleOf(await browser.type({ password: NEW_PASSWORD }))).toBe('Password changed')
  await browser.open(link)
  const dead = await browser.type({ password: NEW_PASSWORD })
  expect([dead.status, titleOf(dead)]).toEqual([401, 'This link does not work'])
  expect((await browser.signIn(email, NEW_PASSWORD)).status).toBe(200)
})

test('the page of a reset offers to delete tokens and revoke applications, and does so only if chosen', async () => {
  for (const isChosen of [false, true]) {
    const team = await makeTeam(service.database)
    await givePassword(service.database, team.ownerId)
    const { user } = await service.client(team.token).me.retrieve()
    const browser = openBrowser(service)
    await browser.open('/accounts/password-reset/')
    await browser.type({ email: user.email })
    await browser.open(`/accounts/password-reset/?token=${await lastToken(service, user.email)}`)
    expect(browser.page().body).toContain('Also delete my tokens and revoke my authorized applications')
    const chosen = isChosen ? { revoke_tokens: 'on' } : {}
    // A refused password keeps the choice.
    expect((await browser.type({ password: 'short', ...chosen })).status).toBe(400)
    expect(Object.hasOwn(browser.filled(), 'revoke_tokens')).toBe(isChosen)
    expect((await browser.type({ password: NEW_PASSWORD })).body.includes('Your tokens were deleted')).toBe(isChosen)
    expect((await service.send('GET', '/api/v1/me/', { token: team.token })).status).toBe(isChosen ? 401 : 200)
  }
})

test('with a second factor the password leads to the page for the code, and the code to the wanted page', async () => {
  const { email, secret, recoveryCodes } = await makePersonWithFactor()
  const browser = openBrowser(service)
  const page = await browser.signIn(email, PASSWORD, '/accounts/sessions/')
  expect([page.status, titleOf(page)]).toEqual([200, 'Enter your code'])
  expect(page.headers.get('set-cookie')).toBe(null)
  expect(page.body).not.toContain(PASSWORD)
  const wrong = await browser.type({ otp: '000000' })
  expect([wrong.status, titleOf(wrong)]).toEqual([401, 'Enter your code'])
  expect(titleOf(await browser.type({ otp: codeOf(secret, 1) }))).toBe('Sessions')

  const other = openBrowser(service)
  await other.signIn(email, PASSWORD)
  expect((await other.type({ otp: recoveryCodes[0] ?? '' })).status).toBe(200)
})

test('the first step is valid for five minutes, for its password, and only as it was sealed', async () => {
  const { email, id, secret } = await makePersonWithFactor()
  const otp = codeOf(secret, 1)
  const ask = async (first_step: string) => {
    const body = String(new URLSearchParams({ first_step, otp, next: '/accounts/' }))
    const { headers, status } = await service.send('POST', '/accounts/sign-in/code/', { headers: FORM, body })
    return [status, headers.get('location'), headers.get('set-cookie')]
  }
  const again = [303, '/accounts/sign-in/?next=%2Faccounts%2F', null]
  const seal = (first: object) => service.secretBox.seal('second-step', JSON.stringify(first)).toString('base64url')
  expect(await ask('')).toEqual(again)
  expect(await ask('forged')).toEqual(again)
  expect(await ask(service.secretBox.seal('mail', JSON.stringify({ userId: id })).toString('base64url'))).toEqual(again)
  expect(await ask(seal({ userId: id, fingerprint: 'of another password', endsAtMs: Date.now() + 60_000 }))).toEqual(again)

  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  const { first_step = '' } = browser.filled()
  const first = JSON.parse(service.secretBox.open('second-step', Buffer.from(first_step, 'base64url')))
  expect(first.endsAtMs - Date.now()).toBeLessThanOrEqual(300_000)
  expect(await ask(seal({ ...first, endsAtMs: Date.now() - 1 }))).toEqual(again)
  await service.database.run("update users set password_hash = 'another' where id = $1", [id])
  expect(await ask(first_step)).toEqual(again)
})

test('a person sets up a second factor by QR code or by typing, gets recovery codes, and turns it off', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  await browser.open('/accounts/second-factor/')
  expect((await browser.type({ password: NEW_PASSWORD })).body).toContain('It is incorrect.')
  const shown = await browser.type({ password: PASSWORD })
  const secret = shown.body.match(/<code>([A-Z2-7 ]+)<\/code>/)?.[1]?.replaceAll(' ', '') ?? ''
  expect(secret).toHaveLength(32)
  expect(decodeURIComponent(shown.body.match(/src="data:image\/svg\+xml,([^"]+)"/)?.[1] ?? '')).toMatch(/^<svg .*<\/svg>$/s)
  expect(shown.headers.get('content-security-policy')).toContain("img-src 'self' data:")
  const wrong = await browser.type({ otp: '000000' })
  expect(wrong.body.replace(/\s/g, '')).toContain(secret)
  const codes = await browser.type({ otp: codeOf(secret) })
  expect(codes.body.match(/<code>[0-9a-z]{5}-[0-9a-z]{5}<\/code>/g)).toHaveLength(10)

  expect((await browser.open('/accounts/')).body).toContain('· on')
  await browser.open('/accounts/second-factor/')
  expect((await browser.type({ password: PASSWORD, otp: codeOf(secret) })).body).toContain('It is invalid or was already used.')
  expect((await browser.type({ password: PASSWORD, otp: codeOf(secret, 1) })).body).toContain('Set up')
})

test('changing the password keeps the person signed in, with a new cookie', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  const before = browser.cookie()
  await browser.open('/accounts/password/')
  expect((await browser.type({ password: 'wrong', new_password: NEW_PASSWORD })).status).toBe(400)
  expect(titleOf(await browser.type({ password: PASSWORD, new_password: NEW_PASSWORD }))).toBe('Password changed')
  expect(browser.cookie()).not.toBe(before)
  expect((await browser.open('/accounts/')).status).toBe(200)
  expect((await service.send('GET', '/api/v1/me/', { headers: { cookie: before } })).status).toBe(401)
})

test('a person sees their sessions and ends them, and nobody else’s', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const [here, there, stranger] = [openBrowser(service), openBrowser(service), openBrowser(service)]
  await there.signIn(email, PASSWORD)
  await here.signIn(email, PASSWORD)
  await stranger.signIn((await makeUser(service.database, PASSWORD)).email, PASSWORD)
  const page = await here.open('/accounts/sessions/')
  expect(page.body.match(/End session/g)).toHaveLength(1)
  expect(page.body).toContain('This session')
  const { session_id = '' } = here.filled('End session')
  await stranger.open('/accounts/sessions/')
  expect((await stranger.post('/accounts/sessions/', { session_id })).status).toBe(404)
  expect((await here.post('/accounts/sessions/', { session_id: 'nothing' })).status).toBe(404)
  expect((await here.post('/accounts/sessions/', { session_id })).status).toBe(200)
  expect([titleOf(await there.open('/accounts/')), titleOf(await stranger.open('/accounts/sessions/'))]).toEqual(['Sign in', 'Sessions'])
})

test('thirty sessions are shown on pages, each once', async () => {
  const { id, email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  await service.database.run(
    `insert into credentials (user_id, kind, hash, scopes, expires_at)
     select $1, 'session', sha256(gen_random_uuid()::text::bytea), array[]::text[], now() + interval '1 day' from generate_series(1, 29)`,
    [id],
  )
  const seen: string[] = []
  let pages = 0
  for (let next: string | undefined = '/accounts/sessions/'; next !== undefined; pages += 1) {
    const { body }: TestResponse = await browser.open(next)
    seen.push(...[...body.matchAll(/name="session_id" value="([^"]+)"/g)].map(([, session = '']) => session))
    next = body.match(/<a href="([^"]+)" rel="next">Older<\/a>/)?.[1]
  }
  expect([seen.length, new Set(seen).size, pages]).toEqual([30, 30, 2])
})

test('an invited person signs up, returns by the link and joins the team; nobody else can, and nobody twice', async () => {
  const team = await makeTeam(service.database)
  const email = 'grace@pages.example'
  await service.client(team.token).invitations.create({ team_id: team.id, email, role: 'member' })
  const link = `/accounts/invitation/?token=${await lastToken(service, email)}`
  const browser = openBrowser(service)
  expect(titleOf(await browser.open(link))).toBe('Sign in')
  await browser.open('/accounts/sign-up/')
  await browser.type({ name: 'Grace', email })
  await browser.open(`/accounts/verify-email/?token=${await lastToken(service, email)}`)
  await browser.type({ password: PASSWORD })
  await browser.open(link)
  expect(titleOf(await browser.type({ email, password: PASSWORD }))).toBe('Join a team')

  const stranger = openBrowser(service)
  await stranger.signIn((await makeUser(service.database, PASSWORD)).email, PASSWORD)
  await stranger.open(link)
  const refused = await stranger.type({})
  expect([refused.status, titleOf(refused)]).toEqual([404, 'This invitation cannot be accepted'])

  expect(titleOf(await browser.type({}))).toBe('Welcome to Acme')
  expect((await browser.open('/accounts/')).body).toContain('<bdi>Acme</bdi> <span class="soft">· member')
  const { results } = await service.client(team.token).members.list({ team_id: team.id })
  expect(results.filter(({ user }) => user.email === email)).toHaveLength(1)
})

test('a signed-out person is led to sign in and back; a form from another site changes nothing', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  for (const path of ['/accounts/', '/accounts/password/', '/accounts/second-factor/', '/accounts/sessions/']) {
    expect(titleOf(await browser.open(path)), path).toBe('Sign in')
    expect(browser.filled().next).toBe(path)
  }
  await browser.signIn(email, PASSWORD)
  const foreign = { 'sec-fetch-site': 'cross-site' }
  for (const path of [
    '/accounts/sign-up/',
    '/accounts/verify-email/',
    '/accounts/password-reset/',
    '/accounts/password-reset/confirm/',
    '/accounts/sign-in/code/',
    '/accounts/password/',
    '/accounts/second-factor/enroll/',
    '/accounts/second-factor/confirm/',
    '/accounts/second-factor/disable/',
    '/accounts/sessions/',
    '/accounts/invitation/',
  ]) {
    const { status } = await service.send('POST', path, { headers: { ...FORM, ...foreign, cookie: browser.cookie() }, body: 'a=b' })
    expect(status, path).toBe(403)
  }
})

test('the cookie of an ended session leads to the sign-in page and is cleared', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  await service.database.run('delete from credentials where user_id = (select id from users where email = $1)', [email])
  const { status, headers } = await service.send('GET', '/accounts/', { headers: { cookie: browser.cookie() } })
  expect([status, headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Faccounts%2F'])
  expect(headers.get('set-cookie')).toContain('Max-Age=0')
})

test('with sign-up closed the pages offer no sign-up', async () => {
  const closed = await startTestService({ services: { isSignUpOpen: false } })
  expect((await closed.send('GET', SIGN_IN)).body).not.toContain('sign-up')
  expect((await closed.send('GET', '/accounts/sign-up/')).status).toBe(404)
  const body = String(new URLSearchParams({ name: 'Ada', email: 'ada@example.com', password: PASSWORD }))
  expect((await closed.send('POST', '/accounts/sign-up/', { headers: FORM, body })).status).toBe(404)
  await closed.close()
})

async function makePersonWithFactor() {
  const team = await makeTeam(service.database)
  await givePassword(service.database, team.ownerId)
  const { user } = await service.client(team.token).me.retrieve()
  return { id: user.id, email: user.email, ...(await setUpFactor(service, team.token)) }
}

function titleOf({ body }: TestResponse): string | undefined {
  return String(body).match(/<h1>(.*)<\/h1>/)?.[1]
}
