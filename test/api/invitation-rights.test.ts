import { scopes } from '@earshot/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { acceptInvitation, type Guest, type Invitations, makeGuest, makeInvitingTeam } from '../support/invitations.ts'
import { lastToken } from '../support/mails.ts'
import { makeTokenOf, type Team } from '../support/people.ts'
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

test('who loses the right to invite loses the pending invitations that needed it, and the audit log says so', async () => {
  const { members } = service.client(team.token)
  const inviter = await team.join('owner')
  const token = await makeTokenOf(service.database, inviter, scopes)
  const [asOwner, asAdmin, asMember] = await Promise.all(Array.from({ length: 3 }, () => makeGuest(service)))
  for (const [invited, role] of [
    [asOwner, 'owner'],
    [asAdmin, 'admin'],
    [asMember, 'member'],
  ] as const)
    expect((await ours.invite(invited?.email ?? '', { role, token })).status).toBe(201)
  const tryAll = () =>
    Promise.all(
      [asOwner, asAdmin, asMember].map(async (invited) => (await accept(await lastToken(service, invited?.email ?? ''), invited)).status),
    )

  await members.update({ team_id: team.id, user_id: inviter.id, role: 'admin' })
  expect(await tryAll()).toEqual([404, 200, 200])
  await Promise.all([asAdmin, asMember].map((joined) => members.delete({ team_id: team.id, user_id: joined?.id ?? '' })))
  await ours.invite(asAdmin?.email ?? '', { role: 'viewer', token })
  await members.delete({ team_id: team.id, user_id: inviter.id })
  expect(await tryAll()).toEqual([404, 404, 404])

  const { results } = await service.client(team.token).invitations.list({ team_id: team.id, state: 'revoked' })
  expect(results.map(({ role }) => role).toSorted()).toEqual(['owner', 'viewer'])
  const revoked = await service.database.run<{ target_id: string; actor_user_id: string }>(
    "select target_id, actor_user_id from audit_entries where team_id = $1 and action = 'invitation.revoked'",
    [team.id],
  )
  expect(revoked.map(({ target_id }) => target_id).toSorted()).toEqual(results.map(({ id }) => id).toSorted())
  expect(new Set(revoked.map(({ actor_user_id }) => actor_user_id))).toEqual(new Set([team.ownerId]))
})

test('an invitation does not outlive its inviter’s right, however that ended', async () => {
  const inviter = await team.join('admin')
  await ours.invite(guest.email, { role: 'admin', token: await makeTokenOf(service.database, inviter, scopes) })
  await service.database.run("update memberships set role = 'member' where team_id = $1 and user_id = $2", [team.id, inviter.id])
  expect(await accept(await lastToken(service, guest.email))).toMatchObject(NOT_FOUND)
  await service.database.run("update memberships set role = 'admin' where team_id = $1 and user_id = $2", [team.id, inviter.id])
  expect(await accept(await lastToken(service, guest.email))).toMatchObject({ status: 200 })
})

function accept(token: string, as: Pick<Guest, 'token'> = guest): Promise<TestResponse> {
  return acceptInvitation(service, as, token)
}
