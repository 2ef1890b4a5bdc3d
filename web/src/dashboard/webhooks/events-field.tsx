import './endpoint-form.css'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useTeam } from '../shell/places.ts'
import { CheckField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ENDPOINT_TYPES, type EndpointDraft } from './draft.ts'
import { typesQuery } from './queries.ts'
import type { EventType } from './records.ts'

interface EventsFieldProps {
  draft: EndpointDraft
  set: (change: Partial<EndpointDraft>) => void
  error: string | undefined
}

/** Which events an endpoint gets: all, or the chosen types, each with what it means. */
export function EventsField({ draft, set, error }: EventsFieldProps) {
  const id = useId()
  const types = useQuery(typesQuery(useTeam().id))
  const choices = [
    { isAll: true, label: 'All events, also those of later versions' },
    { isAll: false, label: 'Only these types' },
  ]
  return (
    <fieldset className="choices" data-invalid={error !== undefined || undefined} aria-describedby={error === undefined ? undefined : id}>
      <legend>Events</legend>
      {error !== undefined && (
        <p className="field-error" id={id}>
          {error}
        </p>
      )}
      {choices.map(({ isAll, label }) => (
        <label key={label} className="choice">
          <input type="radio" name={`${id}all`} checked={draft.isAll === isAll} onChange={() => set({ isAll })} />
          {label}
        </label>
      ))}
      <Loaded query={types} skeleton={<Skeleton rows={2} height="2.5rem" />}>
        {(all) => (
          <TypeChecks
            types={draft.isAll ? all.filter(({ type }) => ENDPOINT_TYPES.includes(type)) : all}
            chosen={draft.types}
            onChange={(chosen) => set({ types: chosen })}
          />
        )}
      </Loaded>
    </fieldset>
  )
}

interface TypeChecksProps {
  types: readonly { type: EventType; description: string }[]
  chosen: readonly EventType[]
  onChange: (chosen: readonly EventType[]) => void
}

/** A checkbox for each type of event. */
export function TypeChecks({ types, chosen, onChange }: TypeChecksProps) {
  return (
    <div className="type-checks">
      {types.map(({ type, description }) => (
        <CheckField
          key={type}
          label={type}
          hint={description}
          checked={chosen.includes(type)}
          onChange={({ target }) => onChange(target.checked ? [...chosen, type] : chosen.filter((other) => other !== type))}
        />
      ))}
    </div>
  )
}
