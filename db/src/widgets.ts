import { type Plan, type SubmissionKind, sizes } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { AUTHOR_IMAGE } from './images/shown.ts'
import type { ProjectRef } from './projects.ts'
import type { Actor } from './sql/actor.ts'
import { changedFields, recordAudit } from './sql/audit.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { findRecord, insertRecord, listRecords, lockRecord, removeRecord, updateRecord } from './sql/records.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { projects } from './tables/projects.ts'
import { type SubmissionRow, submissions } from './tables/submissions.ts'
import { teams } from './tables/teams.ts'
import { widgets } from './tables/widgets.ts'
import { PUBLIC_VIDEO, type PublicVideoRow } from './videos/public.ts'

export type WidgetRow = typeof widgets.$inferSelect
export type WidgetRef = ProjectRef & { widget_id: string }

const COLUMNS = [
  'name',
  'layout',
  'item_order',
  'max_items',
  'filter_tags',
  'filter_kinds',
  'filter_min_rating',
  'theme_color',
  'theme_mode',
] as const
const DEFAULTS = {
  item_order: 'featured',
  max_items: sizes.widgetItemsDefault,
  filter_tags: [] as string[],
  filter_kinds: [] as SubmissionKind[],
  filter_min_rating: null,
  theme_color: null,
  theme_mode: 'auto',
} as const

/** The columns that a caller may set; absent ones stay as they are. */
export type WidgetFields = Partial<Pick<WidgetRow, (typeof COLUMNS)[number]>>

const inProject = (p: Parameters<ProjectRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and deleted_at is null`
const here = (p: Parameters<WidgetRef>) => sql`${inProject(p)} and id = ${p.widget_id}`

const list = listRecords<ProjectRef, WidgetRow>(widgets, inProject)
const find = findRecord<WidgetRef, WidgetRow>(widgets, here)
const insert = insertRecord<WidgetRow>(widgets, ['team_id', 'project_id', ...COLUMNS])
const lock = lockRecord<WidgetRef, WidgetRow>(widgets, here)
const update = updateRecord<WidgetRef, WidgetRow>(widgets, COLUMNS, here)
const remove = removeRecord<WidgetRef, WidgetRow>(widgets, here)

/** Lists the widgets of a project, newest first. */
export async function listWidgets<Item>(
  tx: Tx,
  { team_id, project_id, ...query }: PageQuery & ProjectRef,
  present: (row: WidgetRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, project_id, ...pageBounds(query) }), query.limit, present)
}

/** Finds a widget. Throws `not_found`. */
export async function findWidget(tx: Tx, ref: WidgetRef): Promise<WidgetRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

/** Creates a widget. */
export function createWidget(
  tx: Tx,
  actor: Actor,
  { team_id, project_id }: ProjectRef,
  fields: WidgetFields & Pick<WidgetRow, 'name' | 'layout'>,
): Promise<WidgetRow> {
  return transaction(tx, async (tx) => {
    const widget = onlyOne(await insert(tx, { ...DEFAULTS, ...fields, team_id, project_id }))
    await recordAudit(tx, actor, { ...target(widget), action: 'widget.created' })
    return widget
  })
}

/** Changes a widget. Throws `not_found`. */
export function updateWidget(tx: Tx, actor: Actor, ref: WidgetRef, fields: WidgetFields): Promise<WidgetRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, ref))[0] ?? notFound()
    const after = (await update(tx, ref, fields))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(after), action: 'widget.updated', changes: changedFields(before, after) })
    return after
  })
}

/** Deletes a widget: it is not found from the next request on. Throws `not_found`. */
export async function deleteWidget(tx: Tx, actor: Actor, ref: WidgetRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const widget = (await remove(tx, ref))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(widget), action: 'widget.deleted' })
  })
}

const SHOWN = [
  'id',
  'kind',
  'title',
  'body',
  'excerpt',
  'rating',
  'author_name',
  'author_title',
  'author_company',
  'author_avatar_url',
  'author_website_url',
  'tags',
  'featured',
  'moderated_at',
  'updated_at',
] as const
/** The body as far as it is shown. */
export type WidgetItemRow = Pick<SubmissionRow, (typeof SHOWN)[number]> & {
  truncated: boolean
  video: PublicVideoRow | null
  /** The version of the author's picture. */
  author_image: string | null
}

/** A widget with one of its items; the columns of the item are null if it has none. */
export type PublicWidgetRow = Pick<WidgetRow, 'team_id' | 'layout' | 'theme_color' | 'theme_mode'> &
  (WidgetItemRow | { id: null }) & {
    project_id: string
    project_name: string
    project_url: string | null
    logo_version: string | null
    plan: Plan
  }

const columns = sql.join(
  SHOWN.filter((name) => name !== 'body').map((name) => sql`s.${sql.raw(name)}`),
  sql`, `,
)
const shownCharacters = sql.raw(String(sizes.widgetBodyCharacters))
const matches = sql`(w.filter_tags = '{}' or s.tags && w.filter_tags)
                  and (w.filter_kinds = '{}' or s.kind = any (w.filter_kinds))
                  and (w.filter_min_rating is null or s.rating >= w.filter_min_rating)`

/** Walks an index of the project's public items for a bounded number of records. */
function walk(condition: SQL, order: SQL): SQL {
  return sql`
              select *
                from ${submissions} s
               where s.team_id = w.team_id and s.project_id = w.project_id and s.is_public${condition}
               order by ${order}
               limit ${sql.raw(String(sizes.widgetScanRows))}`
}

const readPublic = statement<WidgetRef, PublicWidgetRow>(
  (p) => sql`
  select w.team_id, w.project_id, w.layout, w.theme_color, w.theme_mode, j.name as project_name, j.website_url as project_url,
         j.theme_logo_version as logo_version, t.plan,
         ${columns}, left(s.body, ${shownCharacters}) as body, char_length(s.body) > ${shownCharacters} as truncated,
         ${PUBLIC_VIDEO}, ${AUTHOR_IMAGE}
    from ${widgets} w
    join ${projects} j on j.team_id = w.team_id and j.id = w.project_id
    join ${teams} t on t.id = w.team_id
    left join lateral (
           (
             select 0 as part, s.position as place, s.*
               from (${walk(sql` and s.featured`, sql`s.position, s.id desc`)}
                    ) s
              where w.item_order = 'featured' and ${matches}
              order by s.position, s.id desc
              limit w.max_items
           )
           union all
           (
             select 1, case when w.item_order = 'rating' then -s.rating end, s.*
               from (${walk(sql``, sql`s.id desc`)}
                    ) s
              where not (w.item_order = 'featured' and s.featured) and ${matches}
              order by 2, s.id desc
              limit w.max_items
           )
           order by part, place, id desc
           limit case when w.layout = 'badge' then 0 else w.max_items end
         ) s on true
   where w.team_id = ${p.team_id} and w.project_id = ${p.project_id} and w.id = ${p.widget_id} and w.deleted_at is null
   order by s.part, s.place, s.id desc`,
)

/** Reads what a widget shows: a row for each item, or one without an item. Throws `not_found`. */
export async function readPublicWidget(tx: Tx, ref: WidgetRef): Promise<[PublicWidgetRow, ...PublicWidgetRow[]]> {
  const [first, ...others] = await readPublic(tx, ref)
  return first ? [first, ...others] : notFound()
}

/** What an audit entry says of a widget. */
function target({ team_id, project_id, id }: WidgetRow) {
  return { team_id, project_id, target: 'widget', target_id: id }
}
