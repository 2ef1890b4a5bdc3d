import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { login, makeAccount, REVOKE, refresh, type TokenPair, whoAmI } from '../support/logins.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { runAdmin } from '../support/run-admin.ts'
import { runService, type ServiceProcess, startService } from '../support/service-process.ts'

const GENEROUS_MS = 60_000

let remote: RemoteDatabase
let email: string
let apis: [ServiceProcess, ServiceProcess]
beforeAll(async () => {
  remote = await openRemoteDatabase()
  email = (await makeAccount(remote)).email
  const start = () => startService({ ...remote.environment, EARSHOT_ROLE: 'api', EARSHOT_BASE_URL: 'https://feedback.example' })
  apis = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all((apis ?? []).map((api) => api[Symbol.asyncDispose]()))
  await remote[Symbol.asyncDispose]()
})

test('two processes that start at once on a new database create one key and accept each other’s tokens', {
  timeout: GENEROUS_MS,
}, async () => {
  expect(await remote.database.run('select 1 from jwt_keys', [])).toHaveLength(1)
  const [one, other] = apis
  const pair = await login(one, email)
  expect((await whoAmI(other, pair.access)).status).toBe(200)
  const next = (await refresh(other, pair.refresh)).body as TokenPair
  expect((await whoAmI(one, next.access)).status).toBe(200)
  expect(await one.send('POST', REVOKE, { body: { refresh: next.refresh } })).toMatchObject({ status: 204 })
  for (const api of apis) for (const { access } of [pair, next]) expect((await whoAmI(api, access)).status).toBe(401)
})

test('the operator rotates the key beside running processes; tokens of both keys stay valid', { timeout: GENEROUS_MS }, async () => {
  const [one, other] = apis
  const before = await login(one, email)
  const rotated = JSON.parse(await runAdmin(remote.environment, 'jwt-keys', 'rotate', '--json'))
  expect(rotated).toEqual({
    id: expect.stringMatching(/^[\w-]{43}$/),
    retired_id: decodeProtectedHeader(before.access).kid,
    retires_at: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  await using late = await startService({ ...remote.environment, EARSHOT_ROLE: 'api', EARSHOT_BASE_URL: 'https://feedback.example' })
  const after = await login(late, email)
  expect(decodeProtectedHeader(after.access).kid).toBe(rotated.id)
  for (const api of [one, other, late]) {
    for (const { access } of [before, after]) expect((await whoAmI(api, access)).status).toBe(200)
  }
})

test('a secret key that does not match the database ends the start with one line; a new signing key allows the start', {
  timeout: GENEROUS_MS,
}, async () => {
  const environment = { ...remote.environment, EARSHOT_SECRET_KEY: randomBytes(32).toString('base64'), EARSHOT_ROLE: 'api' }
  const { code, output } = await runService(environment)
  expect({ code, output }).toEqual({
    code: 2,
    output: expect.stringMatching(/^EARSHOT_SECRET_KEY, .* does not belong to this database\. .+\n$/),
  })
  expect(output.trim()).not.toContain('\n')
  expect(output).toContain('npm run admin -- jwt-keys rotate')
  await runAdmin(environment, 'jwt-keys', 'rotate')
  await using service = await startService(environment)
  expect((await whoAmI(service, (await login(service, email)).access)).status).toBe(200)
})
