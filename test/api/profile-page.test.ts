import { addTeamMember } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeTeam, makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const PROFILE = '/accounts/profile/'
const NOTIFICATIONS = '/accounts/notifications/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const ADA = { name: 'Ada King', avatar_url: 'https://example.com/ada.png', locale: 'pt-BR', timezone: 'America/Sao_Paulo' }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('the profile page saves what `me update` saves, and a reload saves nothing again', async () => {
  const { browser, user, profile } = await signIn()
  expect((await browser.open(PROFILE)).body).toContain(user.email)
  expect(browser.page().body).toContain('>Confirmed<')
  expect(browser.page().body).toContain('<option value="pt-BR" label="Brazilian Portuguese">')
  expect(browser.filled()).toEqual({ name: user.name, avatar_url: '', locale: 'en', timezone: 'UTC' })
  const saved = await browser.type({ ...ADA, name: '  Ada King ' })
  expect([saved.status, saved.body.includes('Your profile is saved.')]).toEqual([200, true])
  expect(browser.filled()).toEqual(ADA)
  const before = await profile()
  expect(before).toMatchObject(ADA)
  const body = String(new URLSearchParams(ADA))
  const { status, headers } = await service.send('POST', PROFILE, { headers: { ...FORM, cookie: browser.cookie() }, body })
  expect([status, headers.get('location')]).toEqual([303, `${PROFILE}?saved`])
  await browser.open(`${PROFILE}?saved`)
  expect(await profile()).toMatchObject(ADA)
  expect((await browser.open(PROFILE)).body).not.toContain('Your profile is saved.')

  await browser.type({ avatar_url: ' ' })
  expect(await profile()).toMatchObject({ ...ADA, avatar_url: null })
})

test('teams hear of a name that was changed on the page', async () => {
  const { browser, user } = await signIn()
  const team = await makeTeam(service.database)
  await addTeamMember(service.database, { team_id: team.id, userId: user.id, role: 'member' })
  await browser.open(PROFILE)
  await browser.type({ name: 'Ada King' })
  const rows = await service.database.run<{ payload: string }>(
    "select payload from events where team_id = $1 and type = 'user.profile.updated'",
    [team.id],
  )
  expect(rows.map(({ payload }) => JSON.parse(payload).data.user.name)).toEqual(['Ada King'])
})

test.for([
  ['name', 'empty', '', /must be 1 to 200 characters long/],
  ['name', 'with 10,000 accents', `a${'\u0301'.repeat(10_000)}`, /must be 1 to 200 characters long/],
  ['avatar_url', 'a script', 'javascript:alert(1)', /must be/],
  ['locale', 'no tag', 'german of Austria', /must be a BCP 47 language tag/],
  ['timezone', 'on Mars', 'Mars/Olympus', /must be an IANA time zone/],
] as const)('%s, %s, is refused beside its field, and everything stays as typed', async ([name, _what, value, problem]) => {
  const { browser, profile } = await signIn()
  const before = await profile()
  await browser.open(PROFILE)
  const typed = { ...ADA, name: 'Ada <i> "King"', [name]: value }
  const refused = await browser.type(typed)
  expect([refused.status, refused.body.includes('is saved')]).toEqual([400, false])
  expect(browser.filled()).toEqual(typed)
  expect(problemBeside(refused, name)).toMatch(problem)
  expect(refused.body.match(/aria-invalid/g)).toHaveLength(1)
  expect(await profile()).toEqual(before)
})

test('an address that is not confirmed says so', async () => {
  const { browser, user } = await signIn()
  await service.database.run('update users set email_verified_at = null where id = $1', [user.id])
  expect((await browser.open(PROFILE)).body).toContain('>Not confirmed<')
})

test('a time zone that the list does not offer stays chosen', async () => {
  const { browser, user, profile } = await signIn()
  await service.database.run("update users set timezone = 'Etc/GMT-3' where id = $1", [user.id])
  await browser.open(PROFILE)
  expect(browser.filled().timezone).toBe('Etc/GMT-3')
  await browser.type({ name: 'Ada' })
  expect(await profile()).toMatchObject({ name: 'Ada', timezone: 'Etc/GMT-3' })
})

test('notifications are chosen for each of two teams, one without the other', async () => {
  const { browser, user, notifications } = await signIn()
  const [one, two] = [await makeTeam(service.database), await makeTeam(service.database)]
  await service.database.run("update teams set name = 'Looms & Engines' where id = $1", [one.id])
  for (const { id } of [one, two]) await addTeamMember(service.database, { team_id: id, userId: user.id, role: 'member' })
  await browser.open(NOTIFICATIONS)
  const daily = { pending: 'daily', low_nps: 'daily' }
  expect(browser.filled('Looms & Engines')).toEqual({ team_id: one.id, ...daily })
  expect(browser.filled('Acme')).toEqual({ team_id: two.id, ...daily })

  const saved = await browser.type({ pending: 'instant', low_nps: 'off' }, 'Looms & Engines')
  expect([saved.status, saved.body.includes('Your choice for Looms &amp; Engines is saved.')]).toEqual([200, true])
  expect(browser.filled('Looms & Engines')).toEqual({ team_id: one.id, pending: 'instant', low_nps: 'off' })
  expect(browser.filled('Acme')).toEqual({ team_id: two.id, ...daily })
  expect(await notifications()).toEqual({
    teams: [
      { team_id: two.id, ...daily },
      { team_id: one.id, pending: 'instant', low_nps: 'off' },
    ],
  })
})

