import { sizes } from '@earshot/contracts/constants'
import { keep, readKept } from '../kept.ts'

/** How much of a file is read here, to show its columns before the service has read it. */
const HEAD_BYTES = 131_072
const DELIMITERS = [',', ';', '\t', '|'] as const
const EXAMPLES = 3
const EXAMPLE_CHARACTERS = 80
const BYTE_ORDER_MARK = '\u{FEFF}'
/** More are not kept for the tab. */
const KEPT_COLUMNS = 200

/** The columns of a file as it begins, with values of their first rows. */
export interface FileHead {
  columns: readonly string[]
  examples: Readonly<Record<string, readonly string[]>>
}

/** Reads the beginning of a file. The service reads it again, by rules of its own: this one only helps people to choose. */
export async function readHead(file: Blob): Promise<FileHead> {
  const text = decode(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()))
  const [header = [], ...rows] = DELIMITERS.map((delimiter) => parseRows(text, delimiter)).reduce((best, rows) =>
    scoreOf(rows) > scoreOf(best) ? rows : best,
  )
  const columns = header.map((cell) => Array.from(cell.trim()).slice(0, sizes.importColumnCharacters).join('')).slice(0, KEPT_COLUMNS)
  const examples = columns.map((column, index) => {
    const values = rows.map((cells) => cells[index]?.trim() ?? '').filter((value) => value !== '')
    return [column, values.slice(0, EXAMPLES).map((value) => value.slice(0, EXAMPLE_CHARACTERS))]
  })
  return { columns, examples: Object.fromEntries(examples) }
}

/** Keeps the head of an import's file for this tab, so that a reload does not lose it. */
export function keepHead(importId: string, head: FileHead | null): void {
  if (head) keep('session', keyOf(importId), JSON.stringify(head))
}

export function recallHead(importId: string): FileHead | null {
  return JSON.parse(readKept('session', keyOf(importId)) ?? 'null') // Written above.
}

export function forgetHead(importId: string): void {
  keep('session', keyOf(importId), null)
}

function keyOf(importId: string): string {
  return `earshot.import.${importId}`
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // The head may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Rows as wide as the header, and wide ones, speak for a delimiter. */
function scoreOf(rows: readonly string[][]): number {
  const width = rows[0]?.length ?? 0
  return (rows.filter(({ length }) => length === width).length / Math.max(1, rows.length)) * Math.log2(width + 1)
}

/** The header and the first rows of a table (RFC 4180). */
function parseRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let cells: string[] = []
  const cell = /"((?:[^"]|"")*)"?|([^\r\n]*)/y
  const plain = new RegExp(`[^\\r\\n\\${delimiter}]*`, 'y')
  const start = text.replace(BYTE_ORDER_MARK, '').replace(/^sep=.\r?\n/i, '')
  let at = 0
  while (at < start.length && rows.length <= EXAMPLES) {
    const pattern = start[at] === '"' ? cell : plain
    pattern.lastIndex = at
    const [all = '', quoted] = pattern.exec(start) ?? []
    cells.push(quoted?.replaceAll('""', '"') ?? all)
    at += all.length
    if (start[at] === delimiter) {
      at += 1
      continue
    }
    const rest = /[^\r\n]*(\r\n|\r|\n|$)/y
    rest.lastIndex = at
    at += rest.exec(start)?.[0].length ?? 1
    if (cells.length > 1 || cells[0] !== '') rows.push(cells)
    cells = []
  }
  return rows
}
