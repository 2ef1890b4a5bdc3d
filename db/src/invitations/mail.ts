import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { countRequest } from '../access.ts'
import type { Tx } from '../driver/database.ts'
import { queueMail } from '../mails.ts'
import type { UserActor } from '../sql/actor.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import type { InvitationLink, InvitationRow } from './row.ts'

const findNames = statement<{ team_id: string; userId: string }, { team: string; inviter: string }>(
  (p) => sql`
  select t.name as team, u.name as inviter
    from ${teams} t
   cross join ${users} u
   where t.id = ${p.team_id} and u.id = ${p.userId}`,
)

/**
 * Mails the link of an invitation, in the name of the person who sends it now. How many mails an address gets from one
 * person is limited over all teams, revoked and repeated invitations included, so that nobody fills a mailbox from here.
 */
export async function mailInvitation(
  tx: Tx,
  { userId }: UserActor,
  { team_id, invitation, link }: { team_id: string; invitation: InvitationRow; link: InvitationLink },
): Promise<void> {
  const { email, role } = invitation
  // The counter is locked after the team's row, always: callers of different teams meet at the counter.
  const { used, reset_seconds } = await countRequest(tx, { subject: `invitation:${userId}:${link.mailboxOf(email)}`, limit: link.limit })
  if (used === null) {
    const detail = 'You have sent this address enough mails for now; wait for the seconds of Retry-After.'
    throw new ApiError('rate_limited', { detail, retryAfterSeconds: reset_seconds })
  }
  const names = onlyOne(await findNames(tx, { team_id, userId }))
  await queueMail(tx, { recipient: email, template: 'invitation', fields: { ...names, role, team_id }, sealed: link.sealed })
}
