import { plans, scopes } from '@earshot/contracts'
import { setTeamPlan } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptInvitation, type Guest, invitationsOf, makeGuest } from '../support/invitations.ts'
import { lastToken } from '../support/mails.ts'
import { makeTeam, makeTokenOf, makeUser, type Team } from '../support/people.ts'
import { meanwhile } from '../support/request-while-locked.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const ROUNDS = 10
const ACCEPTORS = 10
const { members: PRO_MEMBERS } = plans.pro.quotas

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('twenty concurrent acceptances create one membership and one event, and get the same response', async () => {
  const team = await makeTeam(service.database)
  const guest = await inviteGuest(team)
  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(guest)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body.id, body.role])))).toEqual(
    new Set([JSON.stringify([200, team.id, 'member'])]),
  )
  expect(await countsOf(team)).toEqual({ members: 2, events: 1, lines: 1 })
})

test('of a concurrent revocation and acceptance exactly one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const team = await makeTeam(service.database)
    const guest = await inviteGuest(team)
    const [accepted, revoked] = await Promise.all([accept(guest), invitationsOf(service, team).revoke(guest.invitationId)])
    expect([
      { accepted: 200, revoked: 409, members: 2, events: 1, lines: 1 },
      { accepted: 404, revoked: 204, members: 1, events: 0, lines: 0 },
    ]).toContainEqual({ accepted: accepted.status, revoked: revoked.status, ...(await countsOf(team)) })
  }
})

test('a pending invitation uses a seat, and an ended one frees it', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  const usedOf = async () => {
    const { quotas } = await service.client(team.token).teams.usage({ team_id: team.id })
    return quotas.find(({ quota }) => quota === 'members')?.used
  }
  const [first, second] = [await inviteGuest(team), await inviteGuest(team)]
  expect(await usedOf()).toBe(3)
  await accept(first)
  expect(await usedOf()).toBe(3)
  await invitationsOf(service, team).revoke(second.invitationId)
  expect(await usedOf()).toBe(2)
  const third = await inviteGuest(team)
  await service.database.run('update invitations set expires_at = now() where id = $1', [third.invitationId])
  expect(await usedOf()).toBe(2)
})

test('of concurrent invitations for the last seat one is created', async () => {
  const team = await makeTeam(service.database, { plan: 'pro' })
  for (let taken = 2; taken < PRO_MEMBERS; taken += 1) await inviteGuest(team)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => invitationsOf(service, team).invite(`last-${index}-${team.id}@example.com`)),
  )
  expect(statusesOf(answers)).toEqual([201, ...Array<number>(9).fill(402)])
  const refused = answers.find(({ status }) => status === 402)?.body
  expect(refused).toMatchObject({ code: 'quota_exceeded', quota: 'members', limit: PRO_MEMBERS, used: PRO_MEMBERS, resets_at: null })
})

test('of ten concurrent acceptances one gets the last seat after a downgrade', async () => {
  const team = await makeTeam(service.database)
  const guests = await Promise.all(Array.from({ length: ACCEPTORS }, () => inviteGuest(team)))
  await setTeamPlan(service.database, { team_id: team.id, plan: 'free' })
  const answers = await Promise.all(guests.map(accept))
  expect(statusesOf(answers)).toEqual([200, ...Array<number>(ACCEPTORS - 1).fill(402)])
  expect(await countsOf(team)).toEqual({ members: plans.free.quotas.members, events: 1, lines: 1 })
})

test('the plan at the moment of joining counts', async () => {
  const team = await makeTeam(service.database)
  const guest = await inviteGuest(team)
  for (let members = 1; members < PRO_MEMBERS; members += 1) await team.join('viewer')
  const change = ['update teams set plan = $2 where id = $1', [team.id, 'pro']] as const
  const answer = await meanwhile(service, team, { change, request: () => accept(guest) })
  expect(answer).toMatchObject({ status: 402, body: { quota: 'members', limit: PRO_MEMBERS } })
})

test('nobody invites while they are being demoted or their team is being deleted', async () => {
  const team = await makeTeam(service.database)
  const admin = await team.join('admin')
  const token = await makeTokenOf(service.database, admin, scopes)
  const request = () => invitationsOf(service, team).invite(`late-${team.id}@example.com`, { token })
  const remove = ['update teams set deleted_at = now() where id = $1', [team.id]] as const
  const demote = ["update memberships set role = 'member' where team_id = $1 and user_id = $2", [team.id, admin.id]] as const
  expect(await meanwhile(service, team, { change: demote, request })).toMatchObject({ status: 403, body: { required_role: 'admin' } })
  await service.database.run("update memberships set role = 'admin' where team_id = $1 and user_id = $2", [team.id, admin.id])
  expect(await meanwhile(service, team, { change: remove, request })).toMatchObject({ status: 404 })
  expect(await service.database.run('select from invitations where team_id = $1', [team.id])).toEqual([])
})

test('an address gets at most five mails an hour from one person, despite revocations, and a refusal changes nothing', async () => {
  const strict = await startTestService({ rateLimitMultiplier: 1 })
  const team = await makeTeam(strict.database)
  const client = strict.client(team.token)
  const { email } = await makeUser(strict.database)
  const at = { team_id: team.id }
  let { id: invitation_id } = await client.invitations.create({ ...at, email, role: 'viewer' })
  await client.invitations.resend({ ...at, invitation_id })
  await client.invitations.delete({ ...at, invitation_id })
  invitation_id = (await client.invitations.create({ ...at, email: email.toUpperCase(), role: 'viewer' })).id
  for (const _ of [4, 5]) await client.invitations.resend({ ...at, invitation_id })
  const before = await strict.database.run('select * from invitations order by id', [])
  const refused = await invitationsOf(strict, team).resend(invitation_id)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await strict.database.run('select * from invitations order by id', [])).toEqual(before)
  expect(await strict.database.client`select from mails`).toHaveLength(5)
  expect(await client.invitations.create({ ...at, email: 'another@example.com', role: 'viewer' })).toMatchObject({ state: 'pending' })
  await strict.close()
})

interface InvitedGuest extends Guest {
  invitationId: string
  linkToken: string
}

async function inviteGuest(team: Team): Promise<InvitedGuest> {
  const guest = await makeGuest(service)
  const { body } = await invitationsOf(service, team).invite(guest.email)
  return { ...guest, invitationId: body.id, linkToken: await lastToken(service, guest.email) }
}

function accept(guest: InvitedGuest): Promise<TestResponse> {
  return acceptInvitation(service, guest, guest.linkToken)
}

async function countsOf({ id }: Team): Promise<Record<'members' | 'events' | 'lines', number> | undefined> {
  const [counts] = await service.database.run<Record<'members' | 'events' | 'lines', number>>(
    `select (select count(*)::int from memberships where team_id = $1) as members,
            (select count(*)::int from events where team_id = $1 and type = 'team.member.added') as events,
            (select count(*)::int from audit_entries where team_id = $1 and action = 'invitation.accepted') as lines`,
    [id],
  )
  return counts
}

function statusesOf(answers: TestResponse[]): number[] {
  return answers.map(({ status }) => status).sort()
}
