import { durations, type Import, type ImportFailure, type ImportField, type ImportPreset } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import { isProjectThere } from '../projects.ts'
import { columnsOf } from '../sql/columns.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, import_rows, imports } from '../tables/imports.ts'
import { discardFile } from './file.ts'
import { type ImportRef, isImport, lockImport, ofImport } from './imports.ts'
import { importQueue } from './state.ts'

/** What was recognized from a file, before its first row is read. */
export interface RecognizedFile {
  encoding: string
  delimiter: string
  columns: readonly string[]
  preset: ImportPreset | null
  mapping: Readonly<Record<string, ImportField>>
  dedupe_by: NonNullable<ImportRow['dedupe_by']>
  date_order: ImportRow['date_order']
  preview: Import['preview']
  /** Up to the end of the header. */
  read_records: number
  read_bytes: number
  read_lines: number
}

const find = statement<ImportRef, ImportRow>(
  (p) => sql`
  select ${columnsOf(imports)}
    from ${imports}
   where ${isImport(p)} and state = 'running' and ${isProjectThere(p)}`,
)

/** Finds an import that is to run; null if it does not run any more. */
export async function findRunningImport(tx: Tx, ref: ImportRef): Promise<ImportRow | null> {
  return (await find(tx, ref))[0] ?? null
}

const note = statement<ImportRef & { recognized: string }, never>(
  (p) => sql`
  update ${imports} r
     set (encoding, delimiter, columns, preset, mapping, dedupe_by, date_order, preview, read_records, read_bytes, read_lines) = (
           select encoding, delimiter, columns, preset, mapping, dedupe_by, date_order, preview, read_records, read_bytes, read_lines
             from jsonb_populate_record(r, ${p.recognized}::jsonb)
         ),
         updated_at = now()
   where ${isImport(p)} and state = 'running' and encoding is null`,
)

/** Notes what was recognized from a file, unless somebody else did. */
export async function noteRecognizedFile(tx: Tx, ref: ImportRef, recognized: RecognizedFile): Promise<void> {
  await note(tx, { ...ref, recognized: JSON.stringify(recognized) })
}

const restart = statement<ImportRef, never>(
  (p) => sql`
  with forgotten as (
    delete from ${import_rows}
     where ${ofImport(p)}
  )
  update ${imports}
     set encoding = null, read_records = 0, read_bytes = 0, read_lines = 0,
         row_count = 0, created_count = 0, updated_count = 0, skipped_count = 0, failed_count = 0, updated_at = now()
   where ${isImport(p)} and state = 'running' and dry_run`,
)

/** Begins a dry run anew: what its earlier rows would have become is in the memory of the worker that read them. */
export async function restartDryRun(tx: Tx, ref: ImportRef): Promise<void> {
  await restart(tx, ref)
}

const fail = statement<ImportRef & { code: ImportFailure; detail: string; keeps_file: boolean }, never>(
  (p) => sql`
  update ${imports}
     set state = 'failed', error_code = ${p.code}, error_detail = ${p.detail}, finished_at = now(), updated_at = now(),
         file_until = case when ${p.keeps_file}::boolean then now() + ${sql.raw(`interval '${durations.importResumeDays} days'`)} end
   where ${isImport(p)}`,
)

/** What is wrong with the file itself stays wrong; another cause can be removed, and the import resumed. */
const RESUMABLE: readonly ImportFailure[] = ['file_unavailable', 'internal_error']

/** Ends an import that cannot go on. What it stored stays. */
export function failImport(tx: Tx, ref: ImportRef, failure: { code: ImportFailure; detail: string }): Promise<void> {
  return transaction(tx, async (tx) => {
    const [row] = await lockImport(tx, ref)
    if (row?.state !== 'running') return
    const keeps_file = RESUMABLE.includes(failure.code)
    await fail(tx, { ...ref, ...failure, keeps_file })
    if (!keeps_file) await discardFile(tx, row)
  })
}

/** Adds a job that reads on, before this one ends. Until one of them has ended the import, there is always one. */
export async function readOnLater(tx: Tx, ref: ImportRef): Promise<void> {
  await enqueue(tx, 'import', ref, importQueue(ref))
}
