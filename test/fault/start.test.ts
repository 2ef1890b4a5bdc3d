import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../app/config.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { runService, startService } from '../support/service-process.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }
const GENEROUS_MS = 60_000
const IS_ROOT = process.getuid?.() === 0

const wrongValues: Record<string, string> = {
  PORT: 'http',
  HOST: '',
  EARSHOT_BASE_URL: 'ftp://example.com',
  EARSHOT_DATA_DIR: '',
  EARSHOT_STORAGE_URL: 'https://s3.example.com/bucket',
  DATABASE_URL: 'mysql://localhost/earshot',
  EARSHOT_ROLE: 'boss',
  EARSHOT_SECRET_KEY: 'c2hvcnQ=',
  EARSHOT_DEFAULT_PLAN: 'gold',
  EARSHOT_MAX_TEAMS_PER_USER: '0',
  EARSHOT_WORKER_CONCURRENCY: 'many',
  EARSHOT_WORKER_PORT: 'eight',
  EARSHOT_WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/99',
  EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'perhaps',
  EARSHOT_EGRESS_PROXY: 'socks5://proxy.example.com:1080',
  EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '-1',
  EARSHOT_WEBHOOK_KEPT_SUCCESS_BYTES: '4 KB',
  EARSHOT_WEBHOOK_KEPT_FAILURE_BYTES: '-1',
  EARSHOT_PUBLIC_WRITES_PER_DAY: '0',
  EARSHOT_TRUST_PROXY: 'everybody',
  EARSHOT_RATE_LIMIT_MULTIPLIER: '0',
  EARSHOT_ROW_LEVEL_SECURITY: 'maybe',
  EARSHOT_SIGN_UP: 'maybe',
  EARSHOT_OAUTH_REUSE_LEEWAY_SECONDS: '11',
  EARSHOT_SMTP_URL: 'https://mail.example.com',
  EARSHOT_MAIL_FROM: 'nobody',
  EARSHOT_METRICS_TOKEN: '',
  EARSHOT_LOG_LEVEL: 'loud',
  EARSHOT_MEDIA_REDIRECT: 'maybe',
  EARSHOT_TRANSCODE_CONCURRENCY: '0',
  EARSHOT_KEEP_ORIGINALS_DAYS: '-1',
  EARSHOT_SHUTDOWN_DELAY_SECONDS: 'soon',
}

const dataDir = makeDataDir()
afterAll(() => dataDir[Symbol.asyncDispose]())

test('each variable that the service reads is in the table of wrong values', () => {
  const source = readFileSync(new URL('../../app/config.ts', import.meta.url), 'utf8')
  const read = [...source.matchAll(/^ {2}([A-Z][A-Z_]+): z?/gm)].map(([, name]) => name)
  expect(Object.keys(wrongValues).sort()).toEqual(read.sort())
})

