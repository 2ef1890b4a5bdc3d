import { type Role, roleSuffices, roles } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudits } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { invitations } from '../tables/invitations.ts'

/** Whether a person of a role may invite to a role: admins up to admin, owners to any. Null is nobody of the team. */
export function mayInvite(own: Role | null, role: Role): boolean {
  return own !== null && roleSuffices(own, 'admin') && roleSuffices(own, role)
}

const revokeBeyond = statement<{ team_id: string; user_id: string; allowed: Role[] }, { id: string }>(
  (p) => sql`
  update ${invitations}
     set state = 'revoked', revoked_at = now(), updated_at = now()
   where team_id = ${p.team_id} and invited_by = ${p.user_id} and state = 'pending' and role <> all (${p.allowed}::text[])
  returning id`,
)

/** Revokes the pending invitations of a person that their new role (null: none) does not allow, with an audit entry for each. */
export async function revokeInvitationsBeyond(
  tx: Tx,
  actor: Actor,
  { team_id, user_id, role: own }: { team_id: string; user_id: string; role: Role | null },
): Promise<void> {
  const allowed = roles.filter((role) => mayInvite(own, role))
  const revoked = await revokeBeyond(tx, { team_id, user_id, allowed })
  if (revoked.length === 0) return
  const changes = { state: { from: 'pending', to: 'revoked' } }
  const entries = revoked.map(({ id }) => ({
    team_id,
    action: 'invitation.revoked' as const,
    target: 'invitation',
    target_id: id,
    changes,
  }))
  await recordAudits(tx, actor, entries)
}
