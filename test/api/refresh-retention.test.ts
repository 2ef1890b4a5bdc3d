import { deletePast } from '@earshot/db/maintenance'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { login, makeAccount, REVOKE, refresh, refreshed } from '../support/logins.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const REUSED = { status: 401, body: { code: 'invalid_token', detail: expect.stringContaining('already used') } }

let service: TestService
let account: Awaited<ReturnType<typeof makeAccount>>
beforeAll(async () => {
  service = await startTestService()
  account = await makeAccount(service)
})
afterAll(() => service.close())

test('used refresh tokens stay while their login lives, and go with the next purge after it ends, however it ends', async () => {
  const lives = await loginWithUsed(3)
  const loggedOut = await loginWithUsed(3)
  const reused = await loginWithUsed(3)
  await service.send('POST', REVOKE, { body: { refresh: loggedOut.refresh } })
  expect(await refresh(service, reused.used[0] ?? '')).toMatchObject(REUSED)
  expect(await countOf(loggedOut.id)).toBe(4)

  await deletePast(service.database)
  expect([await countOf(loggedOut.id), await countOf(reused.id)]).toEqual([0, 0])
  expect(await countOf(lives.id)).toBe(4)
  // Which is what they stay for.
  expect(await refresh(service, lives.used[0] ?? '')).toMatchObject(REUSED)
  await deletePast(service.database)
  expect(await countOf(lives.id)).toBe(0)
})

test('a used refresh token goes when it expires; an unused one says for a day that it has expired', async () => {
  const { id, refresh: unused } = await loginWithUsed(2)
  await service.database.run("update refresh_tokens set expires_at = now() - interval '1 minute' where credential_id = $1", [id])
  await deletePast(service.database)
  expect(await countOf(id)).toBe(1)
  expect(await refresh(service, unused)).toMatchObject({ status: 401, body: { code: 'token_expired' } })
})

/** A login that was refreshed several times: the tokens that it used up, and the one that works. */
async function loginWithUsed(times: number): Promise<{ id: string; used: string[]; refresh: string }> {
  let { refresh: current } = await login(service, account.email)
  const [credential] = await service.database.run<{ id: string }>(
    "select id from credentials where user_id = $1 and kind = 'jwt' order by id desc limit 1",
    [account.id],
  )
  const used: string[] = []
  for (let time = 0; time < times; time += 1) {
    used.push(current)
    current = (await refreshed(service, current)).refresh
  }
  return { id: credential?.id ?? '', used, refresh: current }
}

async function countOf(credentialId: string): Promise<number> {
  return (await service.database.run('select from refresh_tokens where credential_id = $1', [credentialId])).length
}
