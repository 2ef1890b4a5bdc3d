import { ApiError, durations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { UserActor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { invitations } from '../tables/invitations.ts'
import { lockInvitation } from './lock.ts'
import { mailInvitation } from './mail.ts'
import { findInvitation, here, type InvitationLink, type InvitationRef, type InvitationRow } from './row.ts'

const renew = statement<InvitationRef & { tokenHash: Buffer; days: number }, never>(
  (p) => sql`
  update ${invitations}
     set token_hash = ${p.tokenHash}, expires_at = now() + ${p.days}::int * interval '1 day', updated_at = now()
   where ${here(p)}`,
)

/** Mails a pending invitation again; the link before stops working. Throws `state_conflict`, `insufficient_role`, `rate_limited`. */
export async function resendInvitation(
  tx: Tx,
  actor: UserActor,
  { team_id, invitation_id }: InvitationRef,
  link: InvitationLink,
): Promise<InvitationRow> {
  return transaction(tx, async (tx) => {
    const before = await lockInvitation(tx, actor, { team_id, invitation_id })
    if (before.state !== 'pending') throw new ApiError('state_conflict', { current_state: before.state })
    await renew(tx, { team_id, invitation_id, tokenHash: link.tokenHash, days: durations.invitationDays })
    const invitation = onlyOne(await findInvitation(tx, { team_id, invitation_id }))
    const changes = { expires_at: { from: toTimestamp(before.expires_at), to: toTimestamp(invitation.expires_at) } }
    await recordAudit(tx, actor, { team_id, action: 'invitation.resent', target: 'invitation', target_id: invitation_id, changes })
    await mailInvitation(tx, actor, { team_id, invitation, link })
    return invitation
  })
}
