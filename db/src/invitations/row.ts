import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from '../access.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { invitations } from '../tables/invitations.ts'
import { type TeamUser, teamUserJson } from '../users.ts'

/** An invitation with its state as it is now, and who invited as the person is now. */
export type InvitationRow = Pick<
  typeof invitations.$inferSelect,
  'team_id' | 'id' | 'email' | 'role' | 'state' | 'expires_at' | 'accepted_at' | 'updated_at' | 'created_at'
> & { inviter: TeamUser | null }

/** Names an invitation: team, id. */
export interface InvitationRef {
  team_id: string
  invitation_id: string
}

/** The link of a mail: its token's hash, the token sealed for the mail, and how many such mails are let through to a mailbox. */
export interface InvitationLink {
  tokenHash: Buffer
  sealed: Buffer
  limit: Limit
  /** What stands for an address where mails to it are counted: no table of counters holds an address. */
  mailboxOf: (email: string) => string
}

/** The state as everybody sees it: an invitation expires without anything happening to its row. */
export const stateNow = (alias: SQL) =>
  sql`case when ${alias}.state = 'pending' and ${alias}.expires_at <= now() then 'expired' else ${alias}.state end`
export const columns = sql`i.team_id, i.id, i.email, i.role, ${stateNow(sql`i`)} as state, i.expires_at, i.accepted_at, i.updated_at, i.created_at,
         ${teamUserJson(sql`i.invited_by`)} as inviter`
export const here = (p: Parameters<InvitationRef>) => sql`team_id = ${p.team_id} and id = ${p.invitation_id}`

/** Returns an invitation as the API shows it. */
export function presentInvitation(row: InvitationRow) {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    state: row.state,
    invited_by: row.inviter,
    expires_at: toTimestamp(row.expires_at),
    accepted_at: toTimestamp(row.accepted_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

export const findInvitation = statement<InvitationRef, InvitationRow>(
  (p) => sql`
  select ${columns}
    from ${invitations} i
   where ${here(p)}`,
)
