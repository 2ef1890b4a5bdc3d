import type { Import } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { isProjectThere, type ProjectRef } from '../projects.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Below, below, rowsBelow } from '../sql/nested-lists.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
import { findRecord, listRecords, lockRecord } from '../sql/records.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { type FailedRow, type ImportRow, import_rows, imports } from '../tables/imports.ts'

export type ImportRef = ProjectRef & { import_id: string }

const inProject = (p: Parameters<ProjectRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id}`
/** The import itself, in its own table. */
export const isImport = (p: Parameters<ImportRef>) => sql`${inProject(p)} and id = ${p.import_id}`
/** What belongs to the import, in other tables. */
export const ofImport = (p: Parameters<ImportRef>) => sql`${inProject(p)} and import_id = ${p.import_id}`

const list = listRecords<ProjectRef, ImportRow>(imports, inProject)
const find = findRecord<ImportRef, ImportRow>(imports, isImport)

const listRows = statement<ImportRef & PageBounds, Below<FailedRow>>((p) =>
  below(
    sql`exists (select from ${imports} where ${isImport(p)})`,
    sql`
    select ${columnsOf(import_rows)}
      from ${import_rows}
     where ${ofImport(p)}
       and id < ${p.before}
     order by id desc
     limit ${p.take}`,
  ),
)

/** Locks an import of a project that is there: the rows of a batch, and whoever erases a person, wait for each other here. */
export const lockImport = lockRecord<ImportRef, ImportRow>(imports, (p) => sql`${isImport(p)} and ${isProjectThere(p)}`)

/** Lists the imports of a project, newest first. */
export async function listImports(tx: Tx, { team_id, project_id, ...query }: PageQuery & ProjectRef): Promise<Page<Import>> {
  return pageOf(await list(tx, { team_id, project_id, ...pageBounds(query) }), query.limit, presentImport)
}

/** Finds an import. Throws `not_found`. */
export async function findImport(tx: Tx, { team_id, project_id, import_id }: ImportRef): Promise<ImportRow> {
  return (await find(tx, { team_id, project_id, import_id }))[0] ?? notFound()
}

/** Lists the rows of an import that failed, the last one first. Throws `not_found`. */
export async function listImportRows<Item>(
  tx: Tx,
  { team_id, project_id, import_id, ...query }: PageQuery & ImportRef,
  present: (row: FailedRow) => Item,
): Promise<Page<Item>> {
  const rows = await listRows(tx, { team_id, project_id, import_id, ...pageBounds(query) })
  return pageOf(rowsBelow(rows), query.limit, present)
}

/** Returns what identifies an import. */
export function importRefOf({ team_id, project_id, id }: Pick<ImportRow, 'team_id' | 'project_id' | 'id'>): ImportRef {
  return { team_id, project_id, import_id: id }
}

/** Presents an import as the API and its event show it. */
export function presentImport(row: ImportRow): Import {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    state: row.state,
    target: row.target,
    file_name: row.file_name,
    size_bytes: row.size_bytes,
    preset: row.preset,
    columns: row.columns,
    mapping: row.mapping,
    date_order: row.date_order,
    rating_scale: row.rating_scale,
    consent: row.consent,
    dedupe_by: row.dedupe_by,
    mode: row.mode,
    dry_run: row.dry_run,
    suppress_events: row.suppress_events,
    preview: row.preview,
    totals: {
      rows: row.row_count,
      created: row.created_count,
      updated: row.updated_count,
      skipped: row.skipped_count,
      failed: row.failed_count,
      removed: row.removed_count,
    },
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    started_at: toTimestamp(row.started_at),
    finished_at: toTimestamp(row.finished_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
