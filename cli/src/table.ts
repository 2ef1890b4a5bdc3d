import { ageOf } from './age.ts'
import { CORE_RANKS, type Column } from './columns.ts'
import { valueAt } from './page.ts'
import type { Paint } from './paint.ts'
import { cut, oneLine, widthOf } from './printable.ts'
import type { SchemaNode } from './schema-node.ts'
import { PIPED_WIDTH } from './terminal.ts'

const GAP = '  '
const MIN_TEXT_WIDTH = 14
const READABLE_TEXT_WIDTH = 36
const MAX_TEXT_WIDTH = 60
/** Characters of a text that are looked at for its cell. */
const LOOKED_AT = 1_000

interface Shown extends Column {
  head: string
  hasContent: boolean
  width: number
}

interface TableStyle {
  terminalWidth: number | undefined
  paint: Paint
}

/** A table whose columns are decided. */
export interface Table {
  /** Formats the next rows; the first ones follow the header. */
  format(records: readonly unknown[]): string
}

/** Formats records as a table as wide as the terminal. Long text is cut, ids are not; the columns that have no room are left out, the least important first. */
export function formatTable(shown: readonly Column[], records: readonly unknown[], style: TableStyle): string {
  return openTable(shown, records, style).format(records)
}

/** Decides by the first records which columns a table has, and how wide they are. */
export function openTable(shown: readonly Column[], first: readonly unknown[], { terminalWidth = PIPED_WIDTH, paint }: TableStyle): Table {
  const columns = chooseColumns(
    shown.map((column) => show(column, first)).filter(({ hasContent }) => hasContent),
    terminalWidth,
  )
  let header = [lineOf(columns, (column) => padded(column, cut(column.head, column.width)))]
  return {
    format: (records) => {
      const rows = records.map((record) => lineOf(columns, (column) => cellAt(column, record, paint)))
      const lines = [...header, ...rows]
      header = []
      return lines.map((line) => `${line}\n`).join('')
    },
  }
}

function lineOf(columns: readonly Shown[], cellIn: (column: Shown) => string): string {
  return columns.map(cellIn).join(GAP).trimEnd()
}

function cellAt(column: Shown, record: unknown, paint: Paint): string {
  const text = cellOf(column, record)
  const colour = column.colourOf?.(text)
  return padded(column, cut(text, column.width), colour && ((cell) => paint(colour, cell)))
}

/** Fills the width of a column; only the text has a colour. */
function padded(column: Shown, text: string, paint: (text: string) => string = (plain) => plain): string {
  const space = ' '.repeat(Math.max(0, column.width - widthOf(text)))
  return isNumeric(column) ? space + paint(text) : paint(text) + space
}

function isNumeric({ node, orElse, isAge = false }: Column): boolean {
  return isAge || (orElse === undefined && (node.kind === 'integer' || node.kind === 'number'))
}

function show(column: Column, records: readonly unknown[]): Shown {
  const head = column.head ?? column.path.join('.')
  const cells = records.map((record) => cellOf(column, record))
  const natural = cells.reduce((width, cell) => Math.max(width, widthOf(cell)), head.length)
  return {
    ...column,
    head,
    hasContent: cells.some((cell) => cell !== '-'),
    width: isText(column.node) ? Math.min(natural, MAX_TEXT_WIDTH) : natural,
  }
}

/** Adds the core columns that fit at their least width and widens them to a readable width, then adds all others that fit, then widens text. */
function chooseColumns(columns: readonly Shown[], terminalWidth: number): Shown[] {
  const widths = new Map<Shown, number>()
  let left = terminalWidth + GAP.length
  const add = (wanted: readonly Shown[]) => {
    for (const column of wanted) {
      const width = leastWidth(column)
      if (width + GAP.length > left) continue
      widths.set(column, width)
      left -= width + GAP.length
    }
  }
  const grow = (maxWidth: number) => {
    for (const [column, width] of widths) {
      const growth = Math.max(0, Math.min(left, Math.min(column.width, maxWidth) - width))
      widths.set(column, width + growth)
      left -= growth
    }
  }
  const byRank = columns.toSorted((a, b) => a.rank - b.rank)
  add(byRank.filter(({ rank }) => rank < CORE_RANKS))
  grow(READABLE_TEXT_WIDTH)
  add(byRank.filter(({ rank }) => rank >= CORE_RANKS))
  const [first] = byRank
  if (first && widths.size === 0) widths.set(first, terminalWidth)
  grow(MAX_TEXT_WIDTH)
  return columns.filter((column) => widths.has(column)).map((column) => ({ ...column, width: widths.get(column) ?? column.width }))
}

function leastWidth({ node, head, width }: Shown): number {
  return isText(node) ? Math.min(width, Math.max(MIN_TEXT_WIDTH, head.length)) : width
}

/** Returns whether a column may be cut: text, but not ids, times or choices. */
function isText({ kind, format, choices }: SchemaNode): boolean {
  return kind === 'array' || (kind === 'string' && format === undefined && choices.length === 0)
}

function cellOf({ path, orElse = [], node, isAge }: Column, record: unknown): string {
  const value = valueAt(record, path) ?? (orElse.length > 0 ? valueAt(record, orElse) : null)
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return oneLine(value.join(', ')) || '-'
  if (isAge) return ageOf(String(value))
  // Lists show minutes: 2026-11-20 09:30Z
  if (node.format === 'date-time') return oneLine(String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2Z'))
  return oneLine(String(value).slice(0, LOOKED_AT))
}
