import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { projectsQuery, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { type EndpointDraft, formatOfAddress } from './draft.ts'
import { EventsField } from './events-field.tsx'
import { HeadersField } from './headers-field.tsx'
import { FORMATS } from './words.ts'

/** Fields that show their own errors. Those of others are listed below the form. */
const SHOWN = /^(url|description|project_id|format|max_per_second|secret|events(\..*)?|headers(\..*)?)$/

interface EndpointFormProps {
  draft: EndpointDraft
  onChange: (draft: EndpointDraft) => void
  onSubmit: () => void
  error: unknown
  isBusy: boolean
  action: string
  /** More fields, before the button. */
  children?: ReactNode
  /** More buttons, beside the button. */
  more?: ReactNode
}

/** All settings of an endpoint, for a new one and for a change. */
export function EndpointForm({ draft, onChange, onSubmit, error, isBusy, action, children, more }: EndpointFormProps) {
  const errors = fieldErrors(error)
  const form = useFirstError(error)
  const set = (change: Partial<EndpointDraft>) => onChange({ ...draft, ...change })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) onSubmit()
  }
  const hasPlaces = errors.size > 0 && [...errors.keys()].every((field) => SHOWN.test(field))
  return (
    <form ref={form} className="card stack" onSubmit={submit} noValidate>
      <AddressFields draft={draft} set={set} errors={errors} />
      <EventsField draft={draft} set={set} error={[...errors].find(([field]) => field.startsWith('events'))?.[1]} />
      <ScopeFields draft={draft} set={set} errors={errors} />
      <HeadersField headers={draft.headers} onChange={(headers) => set({ headers })} errors={errors} />
      {children}
      {error !== null && !hasPlaces && <ErrorNote error={error} />}
      <div className="row">
        <Button look="primary" type="submit" isBusy={isBusy}>
          {action}
        </Button>
        {more}
      </div>
    </form>
  )
}

interface PartProps {
  draft: EndpointDraft
  set: (change: Partial<EndpointDraft>) => void
  errors: ReadonlyMap<string, string>
}

function AddressFields({ draft, set, errors }: PartProps) {
  return (
    <>
      <TextField
        label="Address"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hooks/earshot"
        hint="A public https address. Redirects are not followed."
        value={draft.url}
        onChange={({ target: { value } }) => set({ url: value, ...withFormat(draft, value) })}
        error={errors.get('url')}
        aria-required
      />
      <TextField
        label="Description"
        hint="Optional. What this endpoint is for, for your team."
        value={draft.description}
        onChange={({ target: { value } }) => set({ description: value })}
        error={errors.get('description')}
        dir="auto"
      />
      <SelectField
        label="Format"
        hint="Addresses of Slack, Discord and Teams take only their own format."
        options={FORMATS}
        value={draft.format}
        onChange={({ target: { value } }) => set({ format: FORMATS.find((format) => format.value === value)?.value ?? 'earshot' })}
        error={errors.get('format')}
      />
    </>
  )
}

function ScopeFields({ draft, set, errors }: PartProps) {
  const { data: projects = [] } = useQuery(projectsQuery(useTeam().id))
  return (
    <div className="two-fields">
      <SelectField
        label="Project"
        hint="Only events of this project."
        options={[{ value: '', label: 'All projects' }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
        value={draft.projectId}
        onChange={({ target: { value } }) => set({ projectId: value })}
        error={errors.get('project_id')}
      />
      <TextField
        label="Deliveries per second, at most"
        type="number"
        min={1}
        max={1000}
        hint="Optional, 1 to 1,000. What is beyond waits its turn."
        value={draft.maxPerSecond}
        onChange={({ target: { value } }) => set({ maxPerSecond: value })}
        error={errors.get('max_per_second')}
      />
    </div>
  )
}

/** An address of a chat chooses its format, as long as the person has not chosen another. */
function withFormat({ url, format }: EndpointDraft, typed: string): Partial<EndpointDraft> {
  const isUntouched = format === (formatOfAddress(url) ?? 'earshot')
  return isUntouched ? { format: formatOfAddress(typed) ?? 'earshot' } : {}
}

/** After a refusal the focus goes to the first field that is wrong. */
function useFirstError(error: unknown) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid], [data-invalid] input')?.focus()
  }, [error])
  return form
}
