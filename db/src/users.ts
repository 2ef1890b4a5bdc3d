import type { Plan, Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { memberships } from './tables/members.ts'
import { teams } from './tables/teams.ts'
import { users } from './tables/users.ts'

export type UserRow = typeof users.$inferSelect
export interface UserTeam {
  id: string
  name: string
  role: Role
  plan: Plan
}

export type UserWithTeams = UserRow & { teams: UserTeam[] }

const { placeholder } = sql

const find = statement<{ userId: string }, UserWithTeams>(sql`
  select u.*, coalesce(
           (
             select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'role', m.role, 'plan', t.plan) order by t.id desc)
               from ${memberships} m
               join ${teams} t on t.id = m.team_id and t.deleted_at is null
              where m.user_id = u.id
           ),
           '[]'
         ) as teams
    from ${users} u
   where u.id = ${placeholder('userId')}`)

const update = statement<{ userId: string; fields: string }, UserRow>(sql`
  with before as (
    select *
      from ${users}
     where id = ${placeholder('userId')}
       for no key update
  ),
  after as (
    update ${users} u
       set name = f.name, avatar_url = f.avatar_url, locale = f.locale, timezone = f.timezone, updated_at = now()
      from before, jsonb_populate_record(null::users, to_jsonb(before) || ${placeholder('fields')}::jsonb) f
     where u.id = before.id
    returning u.*
  )
  select after.*, (
           select count(emit_event(m.team_id, null, 'user.profile.updated', json_build_object('user', json_build_object(
                    'id', after.id, 'name', after.name, 'email', after.email, 'avatar_url', after.avatar_url
                  ))))
             from ${memberships} m
             join ${teams} t on t.id = m.team_id and t.deleted_at is null
            where m.user_id = after.id and (after.name, after.avatar_url) is distinct from (before.name, before.avatar_url)
         ) as told
    from after, before`)

/** The columns that a user may set; absent ones stay as they are. */
export type ProfileFields = { [Name in 'name' | 'avatar_url' | 'locale' | 'timezone']?: UserRow[Name] | undefined }

/** Changes the profile; each of the user's teams hears of what others see of it. */
export async function updateUser(tx: Tx, userId: string, fields: ProfileFields): Promise<UserRow> {
  return (await update(tx, { userId, fields: JSON.stringify(fields) }))[0] ?? notFound()
}

/** A user with the teams that the user belongs to. */
export async function findUserWithTeams(tx: Tx, userId: string): Promise<UserWithTeams> {
  return (await find(tx, { userId }))[0] ?? notFound()
}
