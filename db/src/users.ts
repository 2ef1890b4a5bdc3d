import type { Plan, Role } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { emitEventInTeams } from './emit-event.ts'
import { columnsOf } from './sql/columns.ts'
import { lockRecord, updateRecord } from './sql/records.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { requireTimeZone } from './sql/time-zones.ts'
import { memberships } from './tables/members.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'

export type UserRow = typeof users.$inferSelect

/** A team as its member sees it in the profile. */
export interface UserTeam {
  id: string
  name: string
  role: Role
  plan: Plan
}

export type UserWithTeams = UserRow & { teams: UserTeam[] }

const TEAM_USER_COLUMNS = ['id', 'name', 'email', 'avatar_url'] as const
const PROFILE_COLUMNS = ['name', 'avatar_url', 'locale', 'timezone'] as const

/** The columns of a user that the user may set; absent ones stay as they are. */
export type ProfileFields = { [Name in (typeof PROFILE_COLUMNS)[number]]?: UserRow[Name] | undefined }

/** A user as others on the team see it. */
export type TeamUser = Pick<UserRow, (typeof TEAM_USER_COLUMNS)[number]>

/** Returns what others on the team see of a user. */
export function teamUser({ id, name, email, avatar_url }: TeamUser): TeamUser {
  return { id, name, email, avatar_url }
}

/** The columns of a team user, of alias `u`. */
export const teamUserColumns = sql.join(
  TEAM_USER_COLUMNS.map((name) => sql`u.${sql.identifier(name)}`),
  sql`, `,
)

/** Selects a team user by id as JSON, for lists that show a user beside each row; null when there is no such user. */
export function teamUserJson(id: SQL): SQL {
  const fields = TEAM_USER_COLUMNS.map((name) => sql`${sql.raw(`'${name}'`)}, u.${sql.identifier(name)}`)
  return sql`(select jsonb_build_object(${sql.join(fields, sql`, `)}) from ${users} u where u.id = ${id})`
}

interface UserRef {
  userId: string
}

const withId = (p: Parameters<UserRef>) => sql`id = ${p.userId}`
const lock = lockRecord<UserRef, UserRow>(users, withId)
const update = updateRecord<UserRef, UserRow>(users, PROFILE_COLUMNS, withId)

const find = statement<UserRef, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where ${withId(p)}`,
)

/** Finds a user. Throws `not_found`. */
export async function findUser(tx: Tx, userId: string): Promise<UserRow> {
  return (await find(tx, { userId }))[0] ?? notFound()
}

const findWithTeams = statement<UserRef, UserWithTeams>(
  (p) => sql`
  select ${columnsOf(users, 'u')}, coalesce(
           (
             select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'role', m.role, 'plan', t.plan) order by t.id desc)
               from ${memberships} m
               join ${teams} t on t.id = m.team_id and t.deleted_at is null
              where m.user_id = u.id
           ),
           '[]'
         ) as teams
    from ${users} u
   where u.id = ${p.userId}`,
)

/** Finds a user with the teams that the user belongs to. */
export async function findUserWithTeams(tx: Tx, userId: string): Promise<UserWithTeams> {
  return (await findWithTeams(tx, { userId }))[0] ?? notFound()
}

/** Changes the profile; each of the user's teams gets an event when what others see of it changed. Throws `validation_error`. */
export async function updateUser(tx: Tx, userId: string, fields: ProfileFields): Promise<UserRow> {
  return transaction(tx, async (tx) => {
    await requireTimeZone(tx, fields.timezone, 'timezone')
    const before = (await lock(tx, { userId }))[0] ?? notFound()
    const after = onlyOne(await update(tx, { userId }, fields))
    if (after.name !== before.name || after.avatar_url !== before.avatar_url) {
      await emitEventInTeams(tx, { user_id: userId, type: 'user.profile.updated', data: { user: teamUser(after) } })
    }
    return after
  })
}
