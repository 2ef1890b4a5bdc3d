import { ApiError, durations, sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { emitEvent } from '../emit-event.ts'
import { erasedPersons, hasErasedPersons } from '../privacy/requests.ts'
import { consumeUnits } from '../quotas.ts'
import { columnsOf } from '../sql/columns.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, import_rows, imports } from '../tables/imports.ts'
import { discardFile } from './file.ts'
import { type ImportRef, importRefOf, isImport, lockImport, presentImport } from './imports.ts'
import { findKnownRecords } from './known-records.ts'
import { type ImportItem, type Plan, planRows, type SeenKeys } from './plan.ts'
import { deliveriesTakeMs, storeRecords } from './store-records.ts'

/** Also when one looks, another writer can take an external id before the insert. */
const MAX_TRIES = 6

/** Rows that follow each other in a file. */
export interface ImportBatch {
  /** How many rows were read before them, the header included. */
  from: number
  items: ImportItem[]
  /** Whether the file ends behind them. */
  isLast: boolean
  /** Returns the keyed hash by which an erased person is known. */
  macOf: (email: string) => Buffer
  /** The keys of earlier rows, of a dry run. */
  seen?: SeenKeys | undefined
}

/** `overtaken`: somebody else stored rows from this position on. `ended`: the import does not run any more. */
export type BatchOutcome = 'stored' | 'overtaken' | 'ended'

/** The quota has fewer units left than the batch needs. */
class QuotaShortError extends Error {
  override readonly name = 'QuotaShortError'
  readonly granted: number

  constructor(granted: number) {
    super(`The quota has ${granted} units left.`)
    this.granted = granted
  }
}

/**
 * Stores a batch of rows with their events, errors and totals, and notes how far the import came: all of it or nothing. When the
 * quota is used up, it stores the rows that the quota still allows, and the import stops behind them. A dry run stores what it
 * would do.
 */
export async function storeImportRows(tx: Tx, ref: ImportRef, batch: ImportBatch): Promise<BatchOutcome> {
  let expected: Expected = { allowed: Number.POSITIVE_INFINITY, isTaken: batch.seen !== undefined }
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(tx, (tx) => store(tx, ref, batch, expected))
    } catch (error) {
      if (error instanceof QuotaShortError) expected = { ...expected, allowed: error.granted }
      else if (error instanceof ApiError && error.code === 'already_exists' && tries < MAX_TRIES) expected = { ...expected, isTaken: true }
      else throw error
    }
  }
}

/** What is known before a try to store a batch. */
interface Expected {
  /** How many records may be created. */
  allowed: number
  /** Whether other records may have the external ids of rows. A dry run inserts nothing that would tell. */
  isTaken: boolean
}

async function store(tx: Tx, ref: ImportRef, batch: ImportBatch, { allowed, isTaken }: Expected): Promise<BatchOutcome> {
  const [row] = await lockImport(tx, ref)
  if (row?.state !== 'running') return 'ended'
  if (row.read_records !== batch.from) return 'overtaken'
  const { items, seen } = batch
  const isErased = await erasedAmong(tx, row.team_id, batch)
  const known = await findKnownRecords(tx, row, { all: fieldsIn(items), isTaken })
  const plan = planRows(row, items, known, { allowed, seen, isErased })
  const changed = row.dry_run ? plan.updates.size : await storeRecords(tx, row, plan)
  await storeFailures(tx, row, plan)
  const after = onlyOne(await advance(tx, { ...ref, ...progressOf(row, items, plan, changed), state: stateAfter(batch, plan) }))
  if (after.state === 'completed') await complete(tx, after)
  if (!row.dry_run && plan.creates.length > 0) await charge(tx, ref, plan.creates.length)
  return after.state === 'running' ? 'stored' : 'ended'
}

/** Rows that the quota refuses stop the import. */
function stateAfter({ items, isLast }: ImportBatch, { taken }: Plan): ImportRow['state'] {
  if (taken < items.length) return 'failed'
  return isLast ? 'completed' : 'running'
}

function fieldsIn(items: readonly ImportItem[]) {
  return items.flatMap(({ content }) => ('fields' in content ? [content.fields] : []))
}

const storeFailed = statement<ImportRef & { failures: string }, never>(
  (p) => sql`
  insert into ${import_rows} (team_id, project_id, import_id, row_number, line, column_name, code, detail, row_text, author_email)
  select ${p.team_id}, ${p.project_id}, ${p.import_id}, f.row, f.line, f."column", f.code, f.detail, f.text, f.email
    from jsonb_to_recordset(${p.failures}::jsonb)
           as f (row int, line int, "column" text, code text, detail text, text text, email text)`,
)

