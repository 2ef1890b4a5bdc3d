import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, setUpFactor } from '../src/authenticator.ts'
import { earlyInWindow } from '../src/clock.ts'
import { lastToken } from '../src/mails.ts'
import { givePassword, makeTeam, makeUser, PASSWORD } from '../src/people.ts'
import { type Answer, startTestService, type TestService } from '../src/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const SIGN_IN = '/accounts/sign-in/'
const NEW_PASSWORD = 'a horse of another colour'
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a person signs up, confirms the address and signs in, on pages without script', async () => {
  const visit = openVisit()
  const email = 'ada@pages.example'
  expect(String((await visit.open(SIGN_IN)).body)).toContain('href="/accounts/sign-up/?next=%2Faccounts%2F"')
  await visit.open('/accounts/sign-up/')
  const common = await visit.submit({ name: 'Ada', email, password: 'password1234' })
  expect(common.status).toBe(400)
  expect(common.body).toContain('It is one that is tried first')
  expect(common.body).toContain(`value="${email}"`)
  expect(common.body).not.toContain('password1234')
  const done = await visit.submit({ name: 'Ada <i>', email, password: PASSWORD })
  expect([done.status, titleOf(done)]).toEqual([200, 'Look into your mailbox'])

  const early = await visit.signIn(email)
  expect([early.status, titleOf(early)]).toEqual([403, 'Look into your mailbox'])
  const link = `/accounts/verify-email/?token=${await lastToken(service, email)}`
  // A program that looks at mails follows the link; a person presses the button.
  await visit.open(link)
  await visit.open(link)
  expect(titleOf(await visit.submit({}))).toBe('Welcome to Earshot')
  await visit.open(link)
  expect((await visit.submit({})).status).toBe(401)
  const home = await visit.signIn(email)
  expect([home.status, titleOf(home)]).toEqual([200, 'Ada &lt;i&gt;'])
  expect(home.body).toContain('None yet.')
})

test('the page for signing up says the same whether or not the address has an account', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  const pages: unknown[] = []
  for (const address of [email, 'nobody@pages.example']) {
    await visit.open('/accounts/sign-up/')
    const { status, body } = await visit.submit({ name: 'Ada', email: address, password: PASSWORD })
    pages.push([status, body.replace(address, '')])
  }
  expect(pages[1]).toEqual(pages[0])
})

test('a person who has forgotten the password chooses another by the link in the mail', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  await visit.open('/accounts/password-reset/')
  expect(titleOf(await visit.submit({ email }))).toBe('Look into your mailbox')
  const link = `/accounts/password-reset/?token=${await lastToken(service, email)}`
  await visit.open(link)
  expect((await visit.submit({ password: 'short' })).status).toBe(400)
  expect(titleOf(await visit.submit({ password: NEW_PASSWORD }))).toBe('Your password is changed')
  await visit.open(link)
  const dead = await visit.submit({ password: NEW_PASSWORD })
  expect([dead.status, titleOf(dead)]).toEqual([401, 'This link does not work'])
  expect((await visit.signIn(email, NEW_PASSWORD)).status).toBe(200)
})

test('with a second factor the password leads to a page that asks for the code, and the code to where one wanted to be', async () => {
  const { email, secret, recoveryCodes } = await makePersonWithFactor()
  const visit = openVisit()
  const page = await visit.signIn(email, PASSWORD, '/accounts/sessions/')
  expect([page.status, titleOf(page)]).toEqual([200, 'Enter your code'])
  expect(page.headers.get('set-cookie')).toBe(null)
  expect(page.body).not.toContain(PASSWORD)
  const wrong = await visit.submit({ otp: '000000' })
  expect([wrong.status, titleOf(wrong)]).toEqual([401, 'Enter your code'])
  expect(titleOf(await visit.submit({ otp: codeOf(secret, 1) }))).toBe('Where you are signed in')

  const other = openVisit()
  await other.signIn(email)
  expect((await other.submit({ otp: recoveryCodes[0] ?? '' })).status).toBe(200)
})

test('the first step counts for five minutes, for its own password, and only as it was sealed', async () => {
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

  const visit = openVisit()
  await visit.signIn(email)
  const { first_step = '' } = visit.hidden()
  const first = JSON.parse(service.secretBox.open('second-step', Buffer.from(first_step, 'base64url')))
  expect(first.endsAtMs - Date.now()).toBeLessThanOrEqual(300_000)
  expect(await ask(seal({ ...first, endsAtMs: Date.now() - 1 }))).toEqual(again)
  await service.database.run("update users set password_hash = 'another' where id = $1", [id])
  expect(await ask(first_step)).toEqual(again)
})

