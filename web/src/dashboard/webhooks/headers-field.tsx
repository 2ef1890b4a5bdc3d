import { Button, IconButton } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import type { HeaderDraft } from './draft.ts'

const MAX_HEADERS = 20

interface HeadersFieldProps {
  headers: readonly HeaderDraft[]
  onChange: (headers: readonly HeaderDraft[]) => void
  errors: ReadonlyMap<string, string>
}

/** Headers of one's own, for receivers behind a gateway. Stored values are never shown: they stay, or are replaced. */
export function HeadersField({ headers, onChange, errors }: HeadersFieldProps) {
  const change = (key: number, fields: Partial<HeaderDraft>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...fields } : header)))
  const add = () => onChange([...headers, { key: Date.now(), name: '', value: '', isStored: false }])
  const common = errors.get('headers')
  return (
    <fieldset className="choices">
      <legend>Custom headers</legend>
      <p className="hint">
        Optional. Every request carries them, such as Authorization for a gateway. Their values are stored encrypted and never shown again.
      </p>
      {common !== undefined && <p className="field-error">{common}</p>}
      {headers.map((header) => (
        <HeaderRow
          key={header.key}
          header={header}
          error={errors.get(`headers.${header.name.trim()}`)}
          onChange={(fields) => change(header.key, fields)}
          onRemove={() => onChange(headers.filter(({ key }) => key !== header.key))}
        />
      ))}
      {headers.length < MAX_HEADERS && (
        <div className="row">
          <Button icon="plus" onClick={add}>
            Add a header
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface HeaderRowProps {
  header: HeaderDraft
  error: string | undefined
  onChange: (fields: Partial<HeaderDraft>) => void
  onRemove: () => void
}

function HeaderRow({ header, error, onChange, onRemove }: HeaderRowProps) {
  const { name, value, isStored } = header
  return (
    <div className="header-row">
      <TextField
        label="Name"
        value={name}
        readOnly={isStored}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange({ name: target.value })}
        error={error}
      />
      {isStored ? (
        <div className="field">
          <span className="label">Value</span>
          <div className="row">
            <code>••••••••</code>
            <Button onClick={() => onChange({ isStored: false })} aria-label={`Replace the value of ${name}`}>
              Replace
            </Button>
          </div>
        </div>
      ) : (
        <TextField
          label="Value"
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      )}
      <IconButton icon="trash" label={`Remove the header ${name}`.trim()} onClick={onRemove} />
    </div>
  )
}
