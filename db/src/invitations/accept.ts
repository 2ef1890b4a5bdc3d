import { ApiError, plans, type Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { addMember, countMembers } from '../members.ts'
import { lockPlan, quotaExceeded } from '../quotas.ts'
import type { UserActor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { invitations } from '../tables/invitations.ts'
import { key_routes } from '../tables/key-routes.ts'
import { memberships } from '../tables/members.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import type { UserTeam } from '../users.ts'
import { mayInvite } from './beyond-role.ts'
import { columns, here, type InvitationRef, type InvitationRow } from './row.ts'

const findRoute = statement<{ tokenHash: Buffer }, InvitationRef>(
  (p) => sql`
  select team_id, record_id as invitation_id
    from ${key_routes}
   where key_hash = ${p.tokenHash}`,
)

interface Invited extends InvitationRow {
  accepted_by: string | null
  /** The role of the inviter now; null when they left the team. */
  inviter_role: Role | null
}

const findForUser = statement<InvitationRef & { tokenHash: Buffer; userId: string }, Invited>(
  (p) => sql`
  select ${columns}, i.accepted_by, m.role as inviter_role
    from ${invitations} i
    join ${users} u on u.id = ${p.userId} and lower(u.email) = lower(i.email)
    left join ${memberships} m on m.team_id = i.team_id and m.user_id = i.invited_by
   where i.team_id = ${p.team_id} and i.id = ${p.invitation_id} and i.token_hash = ${p.tokenHash}`,
)

const findTeam = statement<{ team_id: string; userId: string }, Omit<UserTeam, 'role'> & { role: Role | null }>(
  (p) => sql`
  select t.id, t.name, m.role, t.plan
    from ${teams} t
    left join ${memberships} m on m.team_id = t.id and m.user_id = ${p.userId}
   where t.id = ${p.team_id}`,
)

const accept = statement<InvitationRef & { userId: string }, never>(
  (p) => sql`
  update ${invitations}
     set state = 'accepted', accepted_at = now(), accepted_by = ${p.userId}, updated_at = now()
   where ${here(p)}`,
)

const confirmAddress = statement<{ userId: string }, never>(
  (p) => sql`
  update ${users}
     set email_verified_at = now(), updated_at = now()
   where id = ${p.userId} and email_verified_at is null`,
)

/**
 * Adds the actor to the team that a link invites to: once, with the address that was invited, while the invitation stands.
 * The same person's second call returns the membership of the first. Throws `not_found` for any link that does not work,
 * `already_exists`, `quota_exceeded`.
 */
export async function acceptInvitation(tx: Tx, actor: UserActor, tokenHash: Buffer): Promise<UserTeam> {
  const { userId } = actor
  return transaction(tx, async (tx) => {
    // The token tells which team to lock. What decides is read behind the lock, for it may have changed during the wait.
    const { team_id, invitation_id } = (await findRoute(tx, { tokenHash }))[0] ?? notFound()
    const plan = await lockPlan(tx, team_id)
    const invitation = (await findForUser(tx, { team_id, invitation_id, tokenHash, userId }))[0] ?? notFound()
    const team = onlyOne(await findTeam(tx, { team_id, userId }))
    if (team.role !== null && invitation.accepted_by === userId) return { ...team, role: team.role }
    if (invitation.state !== 'pending' || !mayInvite(invitation.inviter_role, invitation.role)) notFound()
    if (team.role !== null) throw new ApiError('already_exists', { detail: 'You are on the team already.' })
    const [used, limit] = [await countMembers(tx, team_id), plans[plan].quotas.members]
    // The plan has become smaller. Other invitations do not count here, or none of them could be accepted.
    if (used >= limit) throw quotaExceeded({ quota: 'members', limit, used, resets_at: null })

    await accept(tx, { team_id, invitation_id, userId })
    // The link came to that address by mail, so the address is confirmed too.
    await confirmAddress(tx, { userId })
    const changes = { state: { from: 'pending', to: 'accepted' } }
    await recordAudit(tx, actor, { team_id, action: 'invitation.accepted', target: 'invitation', target_id: invitation_id, changes })
    await addMember(tx, actor, { team_id, user_id: userId, role: invitation.role })
    return { ...team, role: invitation.role }
  })
}
