import { serviceNow } from '../../clock.ts'
import { useTeam } from '../../shell/places.ts'
import { dayIn } from '../../ui/day-in.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { DAY_RANGES, type ResultsSearch } from '../address.ts'
import { languageName } from '../languages.ts'
import type { Survey } from '../queries.ts'

const RANGES = [
  { value: '', label: 'All time' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 12 months' },
  { value: 'days', label: 'From … to …' },
]

type Changed = { [Name in keyof ResultsSearch]?: ResultsSearch[Name] | undefined }

interface ResultsFiltersProps {
  survey: Survey
  search: ResultsSearch
  onChange: (change: Changed) => void
}

/** Which responses the results are about. */
export function ResultsFilters({ survey, search, onChange }: ResultsFiltersProps) {
  const hasDays = search.from !== undefined || search.to !== undefined
  const { timezone } = useTeam().settings
  const today = dayIn(timezone, serviceNow())
  const chooseRange = (value: string) => {
    const range = DAY_RANGES.find((one) => one === value)
    onChange({
      range,
      from: value === 'days' ? dayIn(timezone, Date.parse(survey.created_at)) : undefined,
      to: value === 'days' ? today : undefined,
    })
  }
  return (
    <search className="survey-filters" aria-label="Filters">
      <SelectField
        label="Time"
        value={hasDays ? 'days' : (search.range ?? '')}
        options={RANGES}
        onChange={(event) => chooseRange(event.target.value)}
      />
      {hasDays && (
        <>
          <TextField
            label="First day"
            type="date"
            max={search.to}
            value={search.from ?? ''}
            onChange={(event) => onChange({ from: event.target.value || undefined })}
          />
          <TextField
            label="Last day"
            type="date"
            min={search.from}
            value={search.to ?? ''}
            onChange={(event) => onChange({ to: event.target.value || undefined })}
          />
        </>
      )}
      <LanguageAndVersion survey={survey} search={search} onChange={onChange} />
    </search>
  )
}

type Shared = Pick<ResultsSearch, 'language' | 'version'>

interface LanguageAndVersionProps {
  survey: Survey
  search: Shared
  onChange: (change: { [Name in keyof Shared]?: Shared[Name] | undefined }) => void
}

/** The filters that results and responses share. */
export function LanguageAndVersion({ survey, search, onChange }: LanguageAndVersionProps) {
  const languages = [...new Set([survey.language, ...Object.keys(survey.translations), ...(search.language ? [search.language] : [])])]
  const versions = Array.from({ length: survey.version }, (_, index) => survey.version - index)
  return (
    <>
      {languages.length > 1 && (
        <SelectField
          label="Language"
          value={search.language ?? ''}
          options={[{ value: '', label: 'All languages' }, ...languages.map((tag) => ({ value: tag, label: languageName(tag) }))]}
          onChange={(event) => onChange({ language: event.target.value || undefined })}
        />
      )}
      {versions.length > 1 && (
        <SelectField
          label="Version"
          value={String(search.version ?? '')}
          options={[
            { value: '', label: 'All versions' },
            ...versions.map((version) => ({ value: String(version), label: `Version ${version}` })),
          ]}
          onChange={(event) => onChange({ version: Number(event.target.value) || undefined })}
        />
      )}
    </>
  )
}
