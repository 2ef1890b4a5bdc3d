import { type ImportField, sizes } from '@earshot/contracts'
import { type FileRow, type Position, readRows } from './csv.ts'
import { dateOrderOf, isDateField } from './dates.ts'
import { detectDelimiter, readSeparatorLine } from './delimiter.ts'
import { detectEncoding, type Encoding } from './encoding.ts'
import type { FileFormat } from './format.ts'
import { mergeMapping, requireMapping } from './mapping.ts'
import { binaryFormatOf, textFormatOf } from './other-format.ts'
import { recognizeHeader } from './presets.ts'
import { type OpenFile, readStart, readUtf8 } from './source.ts'
import { UnreadableFileError } from './unreadable-file.ts'
import type { Conventions } from './values.ts'

/** What the request says about a file. */
export interface RecognizeOptions extends Conventions {
  mapping: Readonly<Record<string, ImportField>>
}

const START_BYTES = 262_144
const BYTE_ORDER_MARK = '\u{FEFF}'
/** Rows in whose dates one is looked for that shows the order. */
const DATE_SAMPLE_ROWS = 1_000

/**
 * Recognizes how a file is to be read, and returns it with the position behind the header. Reads the whole file once for its
 * encoding, and its first rows. Throws UnreadableFileError.
 */
export async function recognizeFile(open: OpenFile, options: RecognizeOptions): Promise<FileFormat & { position: Position }> {
  const head = await readStart(open(), START_BYTES)
  refuseFormat(binaryFormatOf(head))
  const encoding = await detectEncoding(head, open)
  const text = await readStart(readUtf8(open, encoding, 0), START_BYTES)
  refuseFormat(textFormatOf(text.toString()))
  const { delimiter, from } = await startOf(text)
  const header = await readHeader(open, { encoding, delimiter, from })
  const columns = columnsOf(header)
  const recognized = recognizeHeader(columns)
  const mapping = mergeMapping(columns, recognized.mapping, options.mapping)
  requireMapping(columns, mapping)
  const { preset } = recognized
  const { position } = header
  const format = { ...options, encoding, delimiter, columns, preset, mapping }
  return { ...format, dateOrder: options.dateOrder ?? (await detectDateOrder(open, format, position)), position }
}

function refuseFormat(format: string | null): void {
  if (format)
    throw new UnreadableFileError('not_csv', `The file is ${format}, whatever its name. Save or export it as CSV and import that.`)
}

/** The delimiter, and where the header begins. */
async function startOf(text: Buffer): Promise<{ delimiter: string; from: Position }> {
  const marked = text.toString().startsWith(BYTE_ORDER_MARK) ? Buffer.byteLength(BYTE_ORDER_MARK) : 0
  const rest = text.subarray(marked)
  const line = readSeparatorLine(rest.toString('utf8', 0, 16))
  if (line) return { delimiter: line.delimiter, from: { records: 0, bytes: marked + line.bytes, lines: 1 } }
  return { delimiter: await detectDelimiter(rest), from: { records: 0, bytes: marked, lines: 0 } }
}

async function readHeader(
  open: OpenFile,
  { encoding, delimiter, from }: { encoding: Encoding; delimiter: string; from: Position },
): Promise<FileRow> {
  for await (const header of readRows(readUtf8(open, encoding, from.bytes), delimiter, from)) {
    if (header.cells.length <= sizes.importColumns) return header
    throw new UnreadableFileError(
      'too_many_columns',
      `The header has ${header.cells.length} columns. At most ${sizes.importColumns} are read.`,
    )
  }
  throw new UnreadableFileError('empty_file', 'The file is empty. Its first row must name the columns.')
}

function columnsOf({ cells }: FileRow): string[] {
  // PostgreSQL stores no NUL.
  return cells.map((cell) => Array.from(cell.replaceAll('\0', '').trim()).slice(0, sizes.importColumnCharacters).join(''))
}

/** The order that the first rows show. Null if none of their dates does, or if they contradict each other. */
async function detectDateOrder(
  open: OpenFile,
  format: Omit<FileFormat, 'dateOrder'>,
  position: Position,
): Promise<Conventions['dateOrder']> {
  const { columns, mapping, encoding, delimiter } = format
  const indexes = columns.flatMap((column, index) => (isDateField(mapping[column]) ? index : []))
  if (indexes.length === 0) return null
  const orders = new Set<Conventions['dateOrder']>()
  try {
    for await (const row of readRows(readUtf8(open, encoding, position.bytes), delimiter, position)) {
      for (const index of indexes) orders.add(dateOrderOf(row.cells[index]?.trim() ?? ''))
      if (row.position.records >= DATE_SAMPLE_ROWS) break
    }
  } catch (error) {
    // The import says so when it gets there, after the rows before.
    if (!(error instanceof UnreadableFileError)) throw error
  }
  orders.delete(null)
  const [order = null] = orders
  return orders.size === 1 ? order : null
}
