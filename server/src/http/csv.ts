import { csvCell } from '@earshot/contracts'
import { stringify } from 'csv-stringify/sync'
import type { Column } from './columns.ts'

/** Excel reads UTF-8 only with a byte order mark. */
const BYTE_ORDER_MARK = '\u{FEFF}'
/** Readers take a lone one for the end of a row, too; csv-stringify quotes only those of the file. */
const LINE_BREAK = /[\r\n]/

/** Encodes records as rows of a CSV file (RFC 4180); the first ones follow the header. */
export function toCsv<Data>(records: Data[], columns: Column<Data>[], { isFirst }: { isFirst: boolean }): string {
  const rows = records.map((record) => columns.map(({ of }) => csvCell(of(record))))
  const header = isFirst ? [columns.map(({ name }) => csvCell(name))] : []
  return `${isFirst ? BYTE_ORDER_MARK : ''}${stringify([...header, ...rows], { record_delimiter: 'windows', quoted_match: LINE_BREAK })}`
}