test.for(Object.entries(wrongValues))('a wrong %s is reported in one line that names it', ([name, value]) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name} must .+$`))
})

test.for([
  {
    what: 'a wrong variable',
    environment: { PORT: 'http' },
    line: /^PORT must .+\n$/,
    code: 2,
  },
  {
    what: 'DATABASE_URL without EARSHOT_SECRET_KEY',
    environment: { DATABASE_URL: 'postgres://127.0.0.1:9/earshot' },
    line: /^EARSHOT_SECRET_KEY is required .+\n$/,
    code: 2,
  },
  {
    what: 'EARSHOT_SMTP_URL without EARSHOT_MAIL_FROM',
    environment: { EARSHOT_SMTP_URL: 'smtp://ada:hush@127.0.0.1:9' },
    line: /^EARSHOT_MAIL_FROM is required .+\n$/,
    code: 2,
  },
  {
    what: 'a DATABASE_URL where nothing listens',
    environment: { DATABASE_URL: 'postgres://ada:hush@127.0.0.1:9/earshot', EARSHOT_SECRET_KEY: randomBytes(32).toString('base64') },
    line: /^Cannot use the database of DATABASE_URL: .*ECONNREFUSED.+\n$/,
    code: 1,
  },
  {
    what: 'a data directory that is a file',
    environment: { EARSHOT_DATA_DIR: '/etc/passwd' },
    line: /^The data directory \/etc\/passwd cannot be used: .+\n$/,
    code: 1,
  },
  {
    what: 'a storage with credentials in its address',
    environment: { EARSHOT_STORAGE_URL: 's3://ada:hush@bucket' },
    line: /^EARSHOT_STORAGE_URL must not contain credentials: .+\n$/,
    code: 2,
  },
  {
    what: 'an egress proxy with a path',
    environment: { EARSHOT_EGRESS_PROXY: 'http://ada:hush@127.0.0.1:3128/path' },
    line: /^EARSHOT_EGRESS_PROXY must be like .+\n$/,
    code: 2,
  },
  {
    what: 'media redirected to a directory',
    environment: { EARSHOT_MEDIA_REDIRECT: 'on', EARSHOT_STORAGE_URL: 'file:blobs' },
    line: /^EARSHOT_MEDIA_REDIRECT needs an S3 bucket: .+\n$/,
    code: 2,
  },
])('$what ends the start with one line, exit code $code', { timeout: GENEROUS_MS }, async ({ environment, line, code }) => {
  const exit = await runService(environment)
  expect(exit).toMatchObject({ code, output: expect.stringMatching(line) })
  expect(exit.output.trim()).not.toContain('\n')
  expect(exit.output).not.toContain('hush')
})

test('the first start and a later one are ready in time, with keys that only their owner can read', { timeout: GENEROUS_MS }, async () => {
  const environment = { EARSHOT_DATA_DIR: dataDir.path }
  const first = await startService(environment)
  expect(await first.send('GET', '/readyz')).toMatchObject({ status: 200 })
  expect(statSync(join(dataDir.path, 'secret-key')).mode & 0o777).toBe(0o600)
  expect(first.output()).toContain('Local trial: ')
  expect(await first.stop()).toMatchObject({ code: 0 })
  await using second = await startService(environment)
  expect(await second.send('GET', '/readyz')).toMatchObject({ status: 200 })
  console.log(`first start to ready: ${first.readyMs} ms; later start: ${second.readyMs} ms`)
  expect(first.readyMs).toBeLessThan(20_000)
  expect(second.readyMs).toBeLessThan(20_000)
})

test.for([
  {
    what: 'a port in use',
    variables: (port: number) => ({ PORT: String(port) }),
    line: (port: number) => `Port ${port} is already in use. Set PORT to another port.`,
    code: 1,
  },
  {
    what: 'a HOST that is not an address of this machine',
    variables: () => ({ HOST: '192.0.2.1' }),
    line: () => 'HOST 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL).',
    code: 2,
  },
])('$what ends the start with one line, and the database is stopped again', { timeout: GENEROUS_MS }, async ({ variables, line, code }) => {
  const occupant = createServer()
  await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve))
  const { port } = occupant.address() as AddressInfo
  const exit = await runService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_LOG_LEVEL: 'silent', ...variables(port) })
  expect(exit).toEqual({ code, signal: null, output: `${line(port)}\n` })
  expect(() => dataDir.serverPid()).toThrow()
  await new Promise((resolve) => occupant.close(resolve))
})

test('a damaged secret key ends the start with one line and is not replaced', { timeout: GENEROUS_MS }, async () => {
  const file = join(dataDir.path, 'secret-key')
  const key = readFileSync(file)
  writeFileSync(file, '')
  const exit = await runService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_LOG_LEVEL: 'silent' })
  expect(exit).toEqual({ code: 2, signal: null, output: `The file ${file} must hold 32 bytes in base64; restore the correct key.\n` })
  expect(readFileSync(file, 'utf8')).toBe('')
  writeFileSync(file, key)
})

test.runIf(IS_ROOT)('it starts as an ordinary user with a home of their own', { timeout: GENEROUS_MS }, async () => {
  await using home = makeDataDir({ owner: NOBODY })
  await using service = await startService({ EARSHOT_DATA_DIR: join(home.path, 'data') }, { account: NOBODY, home: home.path })
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200 })
  expect(statSync(join(home.path, 'data')).uid).toBe(NOBODY.uid)
})

test.runIf(IS_ROOT)('it starts as root below a home that others cannot read', { timeout: GENEROUS_MS }, async () => {
  await using home = makeDataDir({ mode: 0o700 })
  await using data = makeDataDir({ parent: home.path, mode: 0o700 })
  await using service = await startService({ EARSHOT_DATA_DIR: data.path }, { home: home.path })
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200 })
})

test('with row-level security on, the service serves teams and visitors, and each team sees its own records', {
  timeout: GENEROUS_MS,
}, async () => {
  await using bound = makePreparedDataDir()
  await using service = await startService({ EARSHOT_DATA_DIR: bound.path, EARSHOT_ROW_LEVEL_SECURITY: 'on' })
  const [one, other] = [await bound.makeTeam(), await bound.makeTeam()]
  const words = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
  const { status, body } = await service.send('POST', `/api/public/v1/projects/${one.publicKey}/submissions/`, { body: words })
  expect(status).toBe(201)
  const ref = { ...one.project, submission_id: body.id }
  expect(await service.client(one.token).submissions.approve(ref)).toMatchObject({ state: 'approved', public: true })
  await expect(service.client(other.token).submissions.retrieve(ref)).rejects.toMatchObject({ code: 'not_found' })
  const items = await service.send('GET', `/api/public/v1/projects/${one.publicKey}/items/`)
  expect(items.body).toMatchObject({ results: [{ id: body.id }], aggregate: { count: 1 } })
})
