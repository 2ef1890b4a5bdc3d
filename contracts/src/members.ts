import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Role } from './roles.ts'
import { Id, listOf, Page, timestamp } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

export const Member = z
  .object({ user: TeamUser, role: Role, joined_at: timestamp('Time when the person joined.') })
  .meta({ id: 'Member', description: 'A member of a team.' })

const MemberRef = TeamRef.extend({ user_id: Id.meta({ description: 'The person.' }) })

export const members = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/members/`,
    summary: 'List the members of a team',
    description: 'Ordered by user id, newest account first.',
    scope: 'read:members',
    role: 'viewer',
    input: TeamRef.extend(Page.shape),
    output: listOf('Member', Member),
  }),
  update: operation({
    method: 'PATCH',
    path: `${TEAM}/members/{user_id}/`,
    summary: 'Change the role of a member',
    description: 'Admins can grant roles up to admin; only an owner can add and remove owners. A team must have at least one owner.',
    scope: 'write:members',
    role: 'admin',
    errors: ['last_owner'],
    input: MemberRef.extend({ role: Role }),
    output: Member,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/members/{user_id}/`,
    summary: 'Remove a member from a team',
    description:
      'The member loses access to the team with the next request. Only an owner can remove an owner, and the last owner cannot be removed.',
    scope: 'write:members',
    role: 'admin',
    errors: ['last_owner'],
    input: MemberRef,
    output: NoContent,
  }),
  transferOwnership: operation({
    method: 'POST',
    path: `${TEAM}/members/{user_id}/transfer-ownership/`,
    hints: { destructive: true },
    summary: 'Transfer the ownership of a team',
    description: 'The member becomes an owner and you become an admin, in one step. Other owners stay.',
    scope: 'write:members',
    role: 'owner',
    input: MemberRef,
    output: Member,
  }),
}
