import { scopes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, makeTokenOf, makeUser, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

const TOKENS = '/api/v1/me/tokens/'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database, { plan: 'pro' })
})
afterAll(() => service.close())

test('a caller sees their user, credential and teams; their own address needs no scope', async () => {
  const token = await team.tokenOf('viewer', ['read:teams'])
  const { status, body } = await service.send('GET', '/api/v1/me/', { token })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    user: { email: expect.stringContaining('@example.com'), email_verified: true, mfa_enabled: false },
    credential: { kind: 'pat', scopes: ['read:teams'], expires_at: null },
    teams: [{ id: team.id, name: 'Acme', role: 'viewer', plan: 'pro' }],
  })
})

test('the value of a token is in the response to its creation and nowhere else', async () => {
  const made = await service.send('POST', TOKENS, { token: team.token, body: { name: 'CI', scopes: ['read:teams', 'read:teams'] } })
  expect(made).toMatchObject({ status: 201, body: { name: 'CI', scopes: ['read:teams'], expires_at: null, last_used_at: null } })
  const { token, hint, id } = made.body
  expect(token).toMatch(/^svc_[0-9A-Za-z]{46}$/)
  expect(hint).toBe(token.slice(-4))

  const list = await service.send('GET', TOKENS, { token: team.token })
  expect(list.body.results[0]).toMatchObject({ id, hint })
  expect(JSON.stringify(list.body)).not.toContain(token)
  const stored = await service.database.run<{ row: string }>('select c::text as row from credentials c', [])
  expect(stored.some(({ row }) => row.includes(token))).toBe(false)
})

test('the last use of a token is shown', async () => {
  const { token, id } = await makeToken(team.token, { scopes: ['read:teams', 'read:tokens'] })
  await service.send('GET', '/api/v1/teams/', { token })
  const list = await service.send('GET', TOKENS, { token })
  const shown = list.body.results.find((one: { id: string }) => one.id === id)
  expect(Date.parse(shown.last_used_at)).toBeGreaterThan(Date.now() - 60_000)
})

test('a token can create only tokens with scopes among its own', async () => {
  const narrow = await team.tokenOf('owner', ['write:tokens', 'read:teams'])
  const wider = await service.send('POST', TOKENS, { token: narrow, body: { name: 'Wide', scopes: ['read:teams', 'read:projects'] } })
  expect(wider).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope: 'read:projects' } })
  expect(await makeToken(narrow, { scopes: ['read:teams'] })).toMatchObject({ scopes: ['read:teams'] })
})

test('a token can create only tokens that expire no later than itself and in the future', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const later = new Date(Date.now() + 7_200_000).toISOString()
  const { token } = await makeToken(team.token, { scopes: ['write:tokens'], expires_at: soon })
  for (const expires_at of [undefined, null, later, '2020-01-01T00:00:00Z']) {
    const answer = await service.send('POST', TOKENS, { token, body: { name: 'Long', scopes: ['write:tokens'], expires_at } })
    expect(answer, String(expires_at)).toMatchObject({ status: 400, body: { errors: [{ field: 'expires_at' }] } })
  }
  expect(await makeToken(token, { scopes: ['write:tokens'], expires_at: soon })).toMatchObject({ expires_at: soon })
  expect((await service.send('GET', '/api/v1/me/', { token })).body.credential.expires_at).toBe(soon)
})

test('a deleted token stops working on the next request, and so does every token that it created', async () => {
  const first = await makeToken(team.token, { scopes: ['read:tokens', 'write:tokens'] })
  const second = await makeToken(first.token, { scopes: ['read:tokens', 'write:tokens'] })
  const third = await makeToken(second.token, { scopes: ['read:tokens'] })
  const stranger = await makeToken(team.token, { scopes: ['read:tokens'] })
  expect((await service.send('DELETE', `${TOKENS}${first.id}/`, { token: second.token })).status).toBe(204)
  for (const { token } of [first, second, third]) {
    expect(await service.send('GET', TOKENS, { token })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  }
  expect((await service.send('GET', TOKENS, { token: stranger.token })).status).toBe(200)
  expect(await service.send('DELETE', `${TOKENS}${first.id}/`, { token: team.token })).toMatchObject({ status: 404 })
})

test("nobody sees or deletes another user's tokens", async () => {
  const other = await team.tokenOf('owner')
  const { id } = await makeToken(team.token, { scopes: ['read:teams'] })
  expect(await service.send('DELETE', `${TOKENS}${id}/`, { token: other })).toMatchObject({ status: 404 })
  expect(await walkIds(service, TOKENS, { token: other })).toHaveLength(1)
})

test('tokens are listed newest first, in pages, without deleted ones', async () => {
  const user = await makeUser(service.database)
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'member')", [team.id, user.id])
  const token = await makeTokenOf(service.database, user, scopes)
  const made: string[] = []
  for (let count = 0; count < 5; count += 1) made.push((await makeToken(token, { scopes: ['read:teams'] })).id)
  await service.send('DELETE', `${TOKENS}${made[2]}/`, { token })
  const listed = await walkIds(service, TOKENS, { token, query: { limit: '2' } })
  expect(listed.slice(0, 4)).toEqual([made[4], made[3], made[1], made[0]])
  expect(listed).toHaveLength(5)
})

test('a token of a disabled user is refused', async () => {
  const user = await makeUser(service.database)
  const token = await makeTokenOf(service.database, user, scopes)
  await service.database.run('update users set disabled_at = now() where id = $1', [user.id])
  expect(await service.send('GET', '/api/v1/me/', { token })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('a removal and a downgrade take effect on the next request', async () => {
  const other = await makeTeam(service.database)
  const token = await other.tokenOf('member')
  const path = `/api/v1/teams/${other.id}/`
  expect((await service.send('GET', path, { token })).status).toBe(200)
  await service.database.run("update teams set plan = 'free' where id = $1", [other.id])
  expect(await service.send('GET', path, { token })).toMatchObject({ status: 403, body: { code: 'plan_without_api_access' } })
  await service.database.run("update teams set plan = 'pro' where id = $1", [other.id])
  await service.database.run("delete from memberships where team_id = $1 and role = 'member'", [other.id])
  expect(await service.send('GET', path, { token })).toMatchObject({ status: 404 })
})

async function makeToken(token: string, fields: Record<string, unknown>) {
  const answer = await service.send('POST', TOKENS, { token, body: { name: 'Test', ...fields } })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body
}
