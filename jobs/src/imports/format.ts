import type { ImportField, ImportPreset } from '@earshot/contracts'
import type { Encoding } from './encoding.ts'
import type { Conventions } from './values.ts'

/** How a file is read. Together with a position it is all that reading on needs. */
export interface FileFormat extends Conventions {
  encoding: Encoding
  delimiter: string
  /** The header. Names are trimmed, and cut where a mapping could not name them. */
  columns: readonly string[]
  preset: ImportPreset | null
  /** The field of each column that is read. */
  mapping: Readonly<Record<string, ImportField>>
}

const GUARDED = /^'+[=+\-@\t\r＝＋－＠]/

/**
 * Returns what a cell says. Cells of others lose the white space around them. Those of our own exports keep it, and lose the
 * apostrophe before what a spreadsheet could take for a formula, so that a text comes back as it was.
 */
export function cleanerOf({ preset }: Pick<FileFormat, 'preset'>): (cell: string) => string {
  return preset === 'earshot' ? unguarded : (cell) => cell.trim()
}

function unguarded(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell
}
