import { type Database, type ImportItem, type ImportRow, importRefOf, personMessage, type SeenKeys, storeImportRows } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import { fieldsOf } from './fields.ts'
import { formatOf } from './recognition.ts'
import { type FileRecord, readRecordsByPiece } from './records.ts'
import type { OpenFile } from './source.ts'
import type { Outcome, Turn } from './turn.ts'

/**
 * Rows of a batch. Fewer cost more each; but live creates of the team wait for the quota, which the transaction holds at its
 * end, and rows with their events make that long.
 */
const BATCH_ROWS = { withEvents: 150, withoutEvents: 1_000 }
const BATCH_BYTES = 1_000_000

interface Reading {
  database: Database
  secretBox: SecretBox
  open: OpenFile
  /** The import, with what was recognized from its file. */
  row: ImportRow
  /** Of a dry run. */
  seen: SeenKeys | undefined
  turn: Turn
}

/** Reads the file from where the import stands, and stores its rows in batches, until the file or the turn ends. */
export async function readOn({ database, secretBox, open, row, seen, turn }: Reading): Promise<Outcome> {
  const ref = importRefOf(row)
  const batchRows = row.suppress_events || row.dry_run ? BATCH_ROWS.withoutEvents : BATCH_ROWS.withEvents
  const position = { records: row.read_records, bytes: row.read_bytes, lines: row.read_lines }
  let { records: from, bytes: fromByte } = position
  let items: ImportItem[] = []
  const macOf = (email: string) => secretBox.mac('person', personMessage(row.team_id, email))

  const store = async (isLast: boolean) => {
    const outcome = await storeImportRows(database, ref, { from, items, isLast, macOf, seen })
    const last = items.at(-1)?.position ?? { records: from, bytes: fromByte }
    from = last.records
    fromByte = last.bytes
    items = []
    return outcome
  }

  for await (const piece of readRecordsByPiece(open, formatOf(row), position)) {
    for (const read of piece) {
      items.push(itemOf(read, row))
      if (items.length < batchRows && read.position.bytes - fromByte < BATCH_BYTES) continue
      const outcome = await store(false)
      if (outcome !== 'stored') return outcome
      if (turn.signal.aborted || performance.now() > turn.endMs) return 'paused'
    }
  }
  const outcome = await store(true)
  return outcome === 'stored' ? 'ended' : outcome
}

function itemOf({ content, ...read }: FileRecord, row: ImportRow): ImportItem {
  return { ...read, content: 'record' in content ? { fields: fieldsOf(content.record, row) } : content }
}