test('codes are tried no more often on the page than elsewhere', { timeout: 40_000 }, async () => {
  await earlyInWindow(900_000, 10_000)
  const limited = await startTestService({ rateLimitMultiplier: 1 })
  const team = await makeTeam(limited.database)
  await givePassword(limited.database, team.ownerId)
  await setUpFactor(limited, team.token)
  const { user } = await limited.client(team.token).me.retrieve()
  const visit = openVisit(limited)
  await visit.signIn(user.email)
  const statuses: number[] = []
  // Setting it up were two tries.
  for (let index = 0; index < 19; index += 1) statuses.push((await visit.submit({ otp: '000000' }, { stay: true })).status)
  expect(statuses).toEqual([...Array.from({ length: 18 }, () => 401), 429])
  await limited.close()
})

test('a person sets up a second factor by a picture or by typing, keeps the codes, and turns it off', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  await visit.signIn(email)
  await visit.open('/accounts/second-factor/')
  expect((await visit.submit({ password: NEW_PASSWORD })).body).toContain('It is not your password.')
  const shown = await visit.submit({ password: PASSWORD })
  const secret = shown.body.match(/<code>([A-Z2-7 ]+)<\/code>/)?.[1]?.replaceAll(' ', '') ?? ''
  expect(secret).toHaveLength(32)
  expect(decodeURIComponent(shown.body.match(/src="data:image\/svg\+xml,([^"]+)"/)?.[1] ?? '')).toMatch(/^<svg .*<\/svg>$/s)
  expect(shown.headers.get('content-security-policy')).toContain('img-src data:')
  const wrong = await visit.submit({ otp: '000000' })
  expect(wrong.body.replace(/\s/g, '')).toContain(secret)
  const codes = await visit.submit({ otp: codeOf(secret) })
  expect(codes.body.match(/<code>[0-9a-z]{5}-[0-9a-z]{5}<\/code>/g)).toHaveLength(10)

  expect((await visit.open('/accounts/')).body).toContain('· on')
  await visit.open('/accounts/second-factor/')
  expect((await visit.submit({ password: PASSWORD, otp: codeOf(secret) })).body).toContain('It is not right, or was used before.')
  expect((await visit.submit({ password: PASSWORD, otp: codeOf(secret, 1) })).body).toContain('Set it up')
})

test('a person changes the password and stays signed in, under another cookie', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  await visit.signIn(email)
  const before = visit.cookie()
  await visit.open('/accounts/password/')
  expect((await visit.submit({ password: 'wrong', new_password: NEW_PASSWORD })).status).toBe(400)
  expect(titleOf(await visit.submit({ password: PASSWORD, new_password: NEW_PASSWORD }))).toBe('Your password is changed')
  expect(visit.cookie()).not.toBe(before)
  expect((await visit.open('/accounts/')).status).toBe(200)
  expect((await service.send('GET', '/api/v1/me/', { headers: { cookie: before } })).status).toBe(401)
})

test('a person sees where they are signed in, and signs out there; of others they end nothing', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const [here, there, stranger] = [openVisit(), openVisit(), openVisit()]
  await there.signIn(email)
  await here.signIn(email)
  await stranger.signIn((await makeUser(service.database, PASSWORD)).email)
  const page = await here.open('/accounts/sessions/')
  expect(page.body.match(/Sign out there/g)).toHaveLength(1)
  expect(page.body).toContain('this one')
  const { session_id = '' } = here.hidden()
  await stranger.open('/accounts/sessions/')
  expect((await stranger.post('/accounts/sessions/', { session_id })).status).toBe(404)
  expect((await here.post('/accounts/sessions/', { session_id: 'nothing' })).status).toBe(404)
  expect((await here.post('/accounts/sessions/', { session_id })).status).toBe(200)
  expect([titleOf(await there.open('/accounts/')), titleOf(await stranger.open('/accounts/sessions/'))]).toEqual([
    'Sign in',
    'Where you are signed in',
  ])
})