test('a frequency that does not exist is refused beside its field, with the other choice kept', async () => {
  const { browser, user, notifications } = await signIn()
  const [one, two] = [await makeTeam(service.database), await makeTeam(service.database)]
  for (const { id } of [one, two]) await addTeamMember(service.database, { team_id: id, userId: user.id, role: 'member' })
  const before = await notifications()
  await browser.open(NOTIFICATIONS)
  const refused = await browser.post(NOTIFICATIONS, { team_id: one.id, pending: 'off', low_nps: 'weekly' })
  expect(refused.status).toBe(400)
  expect(problemBeside(refused, `low_nps-${one.id}`)).toContain('must be "instant" or "daily" or "off"')
  expect(refused.body.match(/aria-invalid/g)).toHaveLength(1)
  expect(browser.filled(one.id)).toMatchObject({ pending: 'off', low_nps: 'weekly' })
  expect(browser.filled(two.id)).toMatchObject({ pending: 'daily', low_nps: 'daily' })
  expect(await notifications()).toEqual(before)
})

test('nobody chooses for a team of others, and viewers have nothing to choose', async () => {
  const { browser, user } = await signIn()
  const [own, strange] = [await makeTeam(service.database), await makeTeam(service.database)]
  await addTeamMember(service.database, { team_id: own.id, userId: user.id, role: 'viewer' })
  const page = await browser.open(NOTIFICATIONS)
  expect([page.body.includes('Viewers get no mails.'), page.body.includes(strange.id), page.body.includes('<select')]).toEqual([
    true,
    false,
    false,
  ])
  for (const team_id of [strange.id, 'nothing']) expect((await browser.post(NOTIFICATIONS, { team_id, pending: 'off' })).status).toBe(404)
})

test('signed out, both pages lead to the sign-in page and back; forms of other sites change nothing', async () => {
  const { browser, user, profile } = await signIn()
  const before = await profile()
  for (const path of [PROFILE, NOTIFICATIONS]) {
    const guest = openBrowser(service)
    expect((await guest.open(path)).body).toContain('<h1>Sign in</h1>')
    expect(guest.filled().next).toBe(path)
    const { status, headers } = await service.send('POST', path, { headers: FORM, body: 'name=Eve' })
    expect([status, headers.get('location')]).toEqual([303, '/accounts/sign-in/?next=%2Faccounts%2F'])
    const foreign = { ...FORM, 'sec-fetch-site': 'cross-site', cookie: browser.cookie() }
    expect((await service.send('POST', path, { headers: foreign, body: 'name=Eve' })).status).toBe(403)
  }
  expect(await profile()).toEqual(before)
  expect((await guestAs(user.email, NOTIFICATIONS)).body).toContain('<h1>Notifications</h1>')
})

test('the pages of the account share a navigation that marks the page; others have none', async () => {
  const { browser } = await signIn()
  const paths = ['', 'profile/', 'notifications/', 'password/', 'second-factor/', 'sessions/', 'tokens/', 'applications/']
  for (const path of paths.map((name) => `/accounts/${name}`)) {
    const { body } = await browser.open(path)
    const marked = [...String(body).matchAll(/<a href="([^"]+)" aria-current="page">/g)].map(([, address]) => address)
    expect(marked, path).toEqual([path])
    for (const other of paths) expect(body).toContain(`<a href="/accounts/${other}"`)
    expect(body).toContain('<a class="brand" href="/app/">Earshot</a>')
    expect(body).not.toMatch(/<script|style=/)
  }
  for (const path of ['/o/device/', '/accounts/invitation/?token=x', '/accounts/unsubscribe/?token=x']) {
    expect((await browser.open(path)).body, path).not.toContain('<nav')
  }
  for (const path of ['/accounts/sign-in/', '/accounts/sign-up/', '/docs/errors/']) {
    const { body } = await service.send('GET', path, { headers: { accept: 'text/html' } })
    expect([body.includes('<h1>'), body.includes('<nav')], path).toEqual([true, false])
  }
})

async function signIn() {
  const user = await makeUser(service.database, PASSWORD)
  const browser = openBrowser(service)
  await browser.signIn(user.email, PASSWORD)
  const read = async (path: string) => (await service.send('GET', path, { headers: { cookie: browser.cookie() } })).body
  const profile = async () => (await read('/api/v1/me/')).user
  return { browser, user, profile, notifications: () => read('/api/v1/me/notifications/') }
}

async function guestAs(email: string, next: string): Promise<TestResponse> {
  return openBrowser(service).signIn(email, PASSWORD, next)
}

/** The text that describes an invalid field. */
function problemBeside({ body }: TestResponse, id: string): string {
  expect(body).toMatch(new RegExp(`id="${id}"[^>]* aria-invalid="true" aria-describedby="[^"]*${id}-problem"`))
  return body.match(new RegExp(`id="${id}-problem" class="bad">([^<]*)<`))?.[1]?.replaceAll('&quot;', '"') ?? ''
}
