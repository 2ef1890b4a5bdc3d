import { scopes } from '@earshot/contracts'
import { makeTeam, makeTokenOf, makeUser, type Team } from './people.ts'
import type { TestResponse, TestService } from './test-service.ts'

/** A person with an account and no team. */
export interface Guest {
  id: string
  email: string
  token: string
}

/** Requests about the invitations of a team, sent by its owner unless another token is given. */
export interface Invitations {
  path: string
  invite: (email: string, options?: { role?: string; token?: string }) => Promise<TestResponse>
  resend: (id: string, token?: string) => Promise<TestResponse>
  revoke: (id: string, token?: string) => Promise<TestResponse>
}

/** A team, its invitations, and somebody whom it may invite. */
export async function makeInvitingTeam(service: TestService): Promise<{ team: Team; guest: Guest; ours: Invitations }> {
  const team = await makeTeam(service.database)
  return { team, guest: await makeGuest(service), ours: invitationsOf(service, team) }
}

export async function makeGuest({ database }: TestService): Promise<Guest> {
  const user = await makeUser(database)
  return { id: user.id, email: user.email, token: await makeTokenOf(database, user, scopes) }
}

export function invitationsOf({ send }: TestService, team: Team): Invitations {
  const path = `/api/v1/teams/${team.id}/invitations/`
  return {
    path,
    invite: (email, { role = 'member', token = team.token } = {}) => send('POST', path, { token, body: { email, role } }),
    resend: (id, token = team.token) => send('POST', `${path}${id}/resend/`, { token }),
    revoke: (id, token = team.token) => send('DELETE', `${path}${id}/`, { token }),
  }
}

/** Accepts an invitation by the token of its link. */
export function acceptInvitation({ send }: TestService, { token }: Pick<Guest, 'token'>, linkToken: string): Promise<TestResponse> {
  return send('POST', '/api/v1/invitations/accept/', { token, body: { token: linkToken } })
}
