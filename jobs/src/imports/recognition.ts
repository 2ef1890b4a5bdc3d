import { type Import, sizes } from '@earshot/contracts'
import { type Database, type ImportRow, importRefOf, noteRecognizedFile } from '@earshot/db'
import type { Encoding } from './encoding.ts'
import { previewOf } from './fields.ts'
import type { FileFormat } from './format.ts'
import { defaultDedupeBy } from './mapping.ts'
import { recognizeFile } from './recognize.ts'
import { type FileRecord, readRecords } from './records.ts'
import type { OpenFile } from './source.ts'

type PreviewRow = NonNullable<Import['preview']>[number]

/** Recognizes a file that nobody has recognized yet, and notes how it is read. A dry run also shows its first rows. */
export async function noteRecognition(database: Database, open: OpenFile, row: ImportRow): Promise<void> {
  if (row.encoding !== null && !row.dry_run) return
  const { mapping, date_order: dateOrder, rating_scale: ratingScale } = row
  const { position, ...format } = await recognizeFile(open, { mapping, dateOrder, ratingScale })
  await noteRecognizedFile(database, importRefOf(row), {
    ...{ encoding: format.encoding, delimiter: format.delimiter, columns: format.columns, preset: format.preset, mapping: format.mapping },
    dedupe_by: row.dedupe_by ?? defaultDedupeBy(format.mapping),
    date_order: format.dateOrder,
    preview: row.dry_run ? await firstRows(readRecords(open, format, position), { ...row, mapping: { ...format.mapping } }) : null,
    ...{ read_records: position.records, read_bytes: position.bytes, read_lines: position.lines },
  })
}

/** Returns how the file of an import is read, as it was noted. */
export function formatOf(row: ImportRow): FileFormat {
  return {
    encoding: row.encoding as Encoding, // Noted above.
    delimiter: row.delimiter ?? ',',
    columns: row.columns ?? [],
    preset: row.preset,
    mapping: row.mapping,
    dateOrder: row.date_order,
    ratingScale: row.rating_scale,
  }
}

async function firstRows(rows: AsyncIterable<FileRecord>, row: Pick<ImportRow, 'consent' | 'mapping'>): Promise<PreviewRow[]> {
  const preview: PreviewRow[] = []
  for await (const { content } of rows) {
    if ('record' in content) preview.push(previewOf(content.record, row))
    if (preview.length === sizes.importPreviewRows) break
  }
  return preview
}
