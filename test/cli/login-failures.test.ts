import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { accountOf } from '../../cli/src/account.ts'
import { authorizedFetch } from '../../cli/src/authorized-fetch.ts'
import { openProfiles } from '../../cli/src/profiles.ts'
import { WAIT_MS } from '../../cli/src/refresh.ts'
import { type ConfigFolder, makeConfigFolder } from '../support/profiles.ts'
import { until } from '../support/until.ts'
import { earshot } from './command-line.ts'
import { playService, refusal } from './fake-service.ts'

/** Instead of twenty seconds. */
const SHORT_WAIT_MS = 500

let config: ConfigFolder
beforeEach(() => {
  config = makeConfigFolder()
  return () => config[Symbol.dispose]()
})

const run = (...args: string[]) => earshot(args, { env: config.env })

/** The answers of a service until a device has its code. */
const DISCOVERED = {
  json: {
    issuer: '$URL',
    ...{ device_authorization_endpoint: '$URL/o/device-authorization/', token_endpoint: '$URL/o/token/' },
  },
}
const DEVICE = {
  json: {
    ...{ device_code: 'DEVICE-1', user_code: 'USER-CODE', verification_uri: '$URL/device/', expires_in: 60, interval: 1 },
    verification_uri_complete: '$URL/device/?user_code=USER-CODE',
  },
}
const PENDING = { status: 400, json: { error: 'authorization_pending' } }
const TOKENS = { json: { access_token: 'ACCESS-2', refresh_token: 'REFRESH-3', expires_in: 3600, token_type: 'Bearer' } }
const ME = { json: { user: { email: 'ada@example.com' }, credential: { kind: 'oauth2', scopes: ['read:profile'] }, teams: [] } }

test('the wait for the browser survives a service that is away, and --debug shows it without secrets', async () => {
  const answers = [
    DISCOVERED,
    DEVICE,
    PENDING,
    { status: 503, json: {} },
    { instead: 'reset' },
    { status: 429 },
    PENDING,
    TOKENS,
    ME,
  ] as const
  await using service = await playService(...answers)
  const { exitCode, err } = await earshot(['login', service.url, '--debug'], { env: config.env, haste: 100 })
  expect([exitCode, err]).toEqual([0, expect.stringMatching(/Signed in at \S+ as ada@example\.com/)])
  const traced = err.split('\n').filter((line) => /^[<>]/.test(line))
  expect(traced).toContain(`> POST ${service.url}/o/token/`)
  expect(traced.join('\n')).not.toMatch(/DEVICE-1|USER-CODE|ACCESS-2|REFRESH-3/)
  const kept = await earshot(['whoami'], { env: config.env })
  expect(kept.out).toContain('oauth2, 1 scope)')
})

test.for([
  [
    'a refusal',
    { status: 400, json: { error: 'invalid_scope', error_description: 'x is unknown.' } },
    1,
    /^error: the service refused the sign-in: x is unknown\. \(invalid_scope\)\n$/,
  ],
  [
    'a service that is away',
    { status: 503, json: {} },
    4,
    /^error: \S+ responded with 503 to \/o\/device-authorization\/\.\nIs the service/,
  ],
  ['something else', { text: '<html>' }, 4, /^error: \S+ does not answer as an Earshot service\n$/],
] as const)('%s at the start of a sign-in is one clear line', async ([_case, answer, code, line]) => {
  await using service = await playService(DISCOVERED, answer)
  const { exitCode, err } = await earshot(['login', service.url], { env: config.env })
  expect([exitCode, err]).toEqual([code, expect.stringMatching(line)])
})

test('a name that no profile can have is refused before the browser opens', async () => {
  await using service = await playService(DISCOVERED)
  expect(await earshot(['login', service.url, '--profile', 'my work'], { env: config.env })).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('a profile is named by'),
  })
  expect(service.requests).toEqual([])
})

test('tokens that could not be kept are revoked', async () => {
  await using service = await playService(DISCOVERED, DEVICE, TOKENS, refusal(401, 'invalid_token'), { json: {} })
  const { exitCode } = await earshot(['login', service.url], { env: config.env, haste: 100 })
  expect([exitCode, service.requests.at(-1)?.path, service.requests.at(-1)?.body]).toEqual([
    ...[3, '/o/revoke/', expect.stringContaining('token=REFRESH-3')],
  ])
})

test('a folder that cannot be written is one line, and no wrong usage', async () => {
  await using service = await playService(ME)
  const ended = await earshot(['login', '--with-token', service.url], {
    env: { ...config.env, XDG_CONFIG_HOME: '/dev/null' },
    stdin: 'svc_x',
  })
  expect(ended).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^error: cannot write \/dev\/null\/\S+: not a directory\n$/) })
})

test('the browser of the person is opened, and gets the address', async () => {
  await using service = await playService(DISCOVERED, DEVICE, TOKENS, ME)
  const seen = join(dirname(config.pathOf('home')), 'seen')
  mkdirSync(dirname(seen), { recursive: true })
  const browser = join(dirname(seen), 'browser')
  writeFileSync(browser, `#!/bin/sh\necho "$1" > ${seen}\n`, { mode: 0o755 })
  const { err } = await earshot(['login', service.url], { env: { ...config.env, BROWSER: browser }, answer: '', haste: 100 })
  expect(err).toMatch(/^Your browser opens http\S+user_code=USER-CODE\n/)
  await expect.poll(() => existsSync(seen) && readFileSync(seen, 'utf8')).toBe(`${service.url}/device/?user_code=USER-CODE\n`)
})

