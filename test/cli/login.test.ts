import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OAuthFixture, opens, signInSomebody, startOAuthFixture } from '../support/oauth.ts'
import { type ConfigFolder, deviceProfile, makeConfigFolder } from '../support/profiles.ts'
import { until } from '../support/until.ts'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'

let fixture: OAuthFixture
let config: ConfigFolder
let name: string
beforeAll(async () => {
  fixture = await startOAuthFixture()
  name = `127.0.0.1-${new URL(fixture.service.url).port}`
})
afterAll(() => fixture.service.close())
beforeEach(() => {
  config = makeConfigFolder()
  return () => config[Symbol.dispose]()
})

const run = (...args: string[]) => earshot(args, { env: config.env })
const permissionsOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** So many times sooner than after the five seconds that the service asks for, a device looks whether the person has decided. */
const HASTE = 20

/** Runs `earshot login` and decides in the browser when it shows its address. */
async function logInWith(decision: 'allow' | 'deny', { flags = [] as string[], browser = fixture.browser } = {}) {
  let shown = ''
  const ended = earshot(['login', fixture.service.url, ...flags], {
    ...{ env: config.env, haste: HASTE },
    onOutput: (text) => (shown += text),
  })
  await until('it shows its address', () => /Open (\S+)\n/.test(shown))
  const [, address = ''] = /Open (\S+)\n/.exec(shown) ?? []
  await browser.open(address)
  await browser.press(decision)
  return ended
}

test('a person signs in with the browser, acts without an environment, and signs out', async () => {
  const signedIn = await logInWith('allow', { flags: ['--scopes', 'read:profile,read:projects'] })
  expect(signedIn).toMatchObject({ exitCode: 0, out: '' })
  expect(signedIn.err).toMatch(/^Open http\S+user_code=([A-Z]{4}-[A-Z]{4})\nAllow access if it shows the code \1\. Waiting…\n/)
  expect(signedIn.err).toContain(`Signed in at ${fixture.service.url} as ${fixture.person.email} (profile ${name}).\n`)
  expect([permissionsOf(config.pathOf(name)), permissionsOf(dirname(config.pathOf(name)))]).toEqual(['600', '700'])

  expect(await run('projects', 'list', '--output', 'name')).toMatchObject({ exitCode: 0, out: 'Website\n' })
  expect((await run('whoami')).out).toContain(`${fixture.person.email} at ${fixture.service.url} (profile ${name}, oauth2, 2 scopes)\n`)
  const { user, profile } = JSON.parse((await run('whoami', '--json')).out)
  expect([user.email, profile]).toEqual([fixture.person.email, name])

  const { access_token } = config.read(name).credential
  expect(await run('logout')).toMatchObject({ exitCode: 0, err: `Signed out of ${fixture.service.url} (profile ${name}).\n` })
  expect([existsSync(config.pathOf(name)), await opens(fixture, access_token)]).toEqual([false, false])
  expect(await run('teams', 'list')).toMatchObject({
    exitCode: 3,
    err: expect.stringMatching(/^error: you are not signed in\. Run earshot login, .*\n$/),
  })
})

test('a second sign-in on a profile is that of the person who signs in, and ends the first', async () => {
  const first = await deviceProfile(fixture)
  config.write(name, first)
  const other = await signInSomebody(fixture.service, fixture.team)
  const signedIn = await logInWith('allow', { browser: other.browser })
  expect([signedIn.exitCode, signedIn.err]).toEqual([0, expect.stringContaining(`as ${other.person.email} (profile`)])
  expect(config.read(name).email).toBe(other.person.email)
  expect(await opens(fixture, first.credential.access_token)).toBe(false)
})

test('signing out ends the profile of EARSHOT_URL, not the current one', async () => {
  await using other = await playService({ json: {} })
  config.write(name, await deviceProfile(fixture))
  config.write('second', { url: other.url, email: 'ada@example.com', credential: { token: 'svc_second' } })
  const ended = await earshot(['logout'], { env: { ...config.env, EARSHOT_URL: fixture.service.url } })
  expect(ended).toMatchObject({ exitCode: 0, err: expect.stringContaining(`(profile ${name})`) })
  expect([existsSync(config.pathOf(name)), existsSync(config.pathOf('second'))]).toEqual([false, true])
})

test('a person who denies access ends the sign-in with one line', async () => {
  const { exitCode, err } = await logInWith('deny')
  expect([exitCode, err.split('\n').at(-2)]).toEqual([1, 'error: access was denied in the browser'])
  expect(existsSync(config.pathOf(name))).toBe(false)
})

test('Ctrl-C ends the wait with 130, and nothing is kept', async () => {
  const stopping = new AbortController()
  const onOutput = (text: string) => text.includes('Waiting') && stopping.abort()
  const ended = await earshot(['login', fixture.service.url], { env: config.env, interruption: stopping.signal, onOutput })
  expect([ended.exitCode, existsSync(config.pathOf(name))]).toEqual([130, false])
})

