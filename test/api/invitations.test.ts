import { scopes } from '@earshot/contracts'
import { addTeamMember } from '@earshot/db'
import { numberFeeds } from '@earshot/db/dispatch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { acceptInvitation, type Guest, type Invitations, invitationsOf, makeGuest, makeInvitingTeam } from '../support/invitations.ts'
import { lastToken, readMails } from '../support/mails.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { dumpDatabase } from '../support/secrets.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const NOT_FOUND = { status: 404, body: { code: 'not_found' } }

let service: TestService
let team: Team
let guest: Guest
let ours: Invitations
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  ;({ team, guest, ours } = await makeInvitingTeam(service))
})

test('an invitation is mailed, emitted and listed, and makes its address a member', async () => {
  const owner = (await service.client(team.token).me.retrieve()).user
  const invited = (await ours.invite(guest.email, { role: 'admin' })).body
  expect(invited).toEqual({
    ...{ id: invited.id, email: guest.email, role: 'admin', state: 'pending', accepted_at: null },
    invited_by: { id: owner.id, name: owner.name, email: owner.email, avatar_url: null },
    ...{ expires_at: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) },
  })
  expect(Math.abs(Date.parse(invited.expires_at) - Date.parse(invited.created_at) - 7 * 86_400_000)).toBeLessThan(5_000)
  expect(await eventsOf('team.invitation.created')).toEqual([{ invitation: invited }])
  const [mail] = await readMails(service, guest.email)
  expect(mail?.subject).toBe(`${owner.name} invited you to Acme`)

  const answer = await accept(mail?.token ?? '')
  expect(answer).toMatchObject({ status: 200, body: { id: team.id, name: 'Acme', role: 'admin', plan: 'business' } })
  expect((await service.client(guest.token).me.retrieve()).teams).toEqual([answer.body])
  const { results: members } = await service.client(team.token).members.list({ team_id: team.id })
  expect(members[0]).toMatchObject({ user: { id: guest.id }, role: 'admin' })
  expect(await eventsOf('team.member.added')).toEqual([{ member: members[0] }])
  const { results } = await service.client(team.token).invitations.list({ team_id: team.id })
  expect(results).toEqual([
    { ...invited, state: 'accepted', accepted_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) },
  ])
})

test('each change of an invitation is in the audit log once, without address or token', async () => {
  const { id } = (await ours.invite(guest.email)).body
  const first = await lastToken(service, guest.email)
  await ours.resend(id)
  await ours.revoke(id)
  await ours.revoke(id)
  const other = (await ours.invite(guest.email)).body
  await accept(await lastToken(service, guest.email))
  await ours.resend(other.id)
  const rows = await service.database.run<{ action: string; target_id: string; actor_user_id: string; changes: unknown; line: string }>(
    "select action, target_id, actor_user_id, changes, e::text as line from audit_entries e where team_id = $1 and credential_kind = 'pat' order by id",
    [team.id],
  )
  const state = (to: string) => ({ state: { from: 'pending', to } })
  const given = { role: { from: null, to: 'member' } }
  const resent = { expires_at: { from: expect.stringMatching(/Z$/), to: expect.stringMatching(/Z$/) } }
  expect(rows.map(({ action, target_id, actor_user_id, changes }) => [action, target_id, actor_user_id, changes])).toEqual([
    ['invitation.created', id, team.ownerId, given],
    ['invitation.resent', id, team.ownerId, resent],
    ['invitation.revoked', id, team.ownerId, state('revoked')],
    ['invitation.created', other.id, team.ownerId, given],
    ['invitation.accepted', other.id, guest.id, state('accepted')],
    ['member.added', guest.id, guest.id, given],
  ])
  for (const { line } of rows) for (const secret of [guest.email, first]) expect(line).not.toContain(secret)
  expect(await eventsOf('team.invitation.created')).toHaveLength(2)
})

test('the token of a link is neither in the database nor in the team’s responses', async () => {
  const invited = await ours.invite(guest.email)
  const resent = await ours.resend(invited.body.id)
  const tokens = (await readMails(service, guest.email)).map(({ token }) => token)
  expect(tokens.map((token) => token.slice(0, 4))).toEqual(['inv_', 'inv_'])
  const dump = JSON.stringify([invited.body, resent.body, await dumpDatabase(service.address)])
  expect(dump).toContain(guest.email)
  for (const token of tokens) for (const form of [token, Buffer.from(token).toString('hex')]) expect(dump).not.toContain(form)
})

