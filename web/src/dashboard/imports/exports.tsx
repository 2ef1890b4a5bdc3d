import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useProjectRef } from '../shell/places.ts'
import { surveyNamesQuery } from '../surveys/queries.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Section } from '../ui/page.tsx'
import { PeriodField } from '../ui/period-field.tsx'

const ANY = { value: '', label: 'All' }
const STATES = [
  ANY,
  { value: 'pending', label: 'Pending' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
]
const KINDS = [ANY, { value: 'text', label: 'Text' }, { value: 'video', label: 'Video' }, { value: 'testimonial', label: 'Testimonial' }]
const RATINGS = [
  ANY,
  ...[5, 4, 3, 2].map((rating) => ({ value: String(rating), label: rating === 5 ? '5 stars' : `${rating} stars or more` })),
]

/** Downloads of everything, or of a part. The service streams them as files. */
export function Exports() {
  return (
    <Section
      title="Export"
      lead="Files with every record, newest first. CSV opens in spreadsheets; NDJSON has one JSON object in each line."
    >
      <div className="stack">
        <SubmissionExport />
        <ResponseExport />
      </div>
    </Section>
  )
}

function SubmissionExport() {
  const { team_id, project_id } = useProjectRef()
  const [filters, setFilters] = useState({ state: '', kind: '', min_rating: '', tag: '', after: '', before: '' })
  const set = (change: Partial<typeof filters>) => setFilters({ ...filters, ...change })
  const { state, kind, min_rating, tag, after, before } = filters
  const query = { state, kind, min_rating, tag: tag.trim(), created_after: startOf(after, 0), created_before: startOf(before, 1) }
  return (
    <div className="card stack">
      <h3>Submissions and testimonials</h3>
      <div className="filter-fields">
        <SelectField label="State" options={STATES} value={state} onChange={(event) => set({ state: event.target.value })} />
        <SelectField label="Kind" options={KINDS} value={kind} onChange={(event) => set({ kind: event.target.value })} />
        <SelectField label="Rating" options={RATINGS} value={min_rating} onChange={(event) => set({ min_rating: event.target.value })} />
        <PeriodField type="date" from={after} to={before} onChange={({ from, to }) => set({ after: from, before: to })} />
        <TextField label="From" type="date" value={after} onChange={(event) => set({ after: event.target.value })} />
        <TextField label="Until" type="date" value={before} onChange={(event) => set({ before: event.target.value })} />
        <TextField label="Tag" value={tag} maxLength={50} onChange={(event) => set({ tag: event.target.value })} />
      </div>
      <Downloads path={`/api/v1/teams/${team_id}/projects/${project_id}/submissions/export/`} query={query} what="submissions" />
    </div>
  )
}

function ResponseExport() {
  const ref = useProjectRef()
  const [isOpen, setIsOpen] = useState(false)
  // Few people export responses: the surveys are read when somebody is about to.
  const { data, isPending, error, refetch } = useQuery({ ...surveyNamesQuery(ref), enabled: isOpen })
  const [chosen, setChosen] = useState('')
  const surveys = data ?? []
  const survey = surveys.find(({ id }) => id === chosen) ?? surveys[0]
  if (!isOpen)
    return (
      <div className="card stack">
        <h3>Responses to a survey</h3>
        <div className="row">
          <Button onClick={() => setIsOpen(true)}>Choose a survey</Button>
        </div>
      </div>
    )
  if (!survey)
    return (
      <div className="card stack">
        <h3>Responses to a survey</h3>
        {isPending && <p className="soft">Loading surveys…</p>}
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {data && <p className="soft">The project has no survey.</p>}
      </div>
    )
  const path = `/api/v1/teams/${ref.team_id}/projects/${ref.project_id}/surveys/${survey.id}/responses/export/`
  return (
    <div className="card stack">
      <h3>Responses to a survey</h3>
      <SelectField
        label="Survey"
        options={surveys.map(({ id, name }) => ({ value: id, label: name }))}
        value={survey.id}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Downloads path={path} query={{}} what="responses" />
    </div>
  )
}

/** Links to the operation itself: the browser downloads and shows how far it is. */
function Downloads({ path, query, what }: { path: string; query: Record<string, string>; what: string }) {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const address = (format: string) => `${path}?${new URLSearchParams([['format', format], ...given])}`
  return (
    <div className="row">
      <a className="btn" href={address('csv')} download>
        <Icon name="export" /> CSV<span className="sr"> of {what}</span>
      </a>
      <a className="btn" href={address('ndjson')} download>
        <Icon name="export" /> NDJSON<span className="sr"> of {what}</span>
      </a>
    </div>
  )
}

/** The beginning of a day of the reader, or of the day after. */
function startOf(day: string, plusDays: number): string {
  if (day === '') return ''
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + plusDays)
  return start.toISOString()
}