type Progress = Pick<ImportRow, 'read_records' | 'read_bytes' | 'read_lines'> & {
  rows: number
  created: number
  updated: number
  skipped: number
  failed: number
  /** How many units of the quota it used. */
  charged: number
  paced_ms: number
}

const advance = statement<ImportRef & Progress & { state: ImportRow['state'] }, ImportRow>(
  (p) => sql`
  update ${imports}
     set state = ${p.state},
         read_records = ${p.read_records}, read_bytes = ${p.read_bytes}, read_lines = ${p.read_lines},
         row_count = row_count + ${p.rows}::int, created_count = created_count + ${p.created}::int,
         updated_count = updated_count + ${p.updated}::int, skipped_count = skipped_count + ${p.skipped}::int,
         failed_count = failed_count + ${p.failed}::int,
         paced_until = greatest(now(), paced_until) + ${p.paced_ms}::int * interval '1 millisecond',
         charged_units = case when charged_period = month.first then charged_units else 0 end + ${p.charged}::int,
         charged_period = month.first,
         error_code = case when ${p.state}::text = 'failed' then 'quota_exceeded' end,
         error_detail = case when ${p.state}::text = 'failed' then
           'The team has used up its imported rows of this month. Resume the import next month, or after an upgrade.'
         end,
         finished_at = case when ${p.state}::text in ('completed', 'failed') then now() end,
         file_until = case
           when ${p.state}::text = 'failed' then now() + ${sql.raw(`interval '${durations.importResumeDays} days'`)}
           when ${p.state}::text = 'completed' and dry_run then now() + ${sql.raw(`interval '${durations.importFileHours} hours'`)}
         end,
         updated_at = now()
    from (select date_trunc('month', now() at time zone 'UTC')::date as first) month
   where ${isImport(p)}
  returning ${columnsOf(imports, 'imports')}`,
)

async function storeFailures(tx: Tx, row: ImportRow, { failures }: Plan): Promise<void> {
  const kept = failures.slice(0, Math.max(0, sizes.importFailedRows - row.failed_count))
  if (kept.length > 0) await storeFailed(tx, { ...importRefOf(row), failures: JSON.stringify(kept) })
}

function progressOf(row: ImportRow, items: readonly ImportItem[], plan: Plan, changed: number): Progress {
  const { taken, creates, updates, superseded, skipped, failures } = plan
  const last = items[taken - 1]
  return {
    read_records: last?.position.records ?? row.read_records,
    read_bytes: last?.position.bytes ?? row.read_bytes,
    read_lines: last?.position.lines ?? row.read_lines,
    rows: taken,
    created: creates.length,
    updated: superseded + changed,
    skipped: skipped + updates.size - changed,
    failed: failures.length,
    charged: row.dry_run ? 0 : creates.length,
    paced_ms: row.dry_run || row.suppress_events ? 0 : deliveriesTakeMs(creates.length),
  }
}

/** Its file is of no use any more, but that of a dry run may be imported next. */
async function complete(tx: Tx, row: ImportRow): Promise<void> {
  const { team_id, project_id } = row
  if (row.dry_run) return
  await discardFile(tx, row)
  await emitEvent(tx, { team_id, project_id, type: 'import.completed', data: { import: presentImport(row) } })
}

/**
 * Returns whether the person of a row was erased. Whoever erases a person waits for the batch that has locked the import, and
 * notes the person before the next one looks.
 */
async function erasedAmong(tx: Tx, team_id: string, { items, macOf }: ImportBatch): Promise<(item: ImportItem) => boolean> {
  const named = items.filter(({ email }) => email !== null)
  // Most teams have erased nobody.
  if (named.length === 0 || !(await hasErasedPersons(tx, team_id))) return () => false
  const found = await erasedPersons(
    tx,
    team_id,
    named.map(({ email }) => macOf(email ?? '')),
  )
  const erased = new Set([...found].map((index) => named[index]))
  return (item) => erased.has(item)
}

/** Uses up the quota, last: all writers of a team meet at its rows. */
async function charge(tx: Tx, { team_id }: ImportRef, units: number): Promise<void> {
  const granted = await consumeUnits(tx, team_id, 'imported_rows', units)
  if (granted < units) throw new QuotaShortError(granted)
}