test('accepting again gives the same response to the same person alone, and does not restore a removed member', async () => {
  await ours.invite(guest.email)
  const token = await lastToken(service, guest.email)
  const first = await accept(token)
  expect(await accept(token)).toMatchObject({ status: 200, body: first.body })
  expect(await accept(token, await makeGuest(service))).toMatchObject(NOT_FOUND)
  expect(await eventsOf('team.member.added')).toHaveLength(1)
  await service.client(team.token).members.delete({ team_id: team.id, user_id: guest.id })
  expect(await accept(token)).toMatchObject(NOT_FOUND)
  expect((await service.client(team.token).members.list({ team_id: team.id })).results).toHaveLength(1)
})

test('an invalid link does not reveal why', async () => {
  const answers: Record<string, TestResponse> = { unknown: await accept(`inv_${'0'.repeat(43)}`) }
  const tokenFor = async (change: (id: string) => Promise<unknown>) => {
    const { id } = (await ours.invite(guest.email)).body
    const token = await lastToken(service, guest.email)
    await change(id)
    const answer = await accept(token)
    await ours.revoke(id)
    return answer
  }
  answers.replaced = await tokenFor(ours.resend)
  answers.revoked = await tokenFor(ours.revoke)
  answers.expired = await tokenFor(expire)
  await ours.invite(guest.email)
  answers.foreign = await accept(await lastToken(service, guest.email), await makeGuest(service))
  await service.client(team.token).teams.delete({ team_id: team.id })
  answers['of a deleted team'] = await accept(await lastToken(service, guest.email))
  for (const [why, { status, body }] of Object.entries(answers)) {
    const { request_id: _, ...said } = answers.unknown?.body ?? {}
    expect({ status, body }, why).toEqual({ status: 404, body: { ...said, request_id: expect.any(String) } })
  }
})

test('another person’s try does not use up a link, and a resent link works for another week', async () => {
  const { id, expires_at } = (await ours.invite(guest.email)).body
  await service.database.run("update invitations set expires_at = now() + interval '1 minute' where id = $1", [id])
  const again = await ours.resend(id)
  expect(again).toMatchObject({ status: 200, body: { id, state: 'pending' } })
  expect(Date.parse(again.body.expires_at)).toBeGreaterThanOrEqual(Date.parse(expires_at))
  const token = await lastToken(service, guest.email)
  expect(await accept(token, await makeGuest(service))).toMatchObject(NOT_FOUND)
  expect(await accept(token)).toMatchObject({ status: 200 })
})

test('accepting an invitation verifies the address', async () => {
  await service.database.run('update users set email_verified_at = null where id = $1', [guest.id])
  await ours.invite(guest.email)
  await accept(await lastToken(service, guest.email))
  expect((await service.client(guest.token).me.retrieve()).user.email_verified).toBe(true)
})

test('a person whose only team has no API access can accept through the API', async () => {
  const poor = await makeTeam(service.database, { plan: 'free' })
  expect((await service.send('GET', '/api/v1/me/', { token: poor.token })).body.code).toBe('plan_without_api_access')
  const [owner] = await service.database.run<{ email: string }>('select email from users where id = $1', [poor.ownerId])
  await ours.invite(owner?.email ?? '')
  expect(await accept(await lastToken(service, owner?.email ?? ''), poor)).toMatchObject({ status: 200, body: { id: team.id } })
})

test.for([
  ['Grace.Hopper@Example.COM', 'grace.hopper@example.com'],
  ['ada+feedback@example.com', 'ADA+Feedback@example.com'],
  ['ada@xn--mnchen-3ya.example', 'Ada@XN--Mnchen-3ya.Example'],
])('%s is the address of %s', async ([own = '', invited = '']) => {
  await service.database.run('update users set email = $2 where id = $1', [guest.id, own])
  expect((await ours.invite(invited)).body).toMatchObject({ email: invited })
  expect(await ours.invite(own)).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  expect(await accept(await lastToken(service, invited))).toMatchObject({ status: 200 })
  expect(await ours.invite(invited)).toMatchObject({ status: 409, body: { code: 'already_exists' } })
})

test.for([
  'ada@münchen.example',
  'ädä@example.com',
  'ada',
  `${'a'.repeat(64)}@${'example.'.repeat(24)}com`,
  `${'a'.repeat(65)}@example.com`,
  'ada@example.com\r\nBcc: x@example.com',
  '',
])('%j is refused by name', async (email) => {
  expect(await ours.invite(email)).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'email' }] } })
})

