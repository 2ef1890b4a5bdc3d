import { importFields } from '@earshot/contracts/constants'
import type { Options } from './options.ts'
import { FIELD_LABELS, type Import } from './words.ts'

const IGNORED = ''
const METADATA = 'metadata.'

interface MappingTableProps {
  one: Import
  columns: readonly string[]
  examples: Readonly<Record<string, readonly string[]>>
  mapping: Options['mapping']
  onChange: (mapping: Options['mapping']) => void
}

/** Each column with values of the file, and the field that it becomes. */
export function MappingTable({ one, columns, examples, mapping, onChange }: MappingTableProps) {
  const named = [...new Set(columns)].filter((column) => column !== '')
  const choose = (column: string, field: string) => {
    const { [column]: _before, ...others } = mapping
    // Proven: the options of the select are fields.
    onChange(field === IGNORED ? others : { ...others, [column]: field as Options['mapping'][string] })
  }
  return (
    <div className="table-holder">
      <table className="mapping">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">In the file</th>
            <th scope="col">Becomes</th>
          </tr>
        </thead>
        <tbody>
          {named.map((column) => (
            <tr key={column}>
              <th scope="row" dir="auto">
                {column}
              </th>
              <td className="examples" dir="auto">
                {(examples[column] ?? examplesOf(one, column)).map((value, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: values repeat and never move
                  <span key={index}>{value}</span>
                ))}
              </td>
              <td>
                <FieldSelect
                  {...{ column, field: mapping[column] ?? IGNORED }}
                  isFixed={Object.hasOwn(one.mapping, column)}
                  onChoose={choose}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface FieldSelectProps {
  column: string
  field: string
  /** The service knows this column: it can become something else, but is not ignored. */
  isFixed: boolean
  onChoose: (column: string, field: string) => void
}

function FieldSelect({ column, field, isFixed, onChoose }: FieldSelectProps) {
  const metadata = field.startsWith(METADATA) ? field : METADATA + column
  return (
    <select aria-label={`What ${column} becomes`} value={field} onChange={(event) => onChoose(column, event.target.value)}>
      {!isFixed && <option value={IGNORED}>Do not import</option>}
      {importFields.map((one) => (
        <option key={one} value={one}>
          {FIELD_LABELS[one]}
        </option>
      ))}
      <option value={metadata}>Keep as metadata</option>
    </select>
  )
}

/** After a reload in another tab the file is not at hand; the preview has the values of what is read. */
function examplesOf({ mapping, preview }: Import, column: string): string[] {
  const path = mapping[column]
  if (path === undefined || !preview) return []
  return preview.slice(0, 3).flatMap((row) => {
    const value = path.split('.').reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), row)
    return value === null || value === undefined || value === '' ? [] : String(value).slice(0, 80)
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
