import type { Import, ImportFailure, ImportPreset, ImportRow } from '@earshot/contracts'
import { grouped } from '@earshot/contracts/constants'
import type { Column } from './columns.ts'
import { ExitCode } from './exit-codes.ts'
import { layoutOf } from './layouts.ts'
import { operationNamed } from './operation.ts'
import { painter } from './paint.ts'
import { cut, jsonText, oneLine, printable } from './printable.ts'
import { nodeAt, readOutput, TEXT } from './schema-node.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'

const SHOWN_ROWS = 5
const SHOWN_COLUMNS = 20
const COLUMN_WIDTH = 40

const SERVICES: Record<ImportPreset, string> = {
  earshot: 'Earshot',
  senja: 'Senja',
  testimonial_to: 'Testimonial.to',
  google: 'Google',
  trustpilot: 'Trustpilot',
  typeform: 'Typeform',
  delighted: 'Delighted',
}

/** Failures that --map can remove. */
const OF_MAPPING: readonly ImportFailure[] = ['no_mapping', 'unknown_column', 'duplicate_column']
/** Failures after which an import can be resumed. */
const PASSING: readonly ImportFailure[] = ['quota_exceeded', 'file_unavailable', 'internal_error']
/** Failures after which the same file can be imported again. */
const REPEATABLE: readonly ImportFailure[] = [...PASSING, 'upload_expired', 'file_expunged']

/** Where the end of an import is told. */
export interface Scene {
  terminal: Terminal
  isJson: boolean
  /** Flags that name the team and the project. */
  place: readonly string[]
}

/** Returns a command that a person can type. */
export function commandIn({ place }: Pick<Scene, 'place'>, ...words: string[]): string {
  return printable(['earshot', ...words, ...place].join(' '))
}

/** Returns whether the import of the file of a dry run would change anything. */
export function willWrite({ totals: { created, updated } }: Import): boolean {
  return created + updated > 0
}

/** Returns the question before an import. */
export function questionOf({ totals: { created, updated } }: Import): string {
  if (created === 0) return `Update ${counted(updated, 'testimonial')}? [y/N] `
  return `Import ${counted(created, 'testimonial')}${updated > 0 ? ` and update ${grouped(updated)}` : ''}? [y/N] `
}

/** Shows what a dry run recognized, its first rows, its totals, and the given rows that failed. */
export function showPreview(scene: Scene, dryRun: Import, failedRows: readonly ImportRow[]): void {
  const { preset, preview, totals } = dryRun
  const { writeOut } = scene.terminal
  writeOut(preset ? `Recognized as an export of ${SERVICES[preset]}.\n\n` : 'Columns were recognized by their names.\n\n')
  writeOut(mappingOf(scene, dryRun))
  if (preview && preview.length > 0) {
    writeOut(`\n${tableOf(scene, columnsFor('imports.preview', 'imports.retrieve', 'preview'), preview)}`)
  }
  writeOut(`\n${totalsOf(dryRun)}\n`)
  if (failedRows.length > 0) {
    writeOut(`\n${tableOf(scene, columnsFor('imports.rows.list', 'imports.rows.list', 'results'), failedRows.slice(0, SHOWN_ROWS))}`)
    if (totals.failed > SHOWN_ROWS) writeOut(`All rows that failed: ${commandIn(scene, 'imports', 'rows', 'list', dryRun.id, '--all')}\n`)
  }
  if (!hasConsent(dryRun)) {
    writeOut('\nWithout the consent of their authors, testimonials cannot become public. If you have it, add --consent.granted.\n')
  }
}

/** Says that a file would change nothing. Returns the exit code. */
export function showNothing(scene: Scene, dryRun: Import): number {
  if (scene.isJson) return showEnd(scene, dryRun)
  scene.terminal.writeError('There is nothing to import.\n')
  return exitCodeOf(dryRun)
}

