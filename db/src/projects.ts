import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, type ActorValues, actorValues } from './sql/actor.ts'
import { audited, changes } from './sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { createWithSlug, freeSlug, slugFrom } from './sql/slugs.ts'
import { statement } from './sql/statement.ts'
import { projects } from './tables/projects.ts'

const DEFAULTS = {
  collects_text: true,
  collects_video: true,
  collects_rating: true,
  consent_text: 'I agree that my words may be published.',
  thank_you_text: 'Thank you for your feedback!',
}

export type ProjectRow = typeof projects.$inferSelect
export interface ProjectRef {
  team_id: string
  project_id: string
}

/** The columns that a caller may set; absent ones stay as they are. */
export type ProjectFields = Partial<Omit<ProjectRow, 'team_id' | 'id' | 'deleted_at' | 'created_at' | 'updated_at'>>

const { placeholder } = sql
const here = sql`team_id = ${placeholder('team_id')} and id = ${placeholder('project_id')} and deleted_at is null`

const list = statement<object, ProjectRow>(sql`
  select *
    from ${projects}
   where team_id = ${placeholder('team_id')}
     and id < ${placeholder('before')}
     and deleted_at is null
   order by id desc
   limit ${placeholder('take')}`)

export async function listProjects<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: ProjectRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

const find = statement<ProjectRef, ProjectRow>(sql`
  select *
    from ${projects}
   where ${here}`)

export async function findProject(tx: Tx, ref: ProjectRef): Promise<ProjectRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

const create = statement<object, ProjectRow>(sql`
  with created as (
    insert into ${projects} (
      team_id, name, slug, website_url, collects_text, collects_video, collects_rating, consent_text, thank_you_text, theme_color, theme_logo_url
    )
    select ${placeholder('team_id')}::uuid, f.name,
           ${freeSlug(sql`select from ${projects} p where p.team_id = ${placeholder('team_id')} and p.slug = ${placeholder('slug')} and p.deleted_at is null`)},
           f.website_url, f.collects_text, f.collects_video, f.collects_rating, f.consent_text, f.thank_you_text, f.theme_color, f.theme_logo_url
      from require_room(${placeholder('team_id')}, 'projects'),
           jsonb_populate_record(null::projects, ${placeholder('fields')}::jsonb) f
    returning *
  )
  select *, ${audited({ action: 'project.created', target: 'project', team: sql`team_id`, project: sql`id`, id: sql`id` })}
    from created`)

/** Throws `already_exists` for a slug that is taken, `quota_exceeded` when the plan has no room. */
export async function createProject(tx: Tx, actor: Actor, team_id: string, fields: ProjectFields & { name: string }): Promise<ProjectRow> {
  const wanted = fields.slug === undefined ? slugFrom(fields.name) : { slug: fields.slug, slugSuffix: null }
  const values = { ...actorValues(actor), team_id, fields: JSON.stringify({ ...DEFAULTS, ...fields }) }
  return createWithSlug(tx, wanted, async (attempt, slug) => onlyOne(await create(attempt, { ...values, ...slug })))
}

const update = statement<ProjectRef & ActorValues & { fields: string }, ProjectRow>(sql`
  with before as (
    select *
      from ${projects}
     where ${here}
       for no key update
  ),
  after as (
    update ${projects} p
       set name = f.name, slug = f.slug, website_url = f.website_url,
           collects_text = f.collects_text, collects_video = f.collects_video, collects_rating = f.collects_rating,
           consent_text = f.consent_text, thank_you_text = f.thank_you_text,
           theme_color = f.theme_color, theme_logo_url = f.theme_logo_url, updated_at = now()
      from before, jsonb_populate_record(null::projects, to_jsonb(before) || ${placeholder('fields')}::jsonb) f
     where p.team_id = before.team_id and p.id = before.id
    returning p.*
  )
  select after.*, ${audited({
    action: 'project.updated',
    target: 'project',
    team: sql`after.team_id`,
    project: sql`after.id`,
    id: sql`after.id`,
    changes: changes(sql`before`, sql`after`),
  })}
    from after, before`)

export async function updateProject(tx: Tx, actor: Actor, ref: ProjectRef, fields: ProjectFields): Promise<ProjectRow> {
  const rows = await update(tx, { ...actorValues(actor), ...ref, fields: JSON.stringify(fields) })
  return rows[0] ?? notFound()
}

const remove = statement<ProjectRef & ActorValues, { id: string }>(sql`
  with gone as (
    update ${projects}
       set deleted_at = now()
     where ${here}
    returning team_id, id
  )
  select id, ${audited({ action: 'project.deleted', target: 'project', team: sql`team_id`, project: sql`id`, id: sql`id` })}
    from gone`)

/** Makes the project, its keys and its items invisible at once; a job removes them for good. */
export async function deleteProject(tx: Tx, actor: Actor, ref: ProjectRef): Promise<void> {
  if ((await remove(tx, { ...actorValues(actor), ...ref })).length === 0) notFound()
}
