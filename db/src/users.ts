import type { Plan, Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './database.ts'
import { notFound } from './rows.ts'
import { statement } from './statement.ts'
import { memberships, teams, users } from './tables/people.ts'

export type UserRow = typeof users.$inferSelect
export interface UserTeam {
  id: string
  name: string
  role: Role
  plan: Plan
}

const { placeholder } = sql

const find = statement<{ userId: string }, UserRow & { teams: UserTeam[] }>(sql`
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

/** A user with the teams that the user belongs to. */
export async function findUserWithTeams(tx: Tx, userId: string): Promise<UserRow & { teams: UserTeam[] }> {
  return (await find(tx, { userId }))[0] ?? notFound()
}