test('an access token that expires is renewed first, and one that the service no longer takes is renewed, too', async () => {
  const profile = await deviceProfile(fixture)
  const expired = { ...profile.credential, expires_at: '2020-01-01T00:00:00Z' }
  config.write(name, { ...profile, credential: expired })
  expect(await run('teams', 'list')).toMatchObject({ exitCode: 0 })
  const renewed = config.read(name).credential
  expect(renewed.refresh_token).not.toBe(expired.refresh_token)
  expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.now() + 3_500_000)

  // The clock of this machine says that it has an hour left.
  await fixture.service.database.run("update access_tokens set expires_at = now() - interval '1 second' returning 1", [])
  expect(await run('teams', 'list')).toMatchObject({ exitCode: 0 })
  expect(config.read(name).credential.access_token).not.toBe(renewed.access_token)
})

test('a sign-in that is withdrawn in the browser ends with 3 and one line, then and later', async () => {
  config.write(name, await deviceProfile(fixture))
  const headers = { cookie: fixture.browser.cookie(), origin: fixture.service.url }
  const { body } = await fixture.service.send('GET', '/api/v1/me/authorizations/', { headers })
  for (const { id } of body.results) await fixture.service.send('DELETE', `/api/v1/me/authorizations/${id}/`, { headers })
  const first = await run('teams', 'list')
  expect(first).toMatchObject({
    exitCode: 3,
    out: '',
    err: expect.stringMatching(/^error: [^\n]+ Sign in again: earshot login http\S+\n$/),
  })
  expect(config.read(name)).not.toHaveProperty('credential')
  const second = await run('teams', 'list')
  expect(second).toMatchObject({ exitCode: 3, err: expect.stringMatching(/^error: you are not signed in at \S+ any more\. .*\n$/) })
})

test('ten commands at once renew a token once, in each of ten rounds', async () => {
  config.write(name, await deviceProfile(fixture))
  const countUsed = async () => {
    const [row] = await fixture.service.database.run<{ count: number }>(
      'select count(*)::int from refresh_tokens where used_at is not null',
      [],
    )
    return row?.count ?? 0
  }
  const before = await countUsed()
  for (let round = 0; round < 10; round += 1) {
    const { credential, ...profile } = config.read(name)
    config.write(name, { ...profile, credential: { ...credential, expires_at: '2020-01-01T00:00:00Z' } })
    const ended = await Promise.all(Array.from({ length: 10 }, () => run('me', 'retrieve')))
    expect(ended.map(({ exitCode, err }) => [exitCode, err])).toEqual(Array(10).fill([0, '']))
  }
  expect(await countUsed()).toBe(before + 10)
})

test('a personal access token of the standard input is kept, after a try', async () => {
  const kept = await earshot(['login', '--with-token', fixture.service.url], { env: config.env, stdin: `${fixture.team.token}\n` })
  expect(kept).toMatchObject({ exitCode: 0, err: expect.stringContaining('Signed in at') })
  expect(config.read(name).credential).toEqual({ token: fixture.team.token })
  expect(await run('logout')).toMatchObject({ exitCode: 0, err: expect.stringContaining('The token itself still works.') })
  const wrong = await earshot(['login', '--with-token', fixture.service.url], { env: config.env, stdin: 'svc_wrong' })
  expect([wrong.exitCode, existsSync(config.pathOf(name))]).toEqual([3, false])
})

test('the environment takes precedence over profiles, and --profile over both', async () => {
  await using other = await playService({ json: { results: [], next_cursor: null } })
  config.write(name, await deviceProfile(fixture))
  const environment = { ...config.env, EARSHOT_URL: other.url, EARSHOT_TOKEN: 'svc_other' }
  expect(await earshot(['teams', 'list'], { env: environment })).toMatchObject({ exitCode: 0, err: 'nothing found\n' })
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer svc_other'])
  expect(await earshot(['teams', 'list', '--profile', name, '--output', 'id'], { env: environment })).toMatchObject({
    exitCode: 0,
    out: `${fixture.team.id}\n`,
  })
  expect(other.requests).toHaveLength(1)
})

test('EARSHOT_PROFILE chooses another than the current one', async () => {
  await using other = await playService({ json: { results: [], next_cursor: null } })
  config.write('second', { url: other.url, email: 'ada@example.com', credential: { token: 'svc_second' } })
  config.write(name, await deviceProfile(fixture))
  await earshot(['teams', 'list'], { env: { ...config.env, EARSHOT_PROFILE: 'second' } })
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer svc_second'])
})

test('the credential of a profile goes to its own address alone', async () => {
  await using other = await playService({ json: { results: [], next_cursor: null } })
  config.write(name, await deviceProfile(fixture))
  for (const env of [{ EARSHOT_URL: other.url }, { EARSHOT_URL: other.url, EARSHOT_PROFILE: name }])
    expect(await earshot(['teams', 'list'], { env: { ...config.env, ...env } })).toMatchObject({ exitCode: 3, out: '' })
  expect(other.requests).toEqual([])
  config.write('second', { url: other.url, email: 'ada@example.com', credential: { token: 'svc_second' } })
  expect(await earshot(['teams', 'list'], { env: { ...config.env, EARSHOT_URL: fixture.service.url } })).toMatchObject({ exitCode: 0 })
  expect(other.requests).toEqual([])
})