test('TAB renews a sign-in to its end, and completes', async () => {
  const teams = { json: { results: [{ id: 'team-1', name: 'Acme' }], next_cursor: null } }
  await using service = await playService({ ...TOKENS, afterMs: 1_500 }, teams)
  config.write('home', { url: service.url, email: 'ada@example.com', credential: credentialUntil('2020-01-01T00:00:00Z') })
  expect((await run('__complete', 'teams', 'retrieve', '')).exitCode).toBe(0)
  expect(config.read('home').credential.refresh_token).toBe('REFRESH-3')
  expect((await run('__complete', 'teams', 'retrieve', '')).out).toBe('team-1\tAcme\n')
})

test('a new profile is for the address of the environment', async () => {
  await using service = await playService(DISCOVERED, DEVICE, TOKENS, ME)
  const ended = await earshot(['login', '--profile', 'new'], { env: { ...config.env, EARSHOT_URL: service.url }, haste: 100 })
  expect([ended.exitCode, config.read('new').url]).toEqual([0, service.url])
})

test('Ctrl-C after the wait ends with 130, and nothing is kept', async () => {
  await using service = await playService(DISCOVERED, DEVICE, TOKENS, { instead: 'silence' })
  const stopping = new AbortController()
  const ended = earshot(['login', service.url], { env: config.env, haste: 100, interruption: stopping.signal })
  await until('it asks who signed in', () => service.requests.length === 4)
  stopping.abort()
  expect([(await ended).exitCode, openProfiles(config.env).names()]).toEqual([130, []])
})

test.for([
  [{ status: 503, json: {} }, 4],
  [{ status: 400, json: { error: 'unsupported_token_type' } }, 1],
] as const)('a sign-out that the service does not confirm is one line, and the profile stays', async ([answer, code]) => {
  await using service = await playService(answer)
  config.write('home', { url: service.url, email: 'ada@example.com', credential: credentialUntil('2030-01-01T00:00:00Z') })
  const { exitCode, err } = await run('logout')
  expect([exitCode, err, existsSync(config.pathOf('home'))]).toEqual([code, expect.stringMatching(/^error: /), true])
})

test.for([
  [{ status: 503, json: {} }, 4, /responded with 503 to \/o\/token\//],
  [{ status: 401, json: { error: 'invalid_client' } }, 1, /refused the sign-in: invalid_client/],
] as const)('a renewal that fails is one line, and the sign-in stays', async ([answer, code, line]) => {
  await using service = await playService(answer)
  const credential = credentialUntil('2020-01-01T00:00:00Z')
  config.write('home', { url: service.url, email: 'ada@example.com', credential })
  const { exitCode, err } = await run('teams', 'list')
  expect([exitCode, err, config.read('home').credential]).toEqual([code, expect.stringMatching(line), credential])
})

test('after a command was killed while it renewed, the next one says so after its wait, and the others at once', async () => {
  await using service = await playService(TOKENS)
  const credential = credentialUntil('2020-01-01T00:00:00Z')
  config.write('home', { url: service.url, email: 'ada@example.com', credential })
  const hash = createHash('sha256').update(credential.refresh_token).digest('hex').slice(0, 32)
  writeFileSync(join(dirname(config.pathOf('home')), `home.${hash}.claim`), '')
  expect(await earshot(['teams', 'list'], { env: config.env, renewalWaitMs: SHORT_WAIT_MS })).toEqual({
    ...{ exitCode: 3, out: '' },
    err: `error: another command started to renew the sign-in and never finished. Sign in again: earshot login ${service.url}\n`,
  })
  // It waits for nobody: this wait would outlast the test.
  expect(await earshot(['teams', 'list'], { env: config.env, renewalWaitMs: 600_000 })).toMatchObject({
    exitCode: 3,
    err: expect.stringMatching(/^error: you are not signed in/),
  })
  expect(service.requests).toEqual([])
})

test('a command waits twenty seconds for one that renews the sign-in', () => {
  expect(WAIT_MS).toBe(20_000)
})

test('a running command does not send the credential of a later sign-in to the earlier address', async () => {
  await using first = await playService({ json: { results: [], next_cursor: 'next' } })
  const teams = { json: { results: [], next_cursor: null } }
  config.write('home', { url: first.url, email: 'ada@example.com', credential: { token: 'svc_first' } })
  const account = accountOf({ env: config.env })
  if (!account.profile) throw new Error('There is a profile.')
  const send = authorizedFetch(account)
  await using second = await playService(teams)
  config.write('home', { url: second.url, email: 'ada@example.com', credential: { token: 'svc_second' } })
  await expect(send(first.url)).rejects.toThrow(/you are not signed in/)
  expect(first.requests).toEqual([])
})

function credentialUntil(expires_at: string) {
  return { access_token: 'access', refresh_token: 'refresh', expires_at }
}
