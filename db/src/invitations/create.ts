import { ApiError, durations, type Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { emitEvent } from '../emit-event.ts'
import { lockPeople, requireOwnerFor } from '../members.ts'
import { requireQuota } from '../quotas.ts'
import type { UserActor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { invitations } from '../tables/invitations.ts'
import { memberships } from '../tables/members.ts'
import { users } from '../tables/users.ts'
import { mailInvitation } from './mail.ts'
import { findInvitation, type InvitationLink, type InvitationRow, presentInvitation } from './row.ts'

interface NewInvitation {
  team_id: string
  email: string
  role: Role
}

const findMember = statement<{ team_id: string; email: string }, { user_id: string }>(
  (p) => sql`
  select m.user_id
    from ${memberships} m
    join ${users} u on u.id = m.user_id
   where m.team_id = ${p.team_id} and lower(u.email) = lower(${p.email})`,
)

const expire = statement<{ team_id: string; email: string }, never>(
  (p) => sql`
  update ${invitations}
     set state = 'expired'
   where team_id = ${p.team_id} and lower(email) = lower(${p.email}) and state = 'pending' and expires_at <= now()`,
)

const insert = statement<NewInvitation & { tokenHash: Buffer; userId: string; days: number }, { id: string }>(
  (p) => sql`
  insert into ${invitations} (team_id, email, role, token_hash, invited_by, expires_at)
  values (${p.team_id}, ${p.email}, ${p.role}, ${p.tokenHash}, ${p.userId}, now() + ${p.days}::int * interval '1 day')
  on conflict (team_id, lower(email)) where state = 'pending' do nothing
  returning id`,
)

/**
 * Invites an address, with event and mail. A pending invitation takes a place of the team. Throws `insufficient_role` where
 * only an owner may, `quota_exceeded`, `already_exists` for a member and for a pending invitation, `rate_limited`.
 */
export async function createInvitation(tx: Tx, actor: UserActor, invited: NewInvitation, link: InvitationLink): Promise<InvitationRow> {
  const { team_id, email, role } = invited
  return transaction(tx, async (tx) => {
    requireOwnerFor(await lockPeople(tx, actor, team_id), role)
    await requireQuota(tx, team_id, 'members')
    if ((await findMember(tx, { team_id, email })).length > 0)
      throw new ApiError('already_exists', { detail: 'This person is on the team already.' })
    await expire(tx, { team_id, email })
    const { userId } = actor
    const [created] = await insert(tx, { team_id, email, role, tokenHash: link.tokenHash, userId, days: durations.invitationDays })
    if (!created) throw new ApiError('already_exists', { detail: 'This address has a pending invitation already.' })
    const invitation = onlyOne(await findInvitation(tx, { team_id, invitation_id: created.id }))
    // The entry does not name the address: the log is read without read:contacts too.
    const changes = { role: { from: null, to: role } }
    await recordAudit(tx, actor, { team_id, action: 'invitation.created', target: 'invitation', target_id: created.id, changes })
    await emitEvent(tx, { team_id, type: 'team.invitation.created', data: { invitation: presentInvitation(invitation) } })
    await mailInvitation(tx, actor, { team_id, invitation, link })
    return invitation
  })
}
