import Table from 'cli-table3'
import stringWidth from 'string-width'
import { ageOf } from './age.ts'
import { CORE_RANKS, type Column } from './columns.ts'
import type { Paint } from './paint.ts'
import { cut, oneLine } from './printable.ts'
import type { SchemaNode } from './schema-node.ts'
import { PIPED_WIDTH } from './terminal.ts'

const GAP = '  '
const MIN_TEXT_WIDTH = 14
const READABLE_TEXT_WIDTH = 36
const MAX_TEXT_WIDTH = 60
const PLAIN = { left: '', 'left-mid': '', right: '', 'right-mid': '', mid: '', 'mid-mid': '', top: '', 'top-mid': '', 'top-left': '' }
const BORDERS = { ...PLAIN, 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', middle: GAP }

interface Shown extends Column {
  head: string
  cells: string[]
  width: number
}

/** Formats records as a table as wide as the terminal. Long text is cut, ids never; the least important columns are dropped. */
export function formatTable(
  shown: readonly Column[],
  records: readonly unknown[],
  { terminalWidth = PIPED_WIDTH, paint }: { terminalWidth: number | undefined; paint: Paint },
): string {
  const columns = chooseColumns(shown.map((column) => show(column, records)).filter(hasContent), terminalWidth)
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map((column) => (isNumeric(column) ? 'right' : 'left')),
    chars: BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  for (const index of records.keys()) table.push(columns.map((column) => cellAt(column, index, paint)))
  return `${table.toString().replaceAll(/ +$/gm, '')}\n`
}

function cellAt({ cells, width, colourOf }: Shown, index: number, paint: Paint): string {
  const text = cells[index] ?? ''
  const colour = colourOf?.(text)
  return colour ? paint(colour, cut(text, width)) : cut(text, width)
}

function isNumeric({ node, orElse, isAge = false }: Column): boolean {
  return isAge || (orElse === undefined && (node.kind === 'integer' || node.kind === 'number'))
}

function show(column: Column, records: readonly unknown[]): Shown {
  const head = column.head ?? column.path.join('.')
  const cells = records.map((record) => cellOf(column, record))
  const natural = Math.max(head.length, ...cells.map(stringWidth))
  return { ...column, head, cells, width: isText(column.node) ? Math.min(natural, MAX_TEXT_WIDTH) : natural }
}

/** Returns false for a column without a single value. */
function hasContent({ cells }: Shown): boolean {
  return cells.some((cell) => cell !== '-')
}

/** Adds the core columns at their least width and widens them to a readable width, then adds all others that fit, then widens text. */
function chooseColumns(columns: readonly Shown[], terminalWidth: number): Shown[] {
  const widths = new Map<Shown, number>()
  let left = terminalWidth + GAP.length
  const add = (wanted: readonly Shown[]) => {
    for (const column of wanted) {
      const width = leastWidth(column)
      if (widths.size > 0 && width + GAP.length > left) continue
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
  return oneLine(String(value))
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), record)
}
