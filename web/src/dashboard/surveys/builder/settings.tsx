import { commonLanguages } from '@earshot/contracts/constants'
import { fieldErrors } from '../../ui/error-text.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { languageName } from '../languages.ts'
import type { Draft } from './draft.ts'
import type { DraftEditing } from './use-draft.ts'

const MINUTE_MS = 60_000

/** Name, language, end and thanks of a survey. They are saved like its questions. */
export function Settings({ editing }: { editing: DraftEditing }) {
  const { draft, change, error } = editing
  const errors = fieldErrors(error)
  const set = (fields: Partial<Draft>) => change((before) => ({ ...before, ...fields }))
  return (
    <div className="stack">
      <h2 className="sr">Settings</h2>
      <div className="card stack">
        <TextField
          label="Name"
          hint="Your team sees it; respondents do not."
          dir="auto"
          maxLength={200}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
          error={draft.name.trim() ? errors.get('name') : 'Give the survey a name.'}
        />
        <LanguageField draft={draft} onChange={(language) => set({ language })} error={errors.get('language')} />
        <TextArea
          label="Thank-you text"
          hint="Shown after the last question."
          maxLength={2_000}
          value={draft.thankYouText}
          onChange={(event) => set({ thankYouText: event.target.value })}
          error={errors.get('thank_you_text')}
        />
      </div>
      <div className="card stack">
        <h3>When it ends</h3>
        <TextField
          label="Closes at"
          type="datetime-local"
          hint="Optional, in your time zone. Then the survey takes no more responses."
          value={localTime(draft.closesAt)}
          onChange={(event) => set({ closesAt: event.target.value ? new Date(event.target.value).toISOString() : '' })}
          error={errors.get('closes_at')}
        />
        <TextField
          label="Maximum number of responses"
          type="number"
          min={1}
          max={10_000_000}
          hint="Optional. After the last one the survey closes. Responses that it has already count."
          value={draft.responseLimit}
          onChange={(event) => set({ responseLimit: event.target.value })}
          error={errors.get('response_limit')}
        />
        <CheckField
          label="One response per person"
          hint="A person whom you name by the id in your system or by e-mail address answers only once, from now on."
          checked={draft.isOncePerPerson}
          onChange={(event) => set({ isOncePerPerson: event.target.checked })}
          error={errors.get('one_per_respondent')}
        />
      </div>
    </div>
  )
}

interface LanguageFieldProps {
  draft: Draft
  error: string | undefined
  onChange: (language: string) => void
}

function LanguageField({ draft, error, onChange }: LanguageFieldProps) {
  const known = [...new Set([draft.language, ...commonLanguages])].filter((tag) => !(tag in draft.translations))
  return (
    <SelectField
      label="Language of the questions"
      hint="The language that you write in. Translations are beside it."
      value={draft.language}
      onChange={(event) => onChange(event.target.value)}
      options={known.map((value) => ({ value, label: languageName(value) }))}
      error={error}
    />
  )
}

/** Returns a time as the field shows it: in the time zone of the browser. */
function localTime(at: string): string {
  if (at === '') return ''
  const ms = Date.parse(at)
  return new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}
