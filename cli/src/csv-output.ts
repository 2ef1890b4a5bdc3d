import { csvCell } from '@earshot/contracts/constants'
import { stringify } from 'csv-stringify/sync'
import { isPage, type Output, valueAt } from './page.ts'
import { printable } from './printable.ts'
import type { SchemaNode } from './schema-node.ts'
import type { Terminal } from './terminal.ts'

/** Excel reads UTF-8 only with a byte order mark. */
const BYTE_ORDER_MARK = '\u{FEFF}'
/** Readers take a lone one for the end of a row, too. */
const LINE_BREAK = /[\r\n]/

/** Prints records as the service exports them: the same columns, the same bytes (RFC 4180). A terminal gets no control characters. */
export function csvOutput({ columns, writeAll }: Terminal, item: SchemaNode): Output {
  const paths = columnsOf(item)
  const isTerminal = columns !== undefined
  let header: string[][] = [paths.map((path) => path.join('.'))]
  const write = async (records: readonly unknown[]) => {
    const rows = [...header, ...records.map((record) => paths.map((path) => csvCell(valueAt(record, path))))]
    const mark = header.length > 0 && !isTerminal ? BYTE_ORDER_MARK : ''
    header = []
    const text = rows.length > 0 ? stringify(rows, { record_delimiter: 'windows', quoted_match: LINE_BREAK }) : ''
    await writeAll(isTerminal ? printable(text) : mark + text)
  }
  return {
    add: (page) => write(isPage(page) ? page.results : []),
    end: async () => {},
  }
}

/** Returns a column for each field, `author.name` for one of an object that is always there. */
function columnsOf(node: SchemaNode, path: readonly string[] = []): string[][] {
  return node.properties().flatMap(([name, child]) => {
    const isFlat = child.kind === 'object' && !child.isNullable && !child.isUnion
    return isFlat ? columnsOf(child, [...path, name]) : [[...path, name]]
  })
}
