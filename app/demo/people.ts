import { addTeamMember, createInvitation, createUser, type Tx, type UserRow } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import { makeInvitationLink } from '@earshot/server'
import { type Colleague, colleagueOf } from './place.ts'

interface People {
  team_id: string
  owner: Colleague
  secretBox: SecretBox
}

/** Adds an admin and a member, who have no password, and an invitation that waits. */
export async function fillPeople(tx: Tx, { team_id, owner, secretBox }: People): Promise<{ admin: Colleague; member: Colleague }> {
  const admin = await createUser(tx, { email: 'tove.berg@example.com', name: 'Tove Berg', passwordHash: null })
  const member = await createUser(tx, { email: 'sam.achebe@example.com', name: 'Sam Achebe', passwordHash: null })
  const join = (user: UserRow, role: 'admin' | 'member') => addTeamMember(tx, { team_id, userId: user.id, role })
  await join(admin, 'admin')
  await join(member, 'member')
  const link = makeInvitationLink({ secretBox, rateLimitMultiplier: 1 })
  await createInvitation(tx, owner, { team_id, email: 'ines.duarte@example.com', role: 'member' }, link)
  return { admin: colleagueOf(admin), member: colleagueOf(member) }
}
