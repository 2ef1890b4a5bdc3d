import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { insertRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, import_files, imports } from '../tables/imports.ts'
import { type ImportRef, importRefOf, isImport, lockImport, ofImport } from './imports.ts'
import { auditTarget, beginImport, conflictOf } from './state.ts'

const OPTIONS = [
  'target',
  'file_name',
  'mapping',
  'date_order',
  'rating_scale',
  'consent',
  'dedupe_by',
  'mode',
  'dry_run',
  'suppress_events',
] as const
const COLUMNS = ['team_id', 'project_id', 'state', 'size_bytes', 'created_by', ...OPTIONS] as const

/** Where the rows of a new import come from: the request, an upload that follows, or a dry run. */
export type ImportSource = { csv: string } | { size_bytes: number } | { dry_run_id: string }
type NewImport = Pick<ImportRow, (typeof OPTIONS)[number]>

const insert = insertRecord<ImportRow>(imports, COLUMNS)

const insertFile = statement<ImportRef & { bytes: Buffer }, never>(
  (p) => sql`
  insert into ${import_files} (team_id, project_id, import_id, bytes)
  values (${p.team_id}, ${p.project_id}, ${p.import_id}, ${p.bytes})`,
)

/** The end of a time from now on, as the contracts state it. */
const afterHours: SQL = sql.raw(`now() + interval '${durations.importFileHours} hours'`)

const awaitFile = statement<ImportRef, ImportRow>(
  (p) => sql`
  update ${imports}
     set file_until = ${afterHours}
   where ${isImport(p)}
  returning ${columnsOf(imports)}`,
)

const moveFile = statement<ImportRef & { to_id: string }, never>(
  (p) => sql`
  update ${import_files}
     set import_id = ${p.to_id}
   where ${ofImport(p)}`,
)

const release = statement<ImportRef, never>(
  (p) => sql`
  update ${imports}
     set file_key = null, file_until = null, updated_at = now()
   where ${isImport(p)}`,
)

const receive = statement<ImportRef & { file_key: string | null }, ImportRow>(
  (p) => sql`
  update ${imports}
     set file_key = ${p.file_key}
   where ${isImport(p)}
  returning ${columnsOf(imports)}`,
)

/**
 * Creates an import. One that has its file begins; another one waits for a file of `size_bytes`. Throws `not_found` and
 * `state_conflict` for a dry run that is not there, or whose file is not.
 */
export function createImport(
  tx: Tx,
  actor: Actor,
  { team_id, project_id }: ProjectRef,
  { source, ...options }: NewImport & { source: ImportSource },
): Promise<ImportRow> {
  return transaction(tx, async (tx) => {
    const add = (file: Pick<ImportRow, 'state' | 'size_bytes'>) =>
      insert(tx, { ...options, ...file, team_id, project_id, created_by: actor.userId }).then(onlyOne)
    const row = await addFrom(tx, { team_id, project_id }, source, add)
    await recordAudit(tx, actor, { ...auditTarget(row), action: 'import.created' })
    if (row.state === 'uploaded') return beginImport(tx, row)
    return onlyOne(await awaitFile(tx, importRefOf(row)))
  })
}

type Add = (file: Pick<ImportRow, 'state' | 'size_bytes'>) => Promise<ImportRow>

async function addFrom(tx: Tx, project: ProjectRef, source: ImportSource, add: Add): Promise<ImportRow> {
  if ('size_bytes' in source) return add({ state: 'reserved', size_bytes: source.size_bytes })
  if ('dry_run_id' in source) return takeOver(tx, { ...project, import_id: source.dry_run_id }, add)
  const bytes = Buffer.from(source.csv)
  const row = await add({ state: 'uploaded', size_bytes: bytes.length })
  await insertFile(tx, { ...importRefOf(row), bytes })
  return row
}

/** The file changes its owner: a dry run whose file was taken over has none. */
async function takeOver(tx: Tx, from: ImportRef, add: Add): Promise<ImportRow> {
  const dryRun = (await lockImport(tx, from))[0] ?? notFound()
  if (!dryRun.dry_run || dryRun.file_until === null || !['completed', 'failed'].includes(dryRun.state)) throw conflictOf(dryRun)
  const row = await add({ state: 'uploaded', size_bytes: dryRun.size_bytes })
  await moveFile(tx, { ...from, to_id: row.id })
  await release(tx, from)
  return onlyOne(await receive(tx, { ...importRefOf(row), file_key: dryRun.file_key }))
}
