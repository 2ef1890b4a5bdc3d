import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { forgetImages } from './images/copies.ts'
import { requireQuota } from './quotas.ts'
import type { Actor } from './sql/actor.ts'
import { changedFields, recordAudit } from './sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { findRecord, insertRecord, listRecords, lockRecord, removeRecord, updateRecord } from './sql/records.ts'
import { notFound } from './sql/rows.ts'
import { insertWithSlug } from './sql/slugs.ts'
import type { Parameters } from './sql/statement.ts'
import { projects } from './tables/projects.ts'
import { teams } from './tables/teams.ts'

const DEFAULTS = {
  collects_text: true,
  collects_video: true,
  collects_rating: true,
  consent_text: 'I agree that my words may be published.',
  thank_you_text: 'Thank you for your feedback!',
}
const COLUMNS = [
  'name',
  'slug',
  'website_url',
  'collects_text',
  'collects_video',
  'collects_rating',
  'consent_text',
  'thank_you_text',
  'theme_color',
  'theme_logo_url',
  'theme_logo_error',
] as const

export type ProjectRow = typeof projects.$inferSelect
export interface ProjectRef {
  team_id: string
  project_id: string
}

/** The columns that a caller may set; absent ones stay as they are. */
export type ProjectFields = Partial<Omit<Pick<ProjectRow, (typeof COLUMNS)[number]>, 'theme_logo_error'>>

const inTeam = (p: Parameters<{ team_id: string }>) => sql`team_id = ${p.team_id} and deleted_at is null`
const here = (p: Parameters<ProjectRef>) => sql`team_id = ${p.team_id} and id = ${p.project_id} and deleted_at is null`

/** The condition that neither the project nor its team was deleted. */
export const isProjectThere = (p: Parameters<ProjectRef>) => sql`exists (
     select
       from ${projects} o
       join ${teams} t on t.id = o.team_id and t.deleted_at is null
      where o.team_id = ${p.team_id} and o.id = ${p.project_id} and o.deleted_at is null
   )`

const list = listRecords<{ team_id: string }, ProjectRow>(projects, inTeam)
const find = findRecord<ProjectRef, ProjectRow>(projects, here)
const insert = insertRecord<ProjectRow>(projects, ['team_id', ...COLUMNS], {
  onConflict: sql`on conflict (team_id, slug) where deleted_at is null do nothing`,
})
const lock = lockRecord<ProjectRef, ProjectRow>(projects, here)
const update = updateRecord<ProjectRef, ProjectRow>(projects, COLUMNS, here)
const remove = removeRecord<ProjectRef, ProjectRow>(projects, here)

/** Lists the projects of a team, newest first. */
export async function listProjects<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: ProjectRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

/** Finds a project of a team. */
export async function findProject(tx: Tx, ref: ProjectRef): Promise<ProjectRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/** Creates a project. Throws `already_exists` for a slug that is taken, `quota_exceeded` when the plan has no room. */
export async function createProject(tx: Tx, actor: Actor, team_id: string, fields: ProjectFields & { name: string }): Promise<ProjectRow> {
  return transaction(tx, async (tx) => {
    await requireQuota(tx, team_id, 'projects')
    const project = await insertWithSlug(fields, (slug) => insert(tx, { ...DEFAULTS, ...fields, team_id, slug }))
    await recordAudit(tx, actor, { ...target(project), action: 'project.created' })
    return project
  })
}

/**
 * Changes a project. Throws `already_exists` for a slug that is taken. The address of a logo that could not be copied, given again,
 * is tried again.
 */
export async function updateProject(tx: Tx, actor: Actor, ref: ProjectRef, fields: ProjectFields): Promise<ProjectRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, ref))[0] ?? notFound()
    // A trigger asks for the copy of a logo, and knows by this that it is wanted again.
    const isRetried = fields.theme_logo_url !== undefined && before.theme_logo_error !== null
    const after = (await update(tx, ref, { ...fields, ...(isRetried && { theme_logo_error: null }) }))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(after), action: 'project.updated', changes: changedFields(before, after) })
    return after
  })
}

/** Makes the project, its keys and its submissions invisible at once; a job removes them for good. */
export async function deleteProject(tx: Tx, actor: Actor, ref: ProjectRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const project = (await remove(tx, ref))[0] ?? notFound()
    await forgetImages(tx, ref)
    await recordAudit(tx, actor, { ...target(project), action: 'project.deleted' })
  })
}

/** What an audit entry says of a project. */
function target({ team_id, id }: ProjectRow) {
  return { team_id, project_id: id, target: 'project', target_id: id }
}
