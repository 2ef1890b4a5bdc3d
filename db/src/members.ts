import type { Role } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { memberships } from './tables/members.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

/** A person on a team; the id is the user's. */
export type MemberRow = Pick<UserRow, 'id' | 'name' | 'email' | 'avatar_url'> & { role: Role; joined_at: string }

/** Where a member is: team, user. */
interface MemberRef {
  team_id: string
  user_id: string
}

const { placeholder } = sql
const member = sql`${placeholder('team_id')}::uuid, ${placeholder('user_id')}::uuid`

const read = (which: SQL) => sql`
  select u.id, u.name, u.email, u.avatar_url, m.role, m.joined_at
    from ${memberships} m
    join ${users} u on u.id = m.user_id
   where m.team_id = ${placeholder('team_id')} and ${which}`

const list = statement<object, MemberRow>(sql`
  ${read(sql`m.user_id < ${placeholder('before')}`)}
   order by m.user_id desc
   limit ${placeholder('take')}`)

export async function listMembers<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: MemberRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

// The function's result comes first, so the member is read as it left it.
const changed = (call: SQL) => sql`
  with changed as materialized (select ${call})
  select u.id, u.name, u.email, u.avatar_url, ${placeholder('role')}::text as role, m.joined_at
    from changed
    join ${memberships} m on m.team_id = ${placeholder('team_id')} and m.user_id = ${placeholder('user_id')}
    join ${users} u on u.id = m.user_id`

const update = statement<object, MemberRow>(changed(sql`change_member(${actorParameter}, ${member}, ${placeholder('role')})`))

/** Throws `insufficient_role` where only an owner may, `last_owner`. */
export async function updateMember(tx: Tx, actor: Actor, ref: MemberRef & { role: Role }): Promise<MemberRow> {
  return (await update(tx, { ...actorValues(actor), ...ref }))[0] ?? notFound()
}

const transfer = statement<object, MemberRow>(changed(sql`transfer_ownership(${actorParameter}, ${member})`))

/** The member becomes an owner and the actor an admin. */
export async function transferOwnership(tx: Tx, actor: Actor, ref: MemberRef): Promise<MemberRow> {
  return (await transfer(tx, { ...actorValues(actor), ...ref, role: 'owner' }))[0] ?? notFound()
}

const remove = statement<object, object>(sql`
  select change_member(${actorParameter}, ${member}, null)`)

/** Throws `insufficient_role` where only an owner may, `last_owner`. */
export async function removeMember(tx: Tx, actor: Actor, ref: MemberRef): Promise<void> {
  await remove(tx, { ...actorValues(actor), ...ref })
}
