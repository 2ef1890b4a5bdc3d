import type { Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, type ActorValues, actorValues } from './sql/actor.ts'
import { audited, changes } from './sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { createWithSlug, freeSlug, slugFrom } from './sql/slugs.ts'
import { statement } from './sql/statement.ts'
import { memberships } from './tables/members.ts'
import { teams } from './tables/teams.ts'

const DEFAULTS = { nps_low_score_threshold: 7, cors_origins: [] as string[], locale: 'en' }

/** A team as one of its members sees it. */
export type TeamRow = typeof teams.$inferSelect & { role: Role }

/** The columns that a caller may set; absent ones stay as they are. */
export type TeamFields = Partial<Pick<TeamRow, 'name' | 'slug' | 'nps_low_score_threshold' | 'cors_origins' | 'locale'>>

const { placeholder } = sql

const list = statement<object, TeamRow>(sql`
  select t.*, m.role
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   where m.user_id = ${placeholder('userId')}
     and m.team_id < ${placeholder('before')}
   order by m.team_id desc
   limit ${placeholder('take')}`)

export async function listTeams<Item>(tx: Tx, userId: string, query: PageQuery, present: (row: TeamRow) => Item): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

const find = statement<{ team_id: string; userId: string }, TeamRow>(sql`
  select t.*, m.role
    from ${teams} t
    join ${memberships} m on m.team_id = t.id and m.user_id = ${placeholder('userId')}
   where t.id = ${placeholder('team_id')} and t.deleted_at is null`)

export async function findTeam(tx: Tx, userId: string, team_id: string): Promise<TeamRow> {
  return (await find(tx, { team_id, userId }))[0] ?? notFound()
}

const create = statement<object, TeamRow>(sql`
  with created as (
    insert into ${teams} (name, slug, plan, nps_low_score_threshold, cors_origins, locale, created_by)
    select f.name,
           ${freeSlug(sql`select from ${teams} t where t.slug = ${placeholder('slug')} and t.deleted_at is null`)},
           ${placeholder('plan')}, f.nps_low_score_threshold, f.cors_origins, f.locale, ${placeholder('actorUserId')}::uuid
      from require_team_room(${placeholder('actorUserId')}, ${placeholder('maxTeams')}),
           jsonb_populate_record(null::teams, ${placeholder('fields')}::jsonb) f
    returning *
  ),
  joined as (
    insert into ${memberships} (team_id, user_id, role)
    select id, created_by, 'owner'
      from created
    returning role
  )
  select created.*, joined.role, ${audited({ action: 'team.created', target: 'team', team: sql`created.id`, id: sql`created.id` })}
    from created, joined`)

/** The actor becomes the owner. Throws `quota_exceeded` past `maxTeams`, `already_exists` for a slug that is taken. */
export async function createTeam(
  tx: Tx,
  actor: Actor,
  fields: TeamFields & { name: string },
  { plan, maxTeams }: { plan: string; maxTeams: number },
): Promise<TeamRow> {
  const wanted = fields.slug === undefined ? slugFrom(fields.name) : { slug: fields.slug, slugSuffix: null }
  const values = { ...actorValues(actor), plan, maxTeams, fields: JSON.stringify({ ...DEFAULTS, ...fields }) }
  return createWithSlug(tx, wanted, async (attempt, slug) => onlyOne(await create(attempt, { ...values, ...slug })))
}

const update = statement<ActorValues & { team_id: string; fields: string }, TeamRow>(sql`
  with before as (
    select *
      from ${teams}
     where id = ${placeholder('team_id')} and deleted_at is null
       for no key update
  ),
  after as (
    update ${teams} t
       set name = f.name, slug = f.slug, nps_low_score_threshold = f.nps_low_score_threshold,
           cors_origins = f.cors_origins, locale = f.locale, updated_at = now()
      from before, jsonb_populate_record(null::teams, to_jsonb(before) || ${placeholder('fields')}::jsonb) f
     where t.id = before.id
    returning t.*
  )
  select after.*, m.role, ${audited({
    action: 'team.updated',
    target: 'team',
    team: sql`after.id`,
    id: sql`after.id`,
    changes: changes(sql`before`, sql`after`),
  })}
    from after, before, ${memberships} m
   where m.team_id = after.id and m.user_id = ${placeholder('actorUserId')}::uuid`)

export async function updateTeam(tx: Tx, actor: Actor, team_id: string, fields: TeamFields): Promise<TeamRow> {
  return (await update(tx, { ...actorValues(actor), team_id, fields: JSON.stringify(fields) }))[0] ?? notFound()
}

const remove = statement<ActorValues & { team_id: string }, { id: string }>(sql`
  with gone as (
    update ${teams}
       set deleted_at = now()
     where id = ${placeholder('team_id')} and deleted_at is null
    returning id
  )
  select id, ${audited({ action: 'team.deleted', target: 'team', team: sql`id`, id: sql`id` })}
    from gone`)

/** Makes the team and all in it invisible at once; a job removes it for good. */
export async function deleteTeam(tx: Tx, actor: Actor, team_id: string): Promise<void> {
  if ((await remove(tx, { ...actorValues(actor), team_id })).length === 0) notFound()
}
