import type { Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { addMember } from './members.ts'
import { lockPlan } from './quotas.ts'
import type { UserActor } from './sql/actor.ts'
import { columnsOf } from './sql/columns.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'
import { createTeam, type TeamRow } from './teams.ts'
import { createToken, type NewToken, type TokenRow } from './tokens.ts'
import type { UserRow } from './users.ts'

const create = statement<{ email: string; name: string; passwordHash: string | null }, UserRow>(
  (p) => sql`
  insert into ${users} (email, name, password_hash, email_verified_at)
  values (${p.email}, ${p.name}, ${p.passwordHash}, now())
  returning ${columnsOf(users)}`,
)

/** Creates a user whose address counts as confirmed by the operator. Throws `already_exists`. */
export async function createUser(tx: Tx, user: { email: string; name: string; passwordHash: string | null }): Promise<UserRow> {
  return onlyOne(await create(tx, user))
}

const find = statement<{ email: string }, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where lower(email) = lower(${p.email})`,
)

/** Finds a user by address, in upper or lower case. Throws `not_found`. */
export async function findUserByEmail(tx: Tx, email: string): Promise<UserRow> {
  return (await find(tx, { email }))[0] ?? notFound()
}

/** Creates a team for a user, without a limit on how many. */
export async function createTeamFor(tx: Tx, owner: UserRow, { name, plan }: { name: string; plan: Plan }): Promise<TeamRow> {
  return createTeam(tx, operatorFor(owner.id), { name }, { plan, maxTeams: null })
}

/** Adds a user to a team, with its event, whatever its plan. Throws `not_found`, `already_exists`. */
export async function addTeamMember(tx: Tx, { team_id, userId, role }: { team_id: string; userId: string; role: Role }): Promise<void> {
  await transaction(tx, async (tx) => {
    await lockPlan(tx, team_id)
    await addMember(tx, operatorFor(userId), { team_id, user_id: userId, role })
  })
}

const setPlan = statement<{ team_id: string; plan: Plan }, { id: string }>(
  (p) => sql`
  update ${teams}
     set plan = ${p.plan}, updated_at = now()
   where id = ${p.team_id} and deleted_at is null
  returning id`,
)

/** Changes the plan of a team from its next request on. Throws `not_found`. */
export async function setTeamPlan(tx: Tx, change: { team_id: string; plan: Plan }): Promise<void> {
  if ((await setPlan(tx, change)).length === 0) notFound()
}

/** Creates a personal access token that belongs to no other. */
export async function createTokenFor(
  tx: Tx,
  owner: UserRow,
  token: Omit<NewToken, 'parentId' | 'expiresAt'> & { scopes: readonly Scope[] },
): Promise<TokenRow> {
  return createToken(tx, operatorFor(owner.id), { ...token, parentId: null, expiresAt: null })
}

/** What the operator does for a user is logged as the user's, by the admin CLI. */
function operatorFor(userId: string): UserActor {
  return { userId, credentialId: null, credentialKind: 'operator', ip: null }
}
