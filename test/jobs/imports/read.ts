import { readFileSync } from 'node:fs'
import type { Position } from '../../../jobs/src/imports/csv.ts'
import type { FileFormat } from '../../../jobs/src/imports/format.ts'
import { type RecognizeOptions, recognizeFile } from '../../../jobs/src/imports/recognize.ts'
import { type FileRecord, readRecords } from '../../../jobs/src/imports/records.ts'
import type { OpenFile } from '../../../jobs/src/imports/source.ts'

/** Returns the text of a fixture. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/imports/${name}`, import.meta.url), 'utf8')
}

/** Opens bytes as a file, in chunks of the sizes given, over and over. */
export function opening(bytes: Uint8Array | string, sizes: readonly number[] = [65_536]): OpenFile {
  const buffer = Buffer.from(bytes)
  return async function* (from = 0) {
    for (let start = from, turn = 0; start < buffer.length; turn += 1) {
      const end = start + (sizes[turn % sizes.length] ?? 1)
      yield buffer.subarray(start, end)
      start = end
    }
  }
}

/** Returns how a file is recognized. */
export function recognize(open: OpenFile, options: Partial<RecognizeOptions> = {}): Promise<FileFormat & { position: Position }> {
  return recognizeFile(open, { mapping: {}, dateOrder: null, ratingScale: null, ...options })
}

/** Reads all rows of a file. */
export async function readAll(open: OpenFile, options: Partial<RecognizeOptions> = {}) {
  const format = await recognize(open, options)
  return { format, rows: await readFrom(open, format, format.position) }
}

/** Reads the rows behind a position. */
export function readFrom(open: OpenFile, format: FileFormat, position: Position) {
  return Array.fromAsync(readRecords(open, format, position), (row) => ({ ...row, text: row.text() }))
}

/** The code and the column of a row that failed; null for one that did not. */
export function problemOf({ content }: Pick<FileRecord, 'content'>): { column: string | null; code: string; detail: string } | null {
  return 'record' in content ? null : content
}
