import type { Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'
import { createTeam, type TeamRow } from './teams.ts'
import { createToken, type NewToken, type TokenRow } from './tokens.ts'
import type { UserRow } from './users.ts'

const { placeholder } = sql
const UNBOUNDED = 2_147_483_647

const create = statement<{ email: string; name: string; passwordHash: string | null }, UserRow>(sql`
  insert into ${users} (email, name, password_hash, email_verified_at)
  values (${placeholder('email')}, ${placeholder('name')}, ${placeholder('passwordHash')}, now())
  returning *`)

/** The operator's word counts as the verification of the address. Throws `already_exists`. */
export async function createUser(tx: Tx, user: { email: string; name: string; passwordHash: string | null }): Promise<UserRow> {
  return onlyOne(await create(tx, user))
}

const find = statement<{ email: string }, UserRow>(sql`
  select *
    from ${users}
   where lower(email) = lower(${placeholder('email')})`)

export async function findUserByEmail(tx: Tx, email: string): Promise<UserRow> {
  return (await find(tx, { email }))[0] ?? notFound()
}

/** A team made by the operator: no bound on how many. */
export async function createTeamFor(tx: Tx, owner: UserRow, { name, plan }: { name: string; plan: Plan }): Promise<TeamRow> {
  return createTeam(tx, operatorFor(owner.id), { name }, { plan, maxTeams: UNBOUNDED })
}

const addMember = statement<object, object>(sql`
  select add_member(${actorParameter}, t.id, ${placeholder('userId')}, ${placeholder('role')})
    from ${teams} t
   where t.id = ${placeholder('team_id')} and t.deleted_at is null`)

/** Somebody joins a team, with its event. Throws `not_found`, `already_exists`. */
export async function addTeamMember(tx: Tx, member: { team_id: string; userId: string; role: Role }): Promise<void> {
  if ((await addMember(tx, { ...actorValues(operatorFor(member.userId)), ...member })).length === 0) notFound()
}

const setPlan = statement<{ team_id: string; plan: Plan }, { id: string }>(sql`
  update ${teams}
     set plan = ${placeholder('plan')}, updated_at = now()
   where id = ${placeholder('team_id')} and deleted_at is null
  returning id`)

/** Bites on the next request. */
export async function setTeamPlan(tx: Tx, change: { team_id: string; plan: Plan }): Promise<void> {
  if ((await setPlan(tx, change)).length === 0) notFound()
}

/** A token without a parent. */
export async function createTokenFor(
  tx: Tx,
  owner: UserRow,
  token: Omit<NewToken, 'parentId' | 'expiresAt'> & { scopes: readonly Scope[] },
): Promise<TokenRow> {
  return createToken(tx, operatorFor(owner.id), { ...token, parentId: null, expiresAt: null })
}

/** What the operator does for somebody is logged as theirs, by the operator's door. */
function operatorFor(userId: string): Actor {
  return { userId, credentialId: null, credentialKind: 'operator', ip: null }
}
