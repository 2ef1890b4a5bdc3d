import { randomBytes } from 'node:crypto'
import type { Tx } from '@earshot/db'
import { deletePast } from '@earshot/db/maintenance'
import { createSecretBox, SecretKeyError } from '@earshot/drivers'
import { rotateJwtKey } from '@earshot/server'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJwtKeys } from '../../server/src/auth/jwt-keys.ts'
import { hurryClock } from '../support/clock.ts'
import { sign, signingKeyOf } from '../support/jwt-keys.ts'
import { login, makeAccount, refresh, whoAmI } from '../support/logins.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const REPLICAS = 8

/** The clock by which replicas look for keys; the time of day stays. */
const clock = hurryClock()
afterAll(() => clock[Symbol.dispose]())

let service: TestService
let email: string
beforeAll(async () => {
  service = await startTestService()
  email = (await makeAccount(service)).email
})
afterAll(() => service.close())

test('replicas that start at once on a new database agree on one key, which is named by its thumbprint', async () => {
  const store = await openTestDatabase({ poolSize: REPLICAS })
  const secretBox = createSecretBox(randomBytes(32))
  const signing = await Promise.all(Array.from({ length: REPLICAS }, () => createJwtKeys(store.database, secretBox).signing()))
  const { kid, publicJwk } = await signingKeyOf({ ...service, database: store.database, secretBox })
  expect(signing.map(({ id }) => id)).toEqual(Array(REPLICAS).fill(kid))
  expect(await store.database.run('select id from jwt_keys', [])).toEqual([{ id: kid }])
  expect(kid).toBe(await calculateJwkThumbprint(publicJwk))
  expect(signing[0]?.privateKey.extractable).toBe(false)
  await store.close()
})

test('a new key signs within a minute on every replica, at once on one that starts, and both verify everywhere until the old one’s tokens have ended', async () => {
  const replica = await beside()
  const old = await login(service, email)
  const { id, retired_id } = await rotateJwtKey(service.database, service.secretBox)
  expect([retired_id, id]).toEqual([kidOf(old.access), expect.not.stringContaining(kidOf(old.access))])

  // This one knows the new key from the start; those that were there hear of it by its tokens.
  clock.pass(2_000)
  const late = await beside()
  const early = await login(late, email)
  expect(kidOf(early.access)).toBe(id)
  for (const one of [service, replica, late]) {
    for (const { access } of [old, early]) expect((await whoAmI(one, access)).status).toBe(200)
  }

  const before = await login(service, email)
  clock.pass(61_000)
  const pairs = await Promise.all([service, replica, late].map((one) => login(one, email)))
  expect(pairs.map(({ access }) => kidOf(access))).toEqual([id, id, id])
  for (const one of [service, replica, late]) {
    for (const { access } of [old, before, ...pairs]) expect((await whoAmI(one, access)).status).toBe(200)
  }
  // The login outlives the key that its first token was signed with.
  expect(kidOf((await refresh(replica, old.refresh)).body.access)).toBe(id)

  const [left] = await service.database.run<{ seconds: number }>(
    'select extract(epoch from retires_at - now())::float8 as seconds from jwt_keys where id = $1',
    [retired_id],
  )
  // A quarter of an hour, the minute in which others sign with it still, and the tolerance of clocks.
  expect(left?.seconds).toBeGreaterThan(900 + 60 + 30)
  expect(left?.seconds).toBeLessThan(1_200)
  expect(await deletePast(service.database)).toMatchObject({ jwt_keys: 0 })
  await Promise.all([replica.close(), late.close()])
})

