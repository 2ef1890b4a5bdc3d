import { sizes } from '@earshot/contracts'
import { type FileRow, type Position, readRowsByPiece } from './csv.ts'
import { cleanerOf, type FileFormat } from './format.ts'
import { createRecordReader, type ImportedRecord, type RowProblem } from './record.ts'
import { type OpenFile, readUtf8 } from './source.ts'

/** A row below the header, as a testimonial or why it is none, with the position behind it. */
export interface FileRecord {
  /** The first row below the header is 1. */
  row: number
  position: Position
  content: { record: ImportedRecord } | RowProblem
  /** The e-mail address of the row in lower case, whether it is valid or not; null if it has none, or none that one can be. */
  email: string | null
  /** Returns the row as its error shows it. */
  text: () => string
}

/**
 * Reads the rows of a file that follow a position: the one behind the header, or one that was yielded. What begins anywhere
 * else reads nonsense. Throws UnreadableFileError, after the rows before the fault.
 */
export async function* readRecords(open: OpenFile, format: FileFormat, from: Position): AsyncGenerator<FileRecord> {
  for await (const records of readRecordsByPiece(open, format, from)) yield* records
}

/** Yields the same rows, those of a piece of the file together. */
export async function* readRecordsByPiece(open: OpenFile, format: FileFormat, from: Position): AsyncGenerator<FileRecord[]> {
  const readRecord = createRecordReader(format)
  const readEmail = createEmailReader(format)
  const recordOf = ({ cells, position }: FileRow): FileRecord => ({
    ...{ row: position.records - 1, position },
    ...{ content: readRecord(cells), email: readEmail(cells), text: () => textOf(cells) },
  })
  for await (const rows of readRowsByPiece(readUtf8(open, format.encoding, from.bytes), format.delimiter, from)) yield rows.map(recordOf)
}

function createEmailReader(format: FileFormat): (cells: readonly string[]) => string | null {
  const clean = cleanerOf(format)
  const indexes = format.columns.flatMap((column, index) => (format.mapping[column] === 'author.email' ? index : []))
  return (cells) => {
    const cell = indexes.map((index) => clean(cells[index] ?? '')).findLast((one) => one !== '')
    if (cell === undefined || cell.length > sizes.emailCharacters) return null
    return cell.replaceAll('\0', '').toLowerCase()
  }
}

/** The text of a row as its error shows it. It keeps nothing of a long cell in memory, as a part of it would. */
function textOf(cells: readonly string[]): string {
  const max = sizes.importRowTextCharacters
  const text = cells.length > max || cells.some((cell) => cell.length > max) ? beginning(cells, max) : cells.join(' | ')
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text
  return clean.length <= max ? clean : Array.from(clean).slice(0, max).join('')
}

function beginning(cells: readonly string[], max: number): string {
  const short = cells.slice(0, max).map((cell) => cell.slice(0, 2 * max))
  return Buffer.from(short.join(' | '))
    .toString()
    .slice(0, 2 * max)
}
