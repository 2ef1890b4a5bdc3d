import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { invitations } from '../tables/invitations.ts'
import { lockInvitation } from './lock.ts'
import { here, type InvitationRef } from './row.ts'

const revoke = statement<InvitationRef, never>(
  (p) => sql`
  update ${invitations}
     set state = 'revoked', revoked_at = now(), updated_at = now()
   where ${here(p)}`,
)

/**
 * Revokes a pending invitation: its link stops working. A revoked or expired one stays as it is, without an audit entry.
 * Throws `state_conflict` for an accepted one, `insufficient_role`.
 */
export async function revokeInvitation(tx: Tx, actor: Actor, { team_id, invitation_id }: InvitationRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const { state } = await lockInvitation(tx, actor, { team_id, invitation_id })
    if (state === 'accepted') throw new ApiError('state_conflict', { current_state: state })
    if (state !== 'pending') return
    await revoke(tx, { team_id, invitation_id })
    const changes = { state: { from: 'pending', to: 'revoked' } }
    await recordAudit(tx, actor, { team_id, action: 'invitation.revoked', target: 'invitation', target_id: invitation_id, changes })
  })
}