test('a retired key no longer verifies and is deleted; the signing key is kept', async () => {
  const { access } = await login(service, email)
  await rotateJwtKey(service.database, service.secretBox)
  await service.database.run('update jwt_keys set retires_at = now() where retires_at is not null', [])
  clock.pass(61_000)
  expect(await whoAmI(service, access)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect((await deletePast(service.database)).jwt_keys).toBeGreaterThan(0)
  const { kid } = await signingKeyOf(service)
  expect(await service.database.run('select id from jwt_keys', [])).toEqual([{ id: kid }])
  expect((await whoAmI(service, (await login(service, email)).access)).status).toBe(200)
})

test('concurrent rotations take turns: the second retires the key of the first, and readers wait for neither', async () => {
  const { database, secretBox } = service
  const waiting =
    'select pid from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())'
  const { first, second } = await database.transaction(async (tx) => {
    const done = await rotateJwtKey(tx, secretBox)
    const next = rotateJwtKey(database, secretBox)
    await until('it waits', async () => (await database.run(waiting, [])).length > 0)
    clock.pass(61_000)
    expect((await login(service, email)).access).toMatch(/^eyJ/)
    return { first: done, second: next }
  })
  expect((await second).retired_id).toBe(first.id)
  expect((await signingKeyOf(service)).kid).toBe((await second).id)
})

test('tokens with unknown keys cause at most one key lookup a second', async () => {
  const { privateJwk } = await signingKeyOf(service)
  const { access } = await login(service, email)
  const looks = () => service.statements.filter((text) => text.includes('jwt_keys')).length
  for (let second = 0; second < 3; second += 1) {
    clock.pass(1_001)
    const before = looks()
    const forged = Array.from({ length: 30 }, (_, index) =>
      sign(privateJwk, { alg: 'EdDSA', typ: 'at+jwt', kid: `${second}-${index}` }, decodeJwt(access)).then((token) =>
        whoAmI(service, token),
      ),
    )
    for (const { status } of await Promise.all(forged)) expect(status).toBe(401)
    expect(looks() - before).toBe(1)
  }
})

test('verifying and signing read the keys once a minute', async () => {
  clock.pass(61_000)
  const { access } = await login(service, email)
  const looks = service.statements.filter((text) => text.includes('jwt_keys')).length
  // The rest of the minute is for a slow machine.
  clock.pass(50_000)
  for (let round = 0; round < 5; round += 1) {
    await whoAmI(service, access)
    await login(service, email)
  }
  expect(service.statements.filter((text) => text.includes('jwt_keys')).length).toBe(looks)
})

test('keys that could not be read are read again by the next request', async () => {
  let isAway = true
  const run: Tx['run'] = (text, params) => (isAway ? Promise.reject(new Error('away')) : service.database.run(text, params))
  const refused = () => Promise.reject(new Error('not expected'))
  const keys = createJwtKeys({ run, attempt: refused, transaction: refused }, service.secretBox)
  await expect(keys.signing()).rejects.toThrow('away')
  isAway = false
  expect((await keys.signing()).id).toBe((await signingKeyOf(service)).kid)
})

test('with another secret key the service does not start and says why; after a rotation it does, and logins start over', async () => {
  const store = await openTestDatabase()
  const first = await startTestService({ database: store.database })
  const account = await makeAccount({ database: store.database })
  const pair = await login(first, account.email)
  await first.close()

  const secretBox = createSecretBox(randomBytes(32))
  const start = () => startTestService({ database: store.database, services: { secretBox } })
  const failure: unknown = await start().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(SecretKeyError)
  expect(String(failure)).toContain(`id ${first.secretBox.keyId}, this one is ${secretBox.keyId}`)

  await rotateJwtKey(store.database, secretBox)
  const second = await start()
  expect(await refresh(second, pair.refresh)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  expect((await whoAmI(second, (await login(second, account.email)).access)).status).toBe(200)
  await second.close()
  await store.close()
})

/** Another replica, on the same database and with the same secret key. */
function beside(): Promise<TestService> {
  return startTestService({ database: service.database, services: { secretBox: service.secretBox } })
}

function kidOf(access: string): string {
  return decodeProtectedHeader(access).kid ?? ''
}
