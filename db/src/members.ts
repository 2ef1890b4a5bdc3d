import { ApiError, type Role, roleSuffices } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { emitEvent } from './emit-event.ts'
import { revokeInvitationsBeyond } from './invitations/beyond-role.ts'
import { lockPlan } from './quotas.ts'
import type { Actor } from './sql/actor.ts'
import { recordAudit } from './sql/audit.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { toTimestamp } from './sql/timestamps.ts'
import { memberships } from './tables/members.ts'
import { users } from './tables/users.ts'
import { type TeamUser, teamUser, teamUserColumns } from './users.ts'

/** A person on a team; the id is the user's. */
export type MemberRow = TeamUser & { team_id: string; role: Role; joined_at: string }

/** Names a membership: team, user. */
export interface MemberRef {
  team_id: string
  user_id: string
}

const read = (p: Parameters<{ team_id: string }>, which: SQL) => sql`
  select m.team_id, ${teamUserColumns}, m.role, m.joined_at
    from ${memberships} m
    join ${users} u on u.id = m.user_id
   where m.team_id = ${p.team_id} and ${which}`

const list = statement<PageBounds & { team_id: string }, MemberRow>(
  (p) => sql`
  ${read(p, sql`m.user_id < ${p.before}`)}
   order by m.user_id desc
   limit ${p.take}`,
)

/** Lists the people on a team, by user id, the youngest account first. */
export async function listMembers<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: MemberRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

const find = statement<MemberRef, MemberRow>((p) => read(p, sql`m.user_id = ${p.user_id}`))

/** Returns a member as the API shows it. */
export function presentMember({ role, joined_at, ...user }: MemberRow) {
  return { user: teamUser(user), role, joined_at: toTimestamp(joined_at) }
}

/**
 * Locks a team's people and invitations: all changes of either meet at the team's row, so that owners and places are
 * counted exactly. Returns the actor's own role, read behind that lock: of two owners who demote each other at once, one is
 * no owner any more when the lock is granted. Throws `not_found`, `insufficient_role`.
 */
export async function lockPeople(tx: Tx, actor: Actor, team_id: string): Promise<Role> {
  await lockPlan(tx, team_id)
  const own = actor.userId === null ? undefined : (await find(tx, { team_id, user_id: actor.userId }))[0]
  if (!own) notFound()
  requireRole(own.role, 'admin')
  return own.role
}

/** Throws `insufficient_role` when an owner's role is concerned and the actor is none: only owners make, unmake and invite owners. */
export function requireOwnerFor(own: Role, ...concerned: Role[]): void {
  if (concerned.includes('owner')) requireRole(own, 'owner')
}

function requireRole(own: Role, required: Role): void {
  if (!roleSuffices(own, required)) throw new ApiError('insufficient_role', { required_role: required })
}

/** Gives a person on the team another role. Throws `not_found`, `insufficient_role`, `last_owner`. */
export async function updateMember(tx: Tx, actor: Actor, { role, ...ref }: MemberRef & { role: Role }): Promise<MemberRow> {
  return transaction(tx, async (tx) => {
    const own = await lockPeople(tx, actor, ref.team_id)
    return changeRole(tx, actor, own, { ...ref, role })
  })
}

/**
 * Makes a member an owner and the actor an admin: one change, so that the team has an owner at every moment. Throws
 * `not_found`, `insufficient_role`. An owner who names themselves changes nothing.
 */
export async function transferOwnership(tx: Tx, actor: Actor, ref: MemberRef): Promise<MemberRow> {
  return transaction(tx, async (tx) => {
    const own = await lockPeople(tx, actor, ref.team_id)
    const owner = await changeRole(tx, actor, own, { ...ref, role: 'owner' })
    if (actor.userId !== null && actor.userId !== ref.user_id) {
      await changeRole(tx, actor, own, { team_id: ref.team_id, user_id: actor.userId, role: 'admin' })
    }
    return owner
  })
}

