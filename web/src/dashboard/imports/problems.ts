import type { api, Item } from '../api.ts'
import { FIELD_LABELS } from './words.ts'

type FailedRow = Item<typeof api.imports.rows.list>

const METADATA = 'metadata.'
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [/say with `rating_scale` what the best rating is/, 'choose the best rating under Options'],
  [/say with `date_order` which one it is/, 'choose the order of dates under Options'],
  [/external_id/, 'id'],
  [/a verbatim part of the body/, 'a part of the text, word for word'],
]
const labels: ReadonlyMap<string, string> = new Map(Object.entries(FIELD_LABELS))

/** Why a row failed, by the column of the file or the name of the field in the table above, instead of the field of the API. */
export function problemInWords({ column, detail }: Pick<FailedRow, 'column' | 'detail'>): string {
  const plain = SETTINGS.reduce((text, [technical, words]) => text.replace(technical, words), detail)
  const [field = ''] = detail.split(' ', 1)
  const rest = plain.slice(plain.indexOf(' '))
  const isMetadata = field.startsWith(METADATA) || field === 'metadata'
  if (!labels.has(field) && !isMetadata) return sentence(plain)
  if (column !== null) return `“${column}”${rest}`
  return `${labels.get(field) ?? `Metadata “${field.slice(METADATA.length)}”`}${rest}`
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
