import type { DedupeBy, ImportField } from '@earshot/contracts'
import type { z } from 'zod'
import { UnreadableFileError } from './unreadable-file.ts'

/** How many columns a message names. */
const NAMED_COLUMNS = 20

/**
 * Returns the field of each column: what was recognized, with the mapping of the request over it. A field that the request
 * gives to a column is taken from the columns that were recognized as it. Throws UnreadableFileError.
 */
export function mergeMapping(
  columns: readonly string[],
  recognized: Readonly<Record<string, ImportField>>,
  requested: Readonly<Record<string, ImportField>>,
): Record<string, ImportField> {
  const unknown = Object.keys(requested).filter((column) => !columns.includes(column))
  if (unknown.length > 0) {
    const message = `The mapping names columns that the file does not have: ${namesOf(unknown)}. Its columns are: ${namesOf(columns)}.`
    throw new UnreadableFileError('unknown_column', message)
  }
  const given = new Set(Object.values(requested))
  const kept = Object.entries(recognized).filter(([, field]) => !given.has(field))
  return Object.fromEntries([...kept, ...Object.entries(requested)])
}

/** Requires that a column is the body, and that none that is read has its name twice. Throws UnreadableFileError. */
export function requireMapping(columns: readonly string[], mapping: Readonly<Record<string, ImportField>>): void {
  const doubled = Object.keys(mapping).filter((column) => columns.indexOf(column) !== columns.lastIndexOf(column))
  if (doubled.length > 0) {
    const message = `The header has more than one column of this name: ${namesOf(doubled)}. Rename all but the one to read.`
    throw new UnreadableFileError('duplicate_column', message)
  }
  if (Object.values(mapping).includes('body')) return
  const named = columns.find((column) => column !== '' && !Object.hasOwn(mapping, column)) ?? 'Text'
  const example = JSON.stringify({ [named]: 'body' })
  throw new UnreadableFileError(
    'no_mapping',
    `No column is known to be the text. Name it in \`mapping\`, such as ${example}. The columns are: ${namesOf(columns)}.`,
  )
}

/** What makes two rows the same record where the request does not say. */
export function defaultDedupeBy(mapping: Readonly<Record<string, ImportField>>): z.infer<typeof DedupeBy> {
  const fields = Object.values(mapping)
  if (fields.includes('external_id')) return 'external_id'
  return fields.includes('author.email') ? 'email+body' : 'none'
}

function namesOf(columns: readonly string[]): string {
  const named = columns.slice(0, NAMED_COLUMNS).map((column) => `“${column}”`)
  const more = columns.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}
