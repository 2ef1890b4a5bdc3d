import type { InvitationState, Role } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from './access.ts'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { indexedList, type Listed, listedPage, scannedList, walkOf } from './sql/bounded-list.ts'
import { type Page, type PageQuery, pageBounds } from './sql/pages.ts'
import { onlyOne } from './sql/rows.ts'
import { statement, statementsByKey } from './sql/statement.ts'
import { invitations } from './tables/invitations.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'
import type { UserRow, UserTeam } from './users.ts'

/** An invitation with its state as it is now, and who invited as the person is now. */
export type InvitationRow = Pick<
  typeof invitations.$inferSelect,
  'id' | 'email' | 'role' | 'state' | 'expires_at' | 'accepted_at' | 'updated_at' | 'created_at'
> & { inviter: Pick<UserRow, 'id' | 'name' | 'email' | 'avatar_url'> | null }

/** Where an invitation is: team, id. */
interface InvitationRef {
  team_id: string
  invitation_id: string
}

/** The link of a mail: its token's hash, the token sealed for the mail, and how many such mails are let through. */
export interface InvitationLink {
  tokenHash: Buffer
  sealed: Buffer
  limit: Limit
}

const { placeholder } = sql
const invitation = sql`${placeholder('team_id')}::uuid, ${placeholder('invitation_id')}::uuid`
const link = sql`${placeholder('tokenHash')}::bytea, ${placeholder('sealed')}::bytea, ${placeholder('max')}::int, ${placeholder('windowSeconds')}::int`
const linkValues = ({ tokenHash, sealed, limit }: InvitationLink) => ({ tokenHash, sealed, ...limit })

const stateNow = sql`invitation_state(i.state, i.expires_at)`
const columns = sql`i.id, i.email, i.role, ${stateNow} as state, i.expires_at, i.accepted_at, i.updated_at, i.created_at,
         (select team_user_payload(u) from ${users} u where u.id = i.invited_by) as inviter`

const ofTeam = sql`
      from ${invitations} s
     where s.team_id = ${placeholder('team_id')}`

const list = statementsByKey<object, Listed<InvitationRow>>((filter) => {
  const walk = walkOf(ofTeam, sql`s.id`, 'ever')
  const isInState = sql`invitation_state(s.state, s.expires_at) = ${placeholder('state')}`
  return sql`
    select ${columns}, i.matches
      from (${filter === 'state' ? scannedList(walk, [isInState]) : indexedList(walk)}) i
     order by i.id desc`
})

/** Newest first. */
export async function listInvitations<Item>(
  tx: Tx,
  { team_id, state, limit, ...query }: PageQuery & { team_id: string; state?: InvitationState | undefined },
  present: (row: InvitationRow) => Item,
): Promise<Page<Item>> {
  const rows = await list(state === undefined ? 'all' : 'state')(tx, { ...pageBounds({ limit, ...query }), team_id, state })
  return listedPage(rows, limit, present)
}

const changed = (call: SQL) => sql`
  select ${columns}
    from ${call} i`

const create = statement<object, InvitationRow>(
  changed(
    sql`create_invitation(${actorParameter}, ${placeholder('team_id')}::uuid, ${placeholder('email')}, ${placeholder('role')}, ${link})`,
  ),
)

/**
 * Invites an address, with event and mail. Throws `insufficient_role` where only an owner may, `quota_exceeded`,
 * `already_exists` for a member and for a pending invitation, `rate_limited`.
 */
export async function createInvitation(
  tx: Tx,
  actor: Actor,
  { team_id, email, role }: { team_id: string; email: string; role: Role },
  newLink: InvitationLink,
): Promise<InvitationRow> {
  return onlyOne(await create(tx, { ...actorValues(actor), team_id, email, role, ...linkValues(newLink) }))
}

const resend = statement<object, InvitationRow>(changed(sql`resend_invitation(${actorParameter}, ${invitation}, ${link})`))

/** Mails a pending one again; the link before stops working. Throws `state_conflict`, `insufficient_role`, `rate_limited`. */
export async function resendInvitation(tx: Tx, actor: Actor, ref: InvitationRef, newLink: InvitationLink): Promise<InvitationRow> {
  return onlyOne(await resend(tx, { ...actorValues(actor), ...ref, ...linkValues(newLink) }))
}

const revoke = statement<object, object>(sql`
  select revoke_invitation(${actorParameter}, ${invitation})`)

/** Its link stops working. Throws `state_conflict` for one that was accepted, `insufficient_role`. */
export async function revokeInvitation(tx: Tx, actor: Actor, ref: InvitationRef): Promise<void> {
  await revoke(tx, { ...actorValues(actor), ...ref })
}

const accept = statement<object, UserTeam>(sql`
  select t.id, t.name, joined.role, t.plan
    from accept_invitation(${actorParameter}, ${placeholder('tokenHash')}) joined
    join ${teams} t on t.id = joined.team_id`)

/** The actor joins the team. Throws `not_found` for any link that does not work, `already_exists`, `quota_exceeded`. */
export async function acceptInvitation(tx: Tx, actor: Actor, tokenHash: Buffer): Promise<UserTeam> {
  return onlyOne(await accept(tx, { ...actorValues(actor), tokenHash }))
}
