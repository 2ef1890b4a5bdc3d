import { scopes } from '@earshot/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, makeTokenOf, makeUser, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
})

test('all members are listed, with addresses for callers who may see them', async () => {
  const member = await team.join('member')
  const { results } = await service.client(team.token).members.list({ team_id: team.id })
  expect(results.map(({ user, role }) => [user.id, role])).toEqual([
    [member.id, 'member'],
    [team.ownerId, 'owner'],
  ])
  expect(results[0]).toEqual({
    user: { id: member.id, name: member.name, email: member.email, avatar_url: null },
    role: 'member',
    joined_at: expect.stringMatching(/Z$/),
  })
  const viewer = await team.tokenOf('viewer')
  const seen = await service.client(viewer).members.list({ team_id: team.id, limit: 2 })
  expect(seen.results.map(({ user }) => user.email)).toEqual([null, null])
  const rest = await service.client(viewer).members.list({ team_id: team.id, cursor: seen.next_cursor ?? '' })
  expect([rest.results.length, rest.next_cursor]).toEqual([1, null])
})

test('a demotion and a removal take effect on the next request', async () => {
  const admin = await team.join('admin')
  const token = await makeTokenOf(service.database, admin, scopes)
  const rename = () => send('PATCH', `/api/v1/teams/${team.id}/`, token, { name: 'Renamed' })
  expect((await rename()).status).toBe(200)
  expect(await change(team.token, admin.id, 'viewer')).toMatchObject({ status: 200, body: { user: { id: admin.id }, role: 'viewer' } })
  expect(await rename()).toMatchObject({ status: 403, body: { code: 'insufficient_role' } })
  expect((await remove(team.token, admin.id)).status).toBe(204)
  expect((await rename()).status).toBe(404)
  expect((await remove(team.token, admin.id)).status).toBe(404)
  expect(await auditOf()).toEqual([
    ['team.updated', { name: { from: 'Acme', to: 'Renamed' } }],
    ['member.updated', { role: { from: 'admin', to: 'viewer' } }],
    ['member.removed', { role: { from: 'viewer', to: null } }],
  ])
})

test('only an owner can promote, demote and remove owners', async () => {
  const admin = await team.tokenOf('admin')
  const member = await team.join('member')
  const refusal = { status: 403, body: { code: 'insufficient_role', required_role: 'owner' } }
  expect(await change(admin, member.id, 'owner')).toMatchObject(refusal)
  expect(await change(admin, team.ownerId, 'admin')).toMatchObject(refusal)
  expect(await remove(admin, team.ownerId)).toMatchObject(refusal)
  expect((await change(admin, member.id, 'admin')).status).toBe(200)
  expect((await change(team.token, member.id, 'owner')).status).toBe(200)
})

test('setting the current role changes nothing and is not logged', async () => {
  const member = await team.join('member')
  expect((await change(team.token, member.id, 'member')).status).toBe(200)
  expect(await auditOf()).toEqual([])
})

test('a team keeps its last owner', async () => {
  const refusal = { status: 409, body: { code: 'last_owner' } }
  expect(await change(team.token, team.ownerId, 'admin')).toMatchObject(refusal)
  expect(await remove(team.token, team.ownerId)).toMatchObject(refusal)
  expect((await change(team.token, team.ownerId, 'owner')).status).toBe(200)
})

test('when owners demote each other at once, one owner stays', async () => {
  const others = await Promise.all([1, 2, 3].map(() => team.join('owner')))
  const owners = [
    { id: team.ownerId, token: team.token },
    ...(await Promise.all(others.map(async (user) => ({ id: user.id, token: await makeTokenOf(service.database, user, scopes) })))),
  ]
  const pairs = owners.flatMap((one) => owners.map((other) => ({ token: one.token, id: other.id })))
  const answers = await Promise.all(pairs.map(({ token, id }, index) => (index % 2 ? remove(token, id) : change(token, id, 'member'))))
  expect(answers.every(({ status }) => [200, 204, 403, 404, 409].includes(status))).toBe(true)
  const [left] = await service.database.run("select count(*)::int as owners from memberships where team_id = $1 and role = 'owner'", [
    team.id,
  ])
  expect(left).toEqual({ owners: 1 })
})

test('a transfer makes the member an owner and the caller an admin, once', async () => {
  const member = await team.join('member')
  const transfer = (token: string) => send('POST', `/api/v1/teams/${team.id}/members/${member.id}/transfer-ownership/`, token)
  expect(await transfer(team.token)).toMatchObject({ status: 200, body: { user: { id: member.id }, role: 'owner' } })
  expect(await transfer(team.token)).toMatchObject({ status: 403, body: { code: 'insufficient_role', required_role: 'owner' } })
  expect(await auditOf()).toEqual([
    ['member.updated', { role: { from: 'member', to: 'owner' } }],
    ['member.updated', { role: { from: 'owner', to: 'admin' } }],
  ])
  expect(await rolesOf()).toEqual({ [team.ownerId]: 'admin', [member.id]: 'owner' })
})

test('transferring the team to oneself changes nothing', async () => {
  const path = `/api/v1/teams/${team.id}/members/${team.ownerId}/transfer-ownership/`
  expect(await send('POST', path, team.token)).toMatchObject({ status: 200, body: { role: 'owner' } })
  expect(await rolesOf()).toEqual({ [team.ownerId]: 'owner' })
  expect(await auditOf()).toEqual([])
})

test('a member added by the operator appears in the team’s webhooks and audit log', async () => {
  const member = await team.join('viewer')
  const [event] = await service.database.run<{ payload: string }>(
    "select payload from events where team_id = $1 and type = 'team.member.added'",
    [team.id],
  )
  const [{ user, role } = {}] = (await service.client(team.token).members.list({ team_id: team.id, limit: 1 })).results
  expect(JSON.parse(event?.payload ?? '{}').data).toEqual({ member: { user, role, joined_at: expect.stringMatching(/Z$/) } })
  const { results } = await service.client(team.token).teams.auditLog.list({ team_id: team.id, action: 'member.added' })
  expect(results).toMatchObject([
    {
      target: { type: 'user', id: member.id },
      changes: { role: { from: null, to: 'viewer' } },
      credential: { id: null, kind: 'operator' },
    },
  ])
})

test('members of another team are not found', async () => {
  const stranger = await makeUser(service.database)
  for (const answer of [await change(team.token, stranger.id, 'viewer'), await remove(team.token, stranger.id)]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
})

function send(method: string, path: string, token: string, body?: unknown) {
  return service.send(method, path, { token, ...(body !== undefined && { body }) })
}

function change(token: string, userId: string, role: string) {
  return send('PATCH', `/api/v1/teams/${team.id}/members/${userId}/`, token, { role })
}

function remove(token: string, userId: string) {
  return send('DELETE', `/api/v1/teams/${team.id}/members/${userId}/`, token)
}

/** Returns the audit entries of everybody but the operator, with changes. */
async function auditOf(): Promise<unknown[]> {
  const rows = await service.database.run<{ action: string; changes: unknown }>(
    "select action, changes from audit_entries where team_id = $1 and credential_kind <> 'operator' order by id",
    [team.id],
  )
  return rows.map(({ action, changes }) => [action, changes])
}

async function rolesOf(): Promise<Record<string, string>> {
  const rows = await service.database.run<{ user_id: string; role: string }>('select user_id, role from memberships where team_id = $1', [
    team.id,
  ])
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}
