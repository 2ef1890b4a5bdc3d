import { type ImportField, type ImportPreset, importFields } from '@earshot/contracts'
import { FIELDS_BY_NAME, HEADERS, type Header, plainName } from './headers.ts'

/** What was recognized from the header of a file. */
export interface RecognizedHeader {
  preset: ImportPreset | null
  /** The field of each column that was recognized. */
  mapping: Record<string, ImportField>
}

type FieldOf = (column: string) => ImportField | undefined

/** Columns that only our own exports have together. */
const OWN_MARKS = ['id', 'team_id', 'project_id', 'body', 'author.name', 'consent.granted']

/** Recognizes where a file comes from. Without a preset, columns that are named like a field are that field. */
export function recognizeHeader(columns: readonly string[]): RecognizedHeader {
  if (OWN_MARKS.every((mark) => columns.includes(mark))) return { preset: 'earshot', mapping: ownMapping(columns) }
  const names = new Set(columns.map(plainName))
  const header = HEADERS.find(({ marks }) => marks.every((mark) => names.has(mark)))
  if (!header) return { preset: null, mapping: mappingOf(columns, byName) }
  const mapping = mappingOf(columns, (column) => header.fields.get(plainName(column)) ?? (header.questions ? byName(column) : undefined))
  return { preset: header.preset, mapping: header.questions ? withOnlyQuestion(columns, mapping, header) : mapping }
}

/**
 * A record keeps its own external id. One that has none gets the id that it had where it was exported: rows without external id
 * are always new, so without it the same file would be imported twice, and the e-mail address, by which rows could be
 * recognized as well, is missing from many records, and from whole exports that were made without the scope read:contacts.
 */
function ownMapping(columns: readonly string[]): Record<string, ImportField> {
  const mapping = mappingOf(columns, (column) => importFields.find((field) => field === column))
  return { id: 'external_id', ...mapping }
}

function byName(column: string): ImportField | undefined {
  return FIELDS_BY_NAME.get(plainName(column))
}

/** The first column of a field is the field. */
function mappingOf(columns: readonly string[], fieldOf: FieldOf): Record<string, ImportField> {
  const byField = new Map<ImportField, string>()
  for (const column of columns) {
    const field = fieldOf(column)
    if (field && !byField.has(field)) byField.set(field, column)
  }
  return Object.fromEntries([...byField].map(([field, column]) => [column, field]))
}

/** Of a form that asks one question beside those about the person, the answer is the text. Of several, only a mapping tells. */
function withOnlyQuestion(columns: readonly string[], mapping: Record<string, ImportField>, header: Header): Record<string, ImportField> {
  if (Object.values(mapping).includes('body')) return mapping
  const questions = columns.filter(
    (column) => column !== '' && !Object.hasOwn(mapping, column) && !header.questions?.isOwn(plainName(column)),
  )
  const [only] = questions
  return questions.length === 1 && only !== undefined ? { ...mapping, [only]: 'body' } : mapping
}
