import { ApiError, durations, type ImportFailure } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, import_files, imports } from '../tables/imports.ts'
import { unused_blobs } from '../tables/unused-blobs.ts'
import { discardBlob, isBlob } from '../unused-blobs.ts'
import { type ImportRef, importRefOf, isImport, lockImport, ofImport } from './imports.ts'

const setFile = statement<ImportRef & { key: string }, ImportRow>(
  (p) => sql`
  with used as (
    delete from ${unused_blobs}
     where ${isBlob(p)}
  )
  update ${imports}
     set state = 'uploaded', file_key = ${p.key}, file_until = now() + ${sql.raw(`interval '${durations.importFileHours} hours'`)}, updated_at = now()
   where ${isImport(p)}
  returning ${columnsOf(imports)}`,
)

/** Finds an import that waits for its file. Throws `not_found`, and `state_conflict` for another one. */
export async function findAwaitedImport(tx: Tx, ref: ImportRef): Promise<ImportRow> {
  return transaction(tx, (tx) => lockAwaited(tx, ref))
}

/** Notes the blob that holds the file of an import; one that it replaces is deleted. Throws `not_found`, `state_conflict`. */
export function noteImportFile(tx: Tx, ref: ImportRef, key: string): Promise<ImportRow> {
  return transaction(tx, async (tx) => {
    const before = await lockAwaited(tx, ref)
    if (before.file_key !== null) await discardBlob(tx, { team_id: ref.team_id, key: before.file_key })
    return onlyOne(await setFile(tx, { ...importRefOf(before), key }))
  })
}

async function lockAwaited(tx: Tx, ref: ImportRef): Promise<ImportRow> {
  const row = (await lockImport(tx, ref))[0] ?? notFound()
  if (row.state === 'reserved' || row.state === 'uploaded') return row
  throw new ApiError('state_conflict', { current_state: row.state })
}

const readFile = statement<ImportRef, { bytes: Buffer }>(
  (p) => sql`
  select bytes
    from ${import_files}
   where ${ofImport(p)}`,
)

/** Returns the file that came with the request; null for one in the blob store. */
export async function readImportFile(tx: Tx, ref: ImportRef): Promise<Buffer | null> {
  return (await readFile(tx, ref))[0]?.bytes ?? null
}

const removeFile = statement<ImportRef, never>(
  (p) => sql`
  with gone as (
    delete from ${import_files}
     where ${ofImport(p)}
  )
  update ${imports}
     set file_key = null, file_until = null, updated_at = now()
   where ${isImport(p)}`,
)

/** Lets go of the file of an import: nothing will read it again. */
export async function discardFile(tx: Tx, row: ImportRow): Promise<void> {
  if (row.file_key !== null) await discardBlob(tx, { team_id: row.team_id, key: row.file_key })
  await removeFile(tx, importRefOf(row))
}

const lockExpired = statement<{ max: number }, ImportRow>(
  (p) => sql`
  select ${columnsOf(imports)}
    from ${imports}
   where file_until < now()
   order by file_until
   limit ${p.max}
     for no key update skip locked`,
)

const expire = statement<ImportRef & { code: ImportFailure; detail: string }, never>(
  (p) => sql`
  update ${imports}
     set state = 'failed', error_code = ${p.code}, error_detail = ${p.detail}, finished_at = now(), updated_at = now()
   where ${isImport(p)} and state in ('reserved', 'uploaded')`,
)

const EXPIRED = { code: 'upload_expired', detail: `The import was not completed within ${durations.importFileHours} hours.` } as const
const BATCH = 50

/** Lets go of files that were kept long enough, and ends imports that waited for one. Returns whether there may be more. */
export function expireImportFiles(tx: Tx): Promise<boolean> {
  return transaction(tx, async (tx) => {
    const rows = await lockExpired(tx, { max: BATCH })
    for (const row of rows) {
      await discardFile(tx, row)
      await expire(tx, { ...importRefOf(row), ...EXPIRED })
    }
    return rows.length === BATCH
  })
}