test('somebody who is invited signs up on the way, comes back by the link and joins the team; nobody else can, and nobody twice', async () => {
  const team = await makeTeam(service.database)
  const email = 'grace@pages.example'
  await service.client(team.token).invitations.create({ team_id: team.id, email, role: 'member' })
  const link = `/accounts/invitation/?token=${await lastToken(service, email)}`
  const visit = openVisit()
  expect(titleOf(await visit.open(link))).toBe('Sign in')
  await visit.open('/accounts/sign-up/')
  await visit.submit({ name: 'Grace', email, password: PASSWORD })
  await visit.open(`/accounts/verify-email/?token=${await lastToken(service, email)}`)
  await visit.submit({})
  await visit.open(link)
  expect(titleOf(await visit.submit({ email, password: PASSWORD }))).toBe('You are invited to a team')

  const stranger = openVisit()
  await stranger.signIn((await makeUser(service.database, PASSWORD)).email)
  await stranger.open(link)
  const refused = await stranger.submit({})
  expect([refused.status, titleOf(refused)]).toEqual([404, 'This invitation cannot be accepted'])

  expect(titleOf(await visit.submit({}))).toBe('Welcome to Acme')
  expect((await visit.open('/accounts/')).body).toContain('Acme <span class="soft">· member')
  const { results } = await service.client(team.token).members.list({ team_id: team.id })
  expect(results.filter(({ user }) => user.email === email)).toHaveLength(1)
})

test('whoever is not signed in is led to sign in and back; a form from another site changes nothing', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  for (const path of ['/accounts/', '/accounts/password/', '/accounts/second-factor/', '/accounts/sessions/']) {
    expect(titleOf(await visit.open(path)), path).toBe('Sign in')
    expect(visit.hidden().next).toBe(path)
  }
  await visit.signIn(email)
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
    const { status } = await service.send('POST', path, { headers: { ...FORM, ...foreign, cookie: visit.cookie() }, body: 'a=b' })
    expect(status, path).toBe(403)
  }
})

test('a cookie of a session that is gone leads to the page for signing in, and is taken away', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const visit = openVisit()
  await visit.signIn(email)
  await service.database.run('delete from credentials where user_id = (select id from users where email = $1)', [email])
  const { status, headers } = await service.send('GET', '/accounts/', { headers: { cookie: visit.cookie() } })
  expect([status, headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Faccounts%2F'])
  expect(headers.get('set-cookie')).toContain('Max-Age=0')
})

test('a service that is closed to newcomers shows no way to sign up', async () => {
  const closed = await startTestService({ services: { isSignUpOpen: false } })
  expect((await closed.send('GET', SIGN_IN)).body).not.toContain('sign-up')
  expect((await closed.send('GET', '/accounts/sign-up/')).status).toBe(404)
  const body = String(new URLSearchParams({ name: 'Ada', email: 'ada@example.com', password: PASSWORD }))
  expect((await closed.send('POST', '/accounts/sign-up/', { headers: FORM, body })).status).toBe(404)
  await closed.close()
})

/** A person at a browser, whose cookie and page are kept; redirects are followed. */
function openVisit(at: TestService = service) {
  const state: { cookie: string; page: Answer | null } = { cookie: '', page: null }
  const request = async (method: string, path: string, body?: string): Promise<Answer> => {
    const headers = { ...(state.cookie !== '' && { cookie: state.cookie }), ...(body !== undefined && FORM) }
    const answer = await at.send(method, path, { headers, ...(body !== undefined && { body }) })
    const [cookie] = answer.headers.getSetCookie()
    if (cookie) state.cookie = cookie.includes('Max-Age=0') ? '' : (cookie.split(';', 1)[0] ?? '')
    const location = answer.headers.get('location')
    if (location) return request('GET', location)
    state.page = answer
    return answer
  }
  const mainOf = () => String(state.page?.body).replace(/^.*<main>/s, '')
  const hidden = () =>
    Object.fromEntries([...mainOf().matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  const post = (path: string, fields: Record<string, string>) => request('POST', path, String(new URLSearchParams(fields)))
  /** Sends the first form of the page that is open. */
  const submit = async (fields: Record<string, string>, { stay = false } = {}) => {
    const page = state.page
    const answer = await post(mainOf().match(/<form method="post" action="([^"]+)"/)?.[1] ?? '', { ...hidden(), ...fields })
    if (stay) state.page = page
    return answer
  }
  return {
    ...{ post, submit, hidden },
    open: (path: string) => request('GET', path),
    cookie: () => state.cookie,
    signIn: async (email: string, password = PASSWORD, next = '/accounts/') => {
      await request('GET', `${SIGN_IN}?${new URLSearchParams({ next })}`)
      return submit({ email, password })
    },
  }
}

async function makePersonWithFactor() {
  const team = await makeTeam(service.database)
  await givePassword(service.database, team.ownerId)
  const { user } = await service.client(team.token).me.retrieve()
  return { id: user.id, email: user.email, ...(await setUpFactor(service, team.token)) }
}

function titleOf({ body }: Answer): string | undefined {
  return String(body).match(/<h1>(.*)<\/h1>/)?.[1]
}
