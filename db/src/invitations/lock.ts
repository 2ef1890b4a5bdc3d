import type { Tx } from '../driver/database.ts'
import { lockPeople, requireOwnerFor } from '../members.ts'
import type { Actor } from '../sql/actor.ts'
import { notFound } from '../sql/rows.ts'
import { findInvitation, type InvitationRef, type InvitationRow } from './row.ts'

/** Locks the team's people and finds an invitation that the actor may change: of two changes at once the second sees the first. */
export async function lockInvitation(tx: Tx, actor: Actor, ref: InvitationRef): Promise<InvitationRow> {
  const own = await lockPeople(tx, actor, ref.team_id)
  const invitation = (await findInvitation(tx, ref))[0] ?? notFound()
  requireOwnerFor(own, invitation.role)
  return invitation
}
