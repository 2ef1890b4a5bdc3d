import { grouped, sizes } from '@earshot/contracts'
import { CsvError, type InfoRecord, type Parser, parse } from 'csv-parse'
import { UnreadableFileError } from './unreadable-file.ts'

/** A place between two rows of a file, at which reading can go on. */
export interface Position {
  /** Rows up to there, the header included; blank ones are not counted. */
  records: number
  /** Bytes of UTF-8 up to there, of a file in UTF-8 with its byte order mark. */
  bytes: number
  /** Lines up to there. */
  lines: number
}

/** A row of a file, with the place behind it. */
export interface FileRow {
  cells: string[]
  position: Position
}

/** A record of more cells than this is no row: a comma takes a byte in the file and eight in memory. */
const MAX_DELIMITERS = 4_000_000

/**
 * Yields the rows of a CSV file in UTF-8 that follow `from`, without blank ones. The rows before a fault are all yielded.
 * Throws UnreadableFileError.
 */
export async function* readRows(bytes: AsyncIterable<Buffer>, delimiter: string, from: Position): AsyncGenerator<FileRow> {
  for await (const rows of readRowsByPiece(bytes, delimiter, from)) yield* rows
}

/** Yields the same rows, those of a piece of the file together: to await each one of a million takes its time. */
export async function* readRowsByPiece(bytes: AsyncIterable<Buffer>, delimiter: string, from: Position): AsyncGenerator<FileRow[]> {
  const rows = new RowCollector(from)
  const parser = openParser(delimiter, rows)
  try {
    for await (const piece of bytes) {
      const before = rows.last
      const error = await new Promise<Error | null | undefined>((resolve) => parser.write(piece, resolve))
      yield rows.take()
      if (error) throw unreadable(error, rows.last)
      rows.requireFewCells(piece, { delimiter, isSameRow: rows.last === before })
    }
    const error = await new Promise<Error | null | undefined>((resolve) => parser.end(resolve))
    yield rows.take()
    if (error) throw unreadable(error, rows.last)
  } finally {
    parser.destroy()
  }
}

function openParser(delimiter: string, rows: RowCollector): Parser {
  const parser = parse({
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: sizes.importRecordBytes,
    delimiter,
    // Taken here and not from the stream, which drops the rows that nobody has read when it fails.
    on_record: (cells: string[], info) => {
      rows.add(cells, info)
      return null
    },
  })
  // The callbacks of `write` and `end` tell.
  parser.on('error', () => {})
  return parser
}

/** The rows that the parser has read and nobody has taken. */
class RowCollector {
  readonly #start: Position
  #rows: FileRow[] = []
  #seen = { lines: 0, emptyLines: 0 }
  #delimiters = 0
  /** Up to the end of the last row. */
  last: Position

  constructor(from: Position) {
    this.#start = from
    this.last = from
  }

  add(cells: string[], info: InfoRecord): void {
    const empty = info.empty_lines - this.#seen.emptyLines
    // The parser counts CRLF within quotes twice, so lines are counted here where a row has more than one.
    const breaks = info.lines - this.#seen.lines === empty + 1 ? 0 : breaksIn(cells)
    this.#seen = { lines: info.lines, emptyLines: info.empty_lines }
    const isBlank = cells.every((cell) => cell.trim() === '')
    const { records, lines } = this.last
    this.last = { records: isBlank ? records : records + 1, bytes: this.#start.bytes + info.bytes, lines: lines + empty + breaks + 1 }
    if (!isBlank) this.#rows.push({ cells, position: this.last })
  }

  take(): FileRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** Ends a row that grows in cells before it grows in bytes. */
  requireFewCells(piece: Buffer, { delimiter, isSameRow }: { delimiter: string; isSameRow: boolean }): void {
    this.#delimiters = isSameRow ? this.#delimiters + countOf(delimiter, piece) : 0
    if (this.#delimiters > MAX_DELIMITERS) throw tooLarge(this.last)
  }
}

function breaksIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0)
}

function countOf(delimiter: string, piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(delimiter); at >= 0; at = piece.indexOf(delimiter, at + 1)) count += 1
  return count
}

function unreadable(error: Error, last: Position): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_MAX_RECORD_SIZE') return tooLarge(last)
  if (error.code !== 'CSV_QUOTE_NOT_CLOSED') return error
  return new UnreadableFileError('unclosed_quote', `${placeAfter(last)} opens a quote that is never closed.`)
}

function tooLarge(last: Position): UnreadableFileError {
  const megabytes = sizes.importRecordBytes / 1_048_576
  return new UnreadableFileError(
    'row_too_large',
    `${placeAfter(last)} has more than ${megabytes} MB or ${grouped(MAX_DELIMITERS)} cells. A quote that is never closed may be the reason.`,
  )
}

function placeAfter({ records, lines }: Position): string {
  if (records === 0) return 'The header'
  return records === 1 ? `The first row (line ${lines + 1})` : `The row after row ${records - 1} (line ${lines + 1})`
}