const count = statement<{ team_id: string }, { members: number }>(
  (p) => sql`
  select count(*)::int as members
    from ${memberships}
   where team_id = ${p.team_id}`,
)

/** Counts the people on a team, without pending invitations. */
export async function countMembers(tx: Tx, team_id: string): Promise<number> {
  return onlyOne(await count(tx, { team_id })).members
}

const findRoles = statement<{ userId: string }, { role: Role }>(
  (p) => sql`
  select distinct role
    from ${memberships}
   where user_id = ${p.userId}`,
)

/** Returns the roles that a person has, each once, in whichever teams. */
export async function listRoles(tx: Tx, userId: string): Promise<Role[]> {
  return (await findRoles(tx, { userId })).map(({ role }) => role)
}

const setRole = statement<MemberRef & { role: Role }, never>(
  (p) => sql`
  update ${memberships}
     set role = ${p.role}
   where team_id = ${p.team_id} and user_id = ${p.user_id}`,
)

/** Changes a role behind the lock of `lockPeople`. */
async function changeRole(tx: Tx, actor: Actor, own: Role, { role, ...ref }: MemberRef & { role: Role }): Promise<MemberRow> {
  const before = (await find(tx, ref))[0] ?? notFound()
  requireOwnerFor(own, before.role, role)
  if (before.role === role) return before
  if (before.role === 'owner') await requireAnotherOwner(tx, ref)
  await setRole(tx, { ...ref, role })
  await revokeInvitationsBeyond(tx, actor, { ...ref, role })
  await recordAudit(tx, actor, { ...target(ref), action: 'member.updated', changes: { role: { from: before.role, to: role } } })
  return { ...before, role }
}

const remove = statement<MemberRef, never>(
  (p) => sql`
  delete from ${memberships}
   where team_id = ${p.team_id} and user_id = ${p.user_id}`,
)

/** Removes a person from the team. Throws `not_found`, `insufficient_role`, `last_owner`. */
export async function removeMember(tx: Tx, actor: Actor, ref: MemberRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const own = await lockPeople(tx, actor, ref.team_id)
    const member = (await find(tx, ref))[0] ?? notFound()
    requireOwnerFor(own, member.role)
    if (member.role === 'owner') await requireAnotherOwner(tx, ref)
    await remove(tx, ref)
    await revokeInvitationsBeyond(tx, actor, { ...ref, role: null })
    await recordAudit(tx, actor, { ...target(ref), action: 'member.removed', changes: { role: { from: member.role, to: null } } })
  })
}

const findAnotherOwner = statement<MemberRef & { role: Role }, { user_id: string }>(
  (p) => sql`
  select user_id
    from ${memberships}
   where team_id = ${p.team_id} and role = ${p.role} and user_id <> ${p.user_id}
   limit 1`,
)

async function requireAnotherOwner(tx: Tx, ref: MemberRef): Promise<void> {
  if ((await findAnotherOwner(tx, { ...ref, role: 'owner' })).length === 0) throw new ApiError('last_owner')
}

const add = statement<MemberRef & { role: Role }, never>(
  (p) => sql`
  insert into ${memberships} (team_id, user_id, role)
  values (${p.team_id}, ${p.user_id}, ${p.role})`,
)

/** Adds a person to the team, with event and audit entry. Whether there is room is for the caller to check. Throws `already_exists`. */
export async function addMember(tx: Tx, actor: Actor, { role, ...ref }: MemberRef & { role: Role }): Promise<void> {
  await add(tx, { ...ref, role })
  const member = (await find(tx, ref))[0] ?? notFound()
  await emitEvent(tx, { team_id: ref.team_id, type: 'team.member.added', data: { member: presentMember(member) } })
  await recordAudit(tx, actor, { ...target(ref), action: 'member.added', changes: { role: { from: null, to: role } } })
}

/** What an audit entry says of a member. */
function target({ team_id, user_id }: MemberRef) {
  return { team_id, target: 'user', target_id: user_id }
}