test('profiles are listed, chosen, and have a team and a project of their own', async () => {
  const { id, project } = fixture.team
  config.write('second', { url: 'https://feedback.example.com', email: 'ada@example.com' })
  config.write(name, await deviceProfile(fixture))
  expect((await run('profiles')).out).toMatch(
    new RegExp(String.raw`^${name} \(current\) .*\nsecond +https://feedback\.example\.com +signed out`, 'm'),
  )
  expect(await run('profiles', 'set', '--team', id, '--project', project.project_id)).toMatchObject({ exitCode: 0 })
  expect(await run('submissions', 'list')).toMatchObject({ exitCode: 0, err: 'nothing found\n' })
  expect(await run('profiles', 'set', '--team', 'another')).toMatchObject({ exitCode: 0 })
  expect(config.read(name)).not.toHaveProperty('project')
  expect(await run('profiles', 'use', 'second')).toMatchObject({ exitCode: 0 })
  const { results } = JSON.parse((await run('profiles', '--json')).out)
  expect(results).toMatchObject([
    { is_current: false, is_signed_in: true, team: 'another' },
    { name: 'second', is_current: true, is_signed_in: false },
  ])
  expect(await run('profiles', 'use', 'third')).toMatchObject({ exitCode: 2, err: expect.stringContaining('there is no profile third') })
  expect(await run('teams', 'list', '--profile', '../x')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('a profile is named by'),
  })
})

test.for([
  ['is no JSON', '{"url":', 2, /is broken\. Remove it/],
  ['has no address', { email: 'x' }, 2, /is broken/],
  ['has half a credential', { url: 'http://127.0.0.1:1', credential: { access_token: 'a' } }, 2, /is broken/],
] as const)('a profile that %s is one clear line', async ([_case, content, exitCode, line]) => {
  config.write('broken', content)
  const ended = await run('teams', 'list')
  expect([ended.exitCode, ended.err.split('\n')[0]]).toEqual([exitCode, expect.stringMatching(line)])
})

test('a profile that others can read is not used', async () => {
  config.write(name, await deviceProfile(fixture))
  chmodSync(config.pathOf(name), 0o644)
  const ended = await run('teams', 'list')
  expect([ended.exitCode, ended.err.split('\n')[0]]).toEqual([
    2,
    `error: others can read ${config.pathOf(name)}. Run: chmod 600 ${config.pathOf(name)}`,
  ])
})

test('a service that is no Earshot, calls itself otherwise or is away is one clear line', async () => {
  await using page = await playService({ text: '<html>', headers: { 'content-type': 'text/html' } })
  await using missing = await playService({ status: 404, json: {} })
  await using other = await playService({ json: { issuer: 'https://feedback.example.com', device_authorization_endpoint: 'https://x/' } })
  await using hostile = await playService({ json: { issuer: 'https://x/$(touch y)', device_authorization_endpoint: 'https://x/' } })
  const endings = [page.url, missing.url, other.url, hostile.url, 'http://127.0.0.1:2'].map((url) =>
    earshot(['login', url], { env: config.env }),
  )
  expect((await Promise.all(endings)).map(({ exitCode, err }) => [exitCode, err.replace(/:\d+/g, '').split('\n')[0]])).toEqual([
    [4, 'error: http://127.0.0.1 is not an Earshot service'],
    [4, 'error: http://127.0.0.1 is not an Earshot service (404 for its OAuth metadata)'],
    [4, 'error: http://127.0.0.1 is not the address of this service. It is https://feedback.example.com'],
    [4, 'error: http://127.0.0.1 is not the address of this service.'],
    [4, expect.stringMatching(/^error: http:\/\/127\.0\.0\.1 is not reachable/)],
  ])
  expect(await run('login', 'ftp://x')).toMatchObject({ exitCode: 2, err: expect.stringContaining('must be an http or https address') })
})

test('a profile that is signed out still names the address of its service, and a broken one does not stop the others', async () => {
  config.write('home', { url: 'https://feedback.example.com', email: 'ada@example.com' })
  expect(await run('open', 'docs', '--print')).toMatchObject({ exitCode: 0, out: 'https://feedback.example.com/api/docs/\n' })
  config.write(name, await deviceProfile(fixture))
  config.write('broken', '{')
  expect((await run('profiles')).out).toMatch(/^broken \(current\) +- +broken/m)
  expect(await earshot(['teams', 'list'], { env: { ...config.env, EARSHOT_URL: fixture.service.url } })).toMatchObject({ exitCode: 0 })
  expect(await run('profiles', 'use', name)).toMatchObject({ exitCode: 0 })
  expect(await run('teams', 'list')).toMatchObject({ exitCode: 0 })
})
