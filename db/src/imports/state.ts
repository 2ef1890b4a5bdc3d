import { ApiError, type Import } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, imports } from '../tables/imports.ts'
import { discardFile } from './file.ts'
import { type ImportRef, importRefOf, isImport, lockImport } from './imports.ts'

/** Each worker that is killed counts as an attempt; the column is a smallint. */
const MAX_ATTEMPTS = 30_000
/** How many imports run at once, over all workers: jobs of one queue run one at a time, and other jobs need workers too. */
const QUEUES = 4
/** What stops an import so that it can go on later. */
const RESUMABLE: readonly (string | null)[] = ['quota_exceeded', 'file_unavailable', 'internal_error']

const begin = statement<ImportRef, ImportRow>(
  (p) => sql`
  update ${imports}
     set state = 'running', started_at = coalesce(started_at, now()), finished_at = null, file_until = null,
         error_code = null, error_detail = null, updated_at = now()
   where ${isImport(p)}
  returning ${columnsOf(imports)}`,
)

const undo = statement<ImportRef, ImportRow>(
  (p) => sql`
  update ${imports}
     set state = 'undone', finished_at = null, error_code = null, error_detail = null, updated_at = now()
   where ${isImport(p)}
  returning ${columnsOf(imports)}`,
)

/** Begins an import whose file is uploaded. One that runs or has ended is returned as it is. Throws `not_found`, `state_conflict`. */
export function completeImport(tx: Tx, actor: Actor, ref: ImportRef): Promise<ImportRow> {
  return transaction(tx, async (tx) => {
    const before = (await lockImport(tx, ref))[0] ?? notFound()
    if (before.state === 'running' || before.state === 'completed') return before
    if (before.state !== 'uploaded') throw conflictOf(before)
    await recordAudit(tx, actor, { ...auditTarget(before), action: 'import.started' })
    return beginImport(tx, before)
  })
}

/** Continues an import that stopped. One that runs is returned as it is. Throws `not_found`, and `state_conflict` if it cannot go on. */
export function resumeImport(tx: Tx, actor: Actor, ref: ImportRef): Promise<ImportRow> {
  return transaction(tx, async (tx) => {
    const before = (await lockImport(tx, ref))[0] ?? notFound()
    if (before.state === 'running') return before
    if (before.state !== 'failed' || before.file_until === null || !RESUMABLE.includes(before.error_code)) throw conflictOf(before)
    await recordAudit(tx, actor, { ...auditTarget(before), action: 'import.resumed' })
    return beginImport(tx, before)
  })
}

/** Removes what an import created and nobody has decided on; a job does it. Throws `not_found`, and `state_conflict` while it runs. */
export function undoImport(tx: Tx, actor: Actor, ref: ImportRef): Promise<ImportRow> {
  return transaction(tx, async (tx) => {
    const before = (await lockImport(tx, ref))[0] ?? notFound()
    if (before.state === 'undone') return before
    if (before.state === 'running') throw conflictOf(before)
    await discardFile(tx, before)
    const undone = onlyOne(await undo(tx, ref))
    await enqueue(tx, 'import_undo', importRefOf(before), importQueue(ref))
    await recordAudit(tx, actor, { ...auditTarget(before), action: 'import.undone' })
    return undone
  })
}

/** Lets an import run whose file is there. */
export async function beginImport(tx: Tx, row: ImportRow): Promise<ImportRow> {
  const ref = importRefOf(row)
  const running = onlyOne(await begin(tx, ref))
  await enqueue(tx, 'import', ref, importQueue(ref))
  return running
}

/** The queue of a project's imports, in which they run one after the other: what one creates, the next one recognizes. */
export function importQueue({ project_id }: Pick<ImportRef, 'project_id'>) {
  return { queue: `imports ${Number.parseInt(project_id.slice(-4), 16) % QUEUES}`, maxAttempts: MAX_ATTEMPTS }
}

/** Returns the error that tells the state of an import. */
export function conflictOf({ state }: { state: Import['state'] }): ApiError {
  return new ApiError('state_conflict', { current_state: state })
}

/** Returns what the audit log says about an import. */
export function auditTarget({ team_id, project_id, id }: ImportRow) {
  return { team_id, project_id, target: 'import', target_id: id }
}