test('neither a member nor an invited person is invited again; ended invitations do not count', async () => {
  const conflict = { status: 409, body: { code: 'already_exists' } }
  const member = await team.join('viewer')
  expect(await ours.invite(member.email)).toMatchObject(conflict)
  const { id } = (await ours.invite(guest.email)).body
  expect(await ours.invite(guest.email)).toMatchObject(conflict)
  await expire(id)
  const second = (await ours.invite(guest.email)).body
  await ours.revoke(second.id)
  const third = (await ours.invite(guest.email)).body
  const states = (await service.client(team.token).invitations.list({ team_id: team.id })).results.map((one) => [one.id, one.state])
  expect(states).toEqual([
    [third.id, 'pending'],
    [second.id, 'revoked'],
    [id, 'expired'],
  ])
  await addTeamMember(service.database, { team_id: team.id, userId: guest.id, role: 'viewer' })
  expect(await accept(await lastToken(service, guest.email))).toMatchObject(conflict)
})

test('only pending invitations can be resent or revoked', async () => {
  const expired = (await ours.invite(guest.email)).body.id
  await expire(expired)
  expect(await ours.resend(expired)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'expired' } })
  expect((await ours.revoke(expired)).status).toBe(204)
  const revoked = (await ours.invite(guest.email)).body.id
  expect((await ours.revoke(revoked)).status).toBe(204)
  expect((await ours.revoke(revoked)).status).toBe(204)
  expect(await ours.resend(revoked)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'revoked' } })
  const accepted = (await ours.invite(guest.email)).body.id
  await accept(await lastToken(service, guest.email))
  for (const answer of [await ours.revoke(accepted), await ours.resend(accepted)]) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'accepted' } })
  }
  for (const [state, id] of Object.entries({ expired, revoked, accepted })) {
    const { results } = await service.client(team.token).invitations.list({ team_id: team.id, state: state as 'expired' })
    expect(results.map((one) => [one.id, one.state])).toEqual([[id, state]])
  }
  expect((await service.client(team.token).invitations.list({ team_id: team.id, state: 'pending' })).results).toEqual([])
})

test('only an owner can invite an owner, or resend or revoke that invitation', async () => {
  const admin = await team.tokenOf('admin')
  const refusal = { status: 403, body: { code: 'insufficient_role', required_role: 'owner' } }
  expect(await ours.invite(guest.email, { role: 'owner', token: admin })).toMatchObject(refusal)
  const { id } = (await ours.invite(guest.email, { role: 'owner' })).body
  expect(await ours.resend(id, admin)).toMatchObject(refusal)
  expect(await ours.revoke(id, admin)).toMatchObject(refusal)
  expect((await ours.revoke(id)).status).toBe(204)
  expect((await ours.invite(guest.email, { role: 'admin', token: admin })).status).toBe(201)
})

test('only callers with read:contacts see e-mail addresses', async () => {
  await ours.invite(guest.email)
  const withoutContacts = scopes.filter((scope) => scope !== 'read:contacts')
  const admin = await team.tokenOf('admin', withoutContacts)
  const masked = { email: null, invited_by: { id: team.ownerId, email: null } }
  for (const token of [await team.tokenOf('viewer'), admin]) {
    const { results } = await service.client(token).invitations.list({ team_id: team.id })
    expect(results).toMatchObject([masked])
  }
  await numberFeeds(service.database, { max: 1_000 })
  const { results } = await service.client(admin).events.list({ team_id: team.id, types: ['team.invitation.created'] })
  expect(results).toMatchObject([{ data: { invitation: masked } }])
})

test('invitations of another team are not found', async () => {
  const other = await makeTeam(service.database)
  const { id } = (await ours.invite(guest.email)).body
  const theirs = invitationsOf(service, other)
  for (const answer of [await theirs.resend(id), await theirs.revoke(id)]) expect(answer).toMatchObject(NOT_FOUND)
  expect((await service.client(other.token).invitations.list({ team_id: other.id })).results).toEqual([])
})

function accept(token: string, as: Pick<Guest, 'token'> = guest): Promise<TestResponse> {
  return acceptInvitation(service, as, token)
}

function expire(id: string): Promise<unknown> {
  return service.database.run('update invitations set expires_at = now() where id = $1', [id])
}

/** Returns the events of the team, oldest first. */
async function eventsOf(type: string): Promise<unknown[]> {
  const rows = await service.database.run<{ payload: string }>('select payload from events where team_id = $1 and type = $2 order by id', [
    team.id,
    type,
  ])
  return rows.map(({ payload }) => JSON.parse(payload).data)
}
