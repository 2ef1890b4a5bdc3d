import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import type { Options } from './options.ts'

const DEDUPE = [
  { value: 'none', label: 'Don’t match: import every row as new' },
  { value: 'external_id', label: 'By the id of the record' },
  { value: 'email+body', label: 'By e-mail address and text' },
] as const
const MODES = [
  { value: 'create', label: 'Skip them' },
  { value: 'upsert', label: 'Update them, while imported and pending' },
] as const
const DATES = [
  { value: '', label: 'As the file shows' },
  { value: 'dmy', label: 'Day first (31/12/2026)' },
  { value: 'mdy', label: 'Month first (12/31/2026)' },
] as const
const SCALES = [
  { value: '', label: 'As the file shows' },
  { value: '5', label: '5' },
  { value: '10', label: '10' },
  { value: '100', label: '100' },
] as const

interface ChoicesProps {
  options: Options
  onChange: (change: Partial<Options>) => void
}

/** How the rows are read, and what happens to records that exist. */
export function Choices({ options, onChange }: ChoicesProps) {
  const { dedupe_by, mode, date_order, rating_scale, suppress_events } = options
  return (
    <div className="card stack">
      <div className="filter-fields">
        <SelectField
          label="Recognize records that exist"
          options={DEDUPE}
          value={dedupe_by ?? 'none'}
          onChange={({ target }) => onChange({ dedupe_by: DEDUPE.find(({ value }) => value === target.value)?.value ?? null })}
        />
        <SelectField
          label="Records that exist"
          options={MODES}
          value={mode}
          onChange={({ target }) => onChange({ mode: target.value === 'upsert' ? 'upsert' : 'create' })}
        />
        <SelectField
          label="Dates"
          options={DATES}
          value={date_order ?? ''}
          onChange={({ target }) => onChange({ date_order: (['dmy', 'mdy'] as const).find((value) => value === target.value) ?? null })}
        />
        <SelectField
          label="The best rating"
          options={SCALES}
          value={String(rating_scale ?? '')}
          onChange={({ target }) =>
            onChange({ rating_scale: ([5, 10, 100] as const).find((value) => value === Number(target.value)) ?? null })
          }
        />
      </div>
      <Consent options={options} onChange={onChange} />
      <CheckField
        label="Send no events"
        hint="Webhooks get nothing about the single records, only that the import is completed."
        checked={suppress_events}
        onChange={(event) => onChange({ suppress_events: event.target.checked })}
      />
    </div>
  )
}

function Consent({ options: { mapping, consents, consentText }, onChange }: ChoicesProps) {
  if (Object.values(mapping).includes('consent.granted'))
    return <p className="soft">A column of the file says who agreed to publication.</p>
  return (
    <>
      <CheckField
        label="All authors agreed to publication"
        hint="Without consent, approved words stay private. Say so only if you can show it."
        checked={consents}
        onChange={(event) => onChange({ consents: event.target.checked })}
      />
      {consents && (
        <TextField
          label="What they agreed to"
          hint="Optional. It is kept with each record."
          value={consentText}
          maxLength={2_000}
          dir="auto"
          onChange={(event) => onChange({ consentText: event.target.value })}
        />
      )}
    </>
  )
}
