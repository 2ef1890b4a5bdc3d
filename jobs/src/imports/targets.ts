import { type ImportField, sizes } from '@earshot/contracts'
import { createDateReader, isDateField } from './dates.ts'
import type { FileFormat } from './format.ts'
import { readMetadata } from './metadata.ts'
import { type Conventions, type Reading, readBoolean, readLanguage, readNumber, readRating, readTags } from './values.ts'

/** A testimonial whose fields are not validated. */
export interface Draft {
  fields: Record<string, unknown>
  author: Record<string, unknown>
  consent: Record<string, unknown>
  source: Record<string, unknown>
  metadata: Record<string, unknown>
}

/** A column that is read, and the field that it becomes. */
export interface Target {
  index: number
  column: string
  field: ImportField
  read: (cell: string) => Reading<unknown>
  set: (draft: Draft, value: unknown) => void
}

/** Longer cells are no date, rating, number or yes. */
const SHORT_CHARACTERS = 100
/** JSON may have white space that is not stored. */
const JSON_CHARACTERS = 4 * sizes.metadataBytes

interface Reader {
  read: (cell: string, conventions: Conventions) => Reading<unknown>
  maxCharacters: number
}

/** The validation measures texts. */
const TEXT: Reader = { read: (cell) => ({ value: cell }), maxCharacters: Number.POSITIVE_INFINITY }
const READERS = new Map<ImportField, Reader>([
  ['rating', { read: readRating, maxCharacters: SHORT_CHARACTERS }],
  ['featured', { read: readBoolean, maxCharacters: SHORT_CHARACTERS }],
  ['consent.granted', { read: readBoolean, maxCharacters: SHORT_CHARACTERS }],
  ['position', { read: readNumber, maxCharacters: SHORT_CHARACTERS }],
  ['language', { read: readLanguage, maxCharacters: SHORT_CHARACTERS }],
  ['tags', { read: readTags, maxCharacters: sizes.bodyCharacters }],
  ['metadata', { read: readMetadata, maxCharacters: JSON_CHARACTERS }],
])
const GROUPS = ['author', 'consent', 'source', 'metadata'] as const

/**
 * Returns the columns that are read. Of several columns of a field the last one that is not empty counts; one that has the
 * field's own name comes last, so that an `external_id` of ours goes before the `id`.
 */
export function targetsOf(format: FileFormat): Target[] {
  const { columns, mapping } = format
  const readDate = createDateReader(format)
  const targets = columns.flatMap((column, index) => {
    const field = Object.hasOwn(mapping, column) ? mapping[column] : undefined
    if (field === undefined) return []
    const reader = isDateField(field) ? { read: readDate, maxCharacters: SHORT_CHARACTERS } : READERS.get(field)
    return { index, column, field, read: checked(reader ?? TEXT, format), set: setterOf(field) }
  })
  return targets.sort((one, other) => Number(one.column === one.field) - Number(other.column === other.field))
}

function checked({ read, maxCharacters }: Reader, conventions: Conventions): Target['read'] {
  return (cell) => {
    if (cell.includes('\0')) return { error: 'unreadable_text', detail: 'must not contain NUL' }
    if (cell.length > maxCharacters) return { error: 'too_big', detail: `must have at most ${maxCharacters} characters` }
    return read(cell, conventions)
  }
}

function setterOf(field: ImportField): Target['set'] {
  if (field === 'metadata') return ({ metadata }, value) => Object.assign(metadata, value)
  const group = GROUPS.find((name) => field.startsWith(`${name}.`))
  const key = group === undefined ? field : field.slice(group.length + 1)
  return (draft, value) => {
    draft[group ?? 'fields'][key] = value
  }
}
