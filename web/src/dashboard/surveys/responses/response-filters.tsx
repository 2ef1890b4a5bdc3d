import { useEffect, useState } from 'react'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { ResponsesSearch } from '../address.ts'
import type { Survey } from '../queries.ts'
import { LanguageAndVersion } from '../results/filters.tsx'
import { channels } from './channels.ts'

const PAUSE_MS = 400
const GROUPS = [
  { value: '', label: 'All scores' },
  { value: 'promoters', label: 'Promoters (9–10)' },
  { value: 'passives', label: 'Passives (7–8)' },
  { value: 'detractors', label: 'Detractors (0–6)' },
] as const

interface ResponseFiltersProps {
  survey: Survey
  search: ResponsesSearch
  onChange: (change: { [Name in keyof ResponsesSearch]?: ResponsesSearch[Name] | undefined }) => void
}

/** Narrows the list of responses. What is chosen stands in the address. */
export function ResponseFilters({ survey, search, onChange }: ResponseFiltersProps) {
  const hasNps = survey.questions.some(({ type }) => type === 'nps')
  return (
    <search className="survey-filters" aria-label="Filters">
      <Words value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
      {hasNps && (
        <SelectField
          label="NPS"
          value={search.group ?? ''}
          options={GROUPS}
          onChange={(event) => onChange({ group: GROUPS.find(({ value }) => value === event.target.value)?.value || undefined })}
        />
      )}
      <SelectField
        label="Channel"
        value={search.channel ?? ''}
        options={[{ value: '', label: 'All channels' }, ...channels]}
        onChange={(event) => onChange({ channel: channels.find(({ value }) => value === event.target.value)?.value })}
      />
      <LanguageAndVersion survey={survey} search={search} onChange={onChange} />
    </search>
  )
}

/** Searches after a pause in typing. */
function Words({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the wait
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <TextField
      label="Search"
      type="search"
      placeholder="Words in answers or names"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
