import { type Scope, scopeDescriptions, scopes } from '@earshot/contracts'
import { createTokenFor } from '@earshot/db'
import { makeToken } from '@earshot/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeTeam, makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const PAGE = '/accounts/tokens/'
const DELETE = `${PAGE}delete/`
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const TOKEN = /svc_[0-9A-Za-z]{46}/
const DAY_MS = 86_400_000
/** A form of the page, by what it shows. */
const NEW = 'Create token'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a token created on the page works at once, and stops at once when it is deleted', async () => {
  const { browser, email } = await signIn()
  const home = await browser.open('/accounts/')
  expect(home.body).toContain(`href="${PAGE}"`)
  await browser.open(PAGE)
  const made = await browser.type({ name: 'CI', 'scope:read:teams': 'on', 'scope:read:profile': 'on', lifetime: '30' }, NEW)
  const token = tokenIn(made)
  const me = await service.send('GET', '/api/v1/me/', { token })
  expect(me).toMatchObject({ status: 200, body: { user: { email }, credential: { kind: 'pat', scopes: ['read:teams', 'read:profile'] } } })
  expect(Date.parse(me.body.credential.expires_at) - Date.now() - 30 * DAY_MS).toBeLessThanOrEqual(0)
  expect(Date.parse(me.body.credential.expires_at) - Date.now() - 30 * DAY_MS).toBeGreaterThan(-60_000)

  const list = await browser.open(PAGE)
  expect(list.body).toContain(`<code>svc_…${token.slice(-4)}</code>`)
  expect(list.body).toContain(`expires ${me.body.credential.expires_at.slice(0, 10)} · last used ${new Date().toISOString().slice(0, 10)}`)
  expect(list.body).toContain('2 scopes</summary>')
  expect(list.body).toContain(`<li>${scopeDescriptions['read:teams']} <small>`)
  const after = await browser.type({}, 'CI')
  expect([after.status, after.body.includes('>CI<')]).toEqual([200, false])
  expect(await service.send('GET', '/api/v1/me/', { token })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('the token is on the response to the form and nowhere else: in no address, cookie, cache or later page', async () => {
  const { browser } = await signIn()
  const send = (path: string, body?: string) => {
    const headers = { cookie: browser.cookie(), ...(body !== undefined && FORM) }
    return service.send(body === undefined ? 'GET' : 'POST', path, { headers, ...(body !== undefined && { body }) })
  }
  const made = await send(PAGE, 'name=CI&scope%3Aread%3Ateams=on&lifetime=never')
  const token = tokenIn(made)
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(JSON.stringify([...made.headers])).not.toContain(token)
  expect(made.body.match(new RegExp(token, 'g'))).toHaveLength(1)
  expect(made.body).toContain('You will not be able to see it again')
  for (const path of [PAGE, '/accounts/', PAGE]) {
    const later = await send(path)
    expect(later.status).toBe(200)
    expect(JSON.stringify([later.body, ...later.headers])).not.toContain(token)
  }
  expect((await send(PAGE)).body).toContain('never expires · never used')
  // That neither log nor database has it is asked of every test service when it is closed.
})

test('a form creates one token: reloading or resending it creates no other and shows no value again', async () => {
  const { browser } = await signIn()
  await browser.open(PAGE)
  const typed = { name: 'Once', 'scope:read:teams': 'on', lifetime: 'never' }
  const tabs = Array.from({ length: 5 }, () => browser.tab())
  const answers = await Promise.all(tabs.map((tab) => tab.type(typed, NEW)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  expect(answers.filter(({ body }) => TOKEN.test(body))).toHaveLength(1)
  const again = await browser.type(typed, NEW)
  expect([again.status, TOKEN.test(again.body), again.body.includes('Token already created')]).toEqual([409, false, true])
  expect(await tokenCount(browser.cookie())).toBe(1)
  await browser.open(PAGE)
  expect(TOKEN.test((await browser.type(typed, NEW)).body)).toBe(true)
})

test('tokens created and deleted on the page are in the audit log as from the API, with their actor', async () => {
  const { browser, id, team } = await signIn()
  await browser.open(PAGE)
  await browser.type({ name: 'Audited', 'scope:read:teams': 'on', lifetime: 'never' }, NEW)
  await browser.open(PAGE)
  await browser.type({}, 'Audited')
  const lines = await service.database.run(
    `select action, actor_user_id = $2 as is_own, changes from audit_entries where team_id = $1 and action like 'token.%' and credential_kind = 'session' order by id`,
    [team.id, id],
  )
  expect(lines).toEqual([
    {
      action: 'token.created',
      is_own: true,
      changes: { name: { from: null, to: 'Audited' }, scopes: { from: null, to: ['read:teams'] } },
    },
    { action: 'token.deleted', is_own: true, changes: {} },
  ])
})

test('form errors are shown beside the field, and the entered values stay', async () => {
  const { browser } = await signIn()
  await browser.open(PAGE)
  const bare = await browser.type({ name: 'A "quoted" <b>name</b>', lifetime: '365' }, NEW)
  expect(bare.status).toBe(400)
  expect(bare.body).toContain('Choose at least one scope.')
  expect(bare.body).toContain('value="A &quot;quoted&quot; &lt;b&gt;name&lt;/b&gt;"')
  expect(bare.body).toContain('<option value="365" selected>')
  const nameless = await browser.type({ name: '', 'scope:write:projects': 'on' }, NEW)
  expect([nameless.status, nameless.body.includes('Choose at least one')]).toEqual([400, false])
  expect(nameless.body).toMatch(/name="name"[^>]* aria-invalid="true"[\s\S]*?class="bad">It must be 1 to 200 characters long/)
  expect(nameless.body).toContain('name="scope:write:projects" checked')
  expect(nameless.body).not.toContain('name="scope:read:projects" checked')
  for (const lifetime of ['', '31', '2020-01-01T00:00:00Z', 'constructor']) {
    const endless = await browser.type({ name: 'CI', lifetime }, NEW)
    expect([lifetime, endless.status, endless.body.includes('Choose an expiration.')]).toEqual([lifetime, 400, true])
  }
  const unknown = await browser.type({ name: 'CI', lifetime: '30', 'scope:read:everything': 'on' }, NEW)
  expect([unknown.status, unknown.body.includes('Choose at least one scope.')]).toEqual([400, true])
  expect(await tokenCount(browser.cookie())).toBe(0)
  const corrected = await browser.type({}, NEW)
  expect(TOKEN.test(corrected.body)).toBe(true)
})

test('each scope is offered once, described, under a heading', async () => {
  const { browser } = await signIn()
  const { body } = await browser.open(PAGE)
  for (const scope of scopes) {
    expect(body.split(`name="scope:${scope}"`), scope).toHaveLength(2)
    expect(body).toContain(`<span>${scopeDescriptions[scope].replaceAll("'", '&#39;')} <small><code>${scope}</code>`)
  }
  const groups = String(body).match(/<fieldset>.*?<\/fieldset>/gs) ?? []
  expect(groups.length).toBeGreaterThan(3)
  expect(groups.join('').match(/type="checkbox"/g)).toHaveLength(scopes.length)
})

test('a hundred tokens with twenty scopes each are shown on pages, each once', async () => {
  const { browser, user } = await signIn()
  const names = Array.from({ length: 100 }, (_, index) => `Token <${index}>`)
  for (const name of names) await addToken(user, name, scopes.slice(0, 20))
  const seen: string[] = []
  let next: string | undefined = PAGE
  let pages = 0
  while (next !== undefined) {
    const { status, body }: TestResponse = await browser.open(next)
    expect(status).toBe(200)
    seen.push(...[...String(body).matchAll(/<strong>(Token [^<]*)<\/strong>/g)].map(([, name = '']) => name))
    expect(body).toContain('20 scopes')
    next = String(body).match(/<a href="([^"]+)" rel="next">Older<\/a>/)?.[1]
    pages += 1
  }
  expect(seen).toEqual(names.toReversed().map((name) => name.replace('<', '&lt;').replace('>', '&gt;')))
  expect(pages).toBe(4)
  expect((await browser.open(`${PAGE}?cursor=nonsense`)).status).toBe(400)
})

test("another person's token is neither shown nor deleted", async () => {
  const mine = await signIn()
  const theirs = await signIn()
  const token = await addToken(theirs.user, 'Theirs', ['read:teams'])
  expect((await mine.browser.open(PAGE)).body).not.toContain('Theirs')
  const { id } = (await service.send('GET', '/api/v1/me/', { token })).body.credential
  for (const named of [id, 'nonsense', '']) {
    expect((await send(mine.browser.cookie(), DELETE, `token_id=${named}`)).status).toBe(404)
  }
  expect((await service.send('GET', '/api/v1/me/', { token })).status).toBe(200)
  expect((await theirs.browser.open(PAGE)).body).toContain('Theirs')
})

test('a form from another site changes nothing, and a signed-out person signs in first', async () => {
  const { browser, user } = await signIn()
  const token = await addToken(user, 'Mine', ['read:teams'])
  const { id } = (await service.send('GET', '/api/v1/me/', { token })).body.credential
  const forms: [string, string][] = [
    [PAGE, 'name=CI&scope%3Aread%3Ateams=on&lifetime=never'],
    [DELETE, `token_id=${id}`],
  ]
  for (const [path, body] of forms) {
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await send(browser.cookie(), path, body, { 'sec-fetch-site': site })).status).toBe(403)
    }
    const signedOut = await send('', path, body)
    expect([signedOut.status, signedOut.headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Faccounts%2F'])
  }
  const asked = await service.send('GET', PAGE)
  expect([asked.status, asked.headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Faccounts%2Ftokens%2F'])
  expect(await tokenCount(browser.cookie())).toBe(1)
})

test('a person whose teams have no API access can create tokens on the page', async () => {
  const { browser, team } = await signIn()
  await service.database.run("update teams set plan = 'free' where id = $1", [team.id])
  await browser.open(PAGE)
  const made = await browser.type({ name: 'CI', 'scope:read:teams': 'on' }, NEW)
  expect(await service.send('GET', '/api/v1/me/', { token: tokenIn(made) })).toMatchObject({ body: { code: 'plan_without_api_access' } })
})

/** Makes a person with a team and a browser. */
async function signIn() {
  const user = await makeUser(service.database, PASSWORD)
  const team = await makeTeam(service.database)
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'admin')", [team.id, user.id])
  const browser = openBrowser(service)
  await browser.signIn(user.email, PASSWORD)
  return { user, team, browser, id: user.id, email: user.email }
}

async function addToken(user: Awaited<ReturnType<typeof makeUser>>, name: string, own: readonly Scope[]): Promise<string> {
  const { token, hash, hint } = makeToken()
  await createTokenFor(service.database, user, { name, scopes: own, hash, hint })
  return token
}

function tokenIn({ status, body }: TestResponse): string {
  expect(status, body).toBe(200)
  return String(body).match(TOKEN)?.[0] ?? ''
}

function send(cookie: string, path: string, body: string, headers: Record<string, string> = {}): Promise<TestResponse> {
  return service.send('POST', path, { headers: { ...FORM, ...headers, ...(cookie !== '' && { cookie }) }, body })
}

async function tokenCount(cookie: string): Promise<number> {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  return (await service.send('GET', '/api/v1/me/tokens/', { headers })).body.results.length
}
