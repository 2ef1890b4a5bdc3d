import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Role } from './roles.ts'
import { Id, listOf, Page, timestamp } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

export const Member = z
  .object({ user: TeamUser, role: Role, joined_at: timestamp('When the person joined.') })
  .meta({ id: 'Member', description: 'A person on the team.' })

const MemberRef = TeamRef.extend({ user_id: Id.meta({ description: 'The person.' }) })

export const members = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/members/`,
    summary: 'List the people on a team',
    description: 'By user id, the youngest account first.',
    scope: 'read:members',
    role: 'viewer',
    input: TeamRef.extend(Page.shape),
    output: listOf('Member', Member),
  }),
  update: operation({
    method: 'PATCH',
    path: `${TEAM}/members/{user_id}/`,
    summary: "Change a person's role",
    description: 'An admin gives roles up to admin; only an owner makes and unmakes owners. A team keeps at least one owner.',
    scope: 'write:members',
    role: 'admin',
    errors: ['last_owner'],
    input: MemberRef.extend({ role: Role }),
    output: Member,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/members/{user_id}/`,
    summary: 'Remove a person from a team',
    description:
      'Their credentials see nothing of the team from the next request on. Only an owner removes an owner, and never the last one.',
    scope: 'write:members',
    role: 'admin',
    errors: ['last_owner'],
    input: MemberRef,
    output: NoContent,
  }),
  transferOwnership: operation({
    method: 'POST',
    path: `${TEAM}/members/{user_id}/transfer-ownership/`,
    summary: 'Hand the team over to a member',
    description: 'The member becomes an owner and you an admin, at the same moment. Other owners stay.',
    scope: 'write:members',
    role: 'owner',
    input: MemberRef,
    output: Member,
  }),
}