/** Shows how an import ended, and what can be done next. Returns the exit code. */
export function showEnd(scene: Scene, ended: Import): number {
  const { terminal, isJson } = scene
  const { id, dry_run, state, error, totals } = ended
  if (isJson) terminal.writeOut(`${jsonText(ended)}\n`)
  else if (state === 'completed' && dry_run) terminal.writeError('This was a dry run. Nothing was imported.\n')
  else {
    if (!dry_run) terminal.writeOut(`${totalsOf(ended)}\n`)
    if (state === 'undone') terminal.writeError('error: the import was undone meanwhile\n')
    if (error) terminal.writeError(printable(`${[`error: ${error.detail} (${error.code})`, ...adviceOn(scene, ended)].join('\n')}\n`))
    if (totals.created > 0 && !dry_run && state !== 'undone') {
      terminal.writeOut(`Testimonials are pending. List them: ${commandIn(scene, 'submissions', 'list', '--import-id', id)}\n`)
      terminal.writeOut(`Remove them again: ${commandIn(scene, 'imports', 'undo', id)}\n`)
    }
  }
  return exitCodeOf(ended)
}

/** A file none of whose rows can be imported is a failure, too. */
function exitCodeOf({ state, totals: { rows, failed } }: Import): number {
  return state !== 'completed' || (failed > 0 && failed === rows) ? ExitCode.refused : ExitCode.success
}

function adviceOn(scene: Scene, { id, dry_run, error, columns }: Import): string[] {
  if (!error) return []
  if (OF_MAPPING.includes(error.code)) {
    return ['Name the columns with --map "Column=field".', ...(columns ? [`Columns of the file: ${listed(columns)}`] : [])]
  }
  if (PASSING.includes(error.code) && !dry_run) return [`Continue later: ${commandIn(scene, 'imports', 'resume', id)}`]
  return [REPEATABLE.includes(error.code) ? 'Import the file again.' : 'Correct the file, and import it again.']
}

function totalsOf({ dry_run, totals: { rows, created, updated, skipped, failed } }: Import): string {
  const parts = [
    `${grouped(created)} ${dry_run ? 'new' : 'imported'}`,
    ...(updated > 0 ? [`${grouped(updated)} ${dry_run ? 'to update' : 'updated'}`] : []),
    `${grouped(skipped)} skipped`,
    `${grouped(failed)} failed`,
  ]
  return `${counted(rows, 'row')}: ${parts.join(', ')}`
}

function mappingOf(scene: Scene, { columns, mapping }: Import): string {
  const shown: Column[] = ['column', 'field'].map((name, rank) => ({ path: [name], node: TEXT, rank }))
  const rows = (columns ?? []).flatMap((column) => (Object.hasOwn(mapping, column) ? [{ column, field: mapping[column] }] : []))
  const ignored = (columns ?? []).filter((column) => !Object.hasOwn(mapping, column))
  return tableOf(scene, shown, rows) + (ignored.length > 0 ? `Ignored: ${listed(ignored)}\n` : '')
}

function listed(columns: readonly string[]): string {
  const names = columns.slice(0, SHOWN_COLUMNS).map((column) => cut(oneLine(column), COLUMN_WIDTH) || '(without a name)')
  const left = columns.length - names.length
  return names.join(', ') + (left > 0 ? ` and ${grouped(left)} more` : '')
}

/** Returns the columns of a list in the output of an operation. */
function columnsFor(layout: string, operation: string, field: string): Column[] {
  const item = nodeAt(readOutput(operationNamed(operation)), [field])?.items()
  return (item && layoutOf(layout, item)) ?? []
}

function tableOf({ terminal }: Scene, columns: readonly Column[], records: readonly unknown[]): string {
  return formatTable(columns, records, { terminalWidth: terminal.columns, paint: painter(terminal) })
}

function hasConsent({ consent, mapping }: Import): boolean {
  return consent?.granted === true || Object.values(mapping).includes('consent.granted')
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}
