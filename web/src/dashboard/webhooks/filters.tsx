import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { PeriodField } from '../ui/period-field.tsx'
import { DELIVERY_STATES, defined, type EndpointSearch, OUTCOMES } from './address.ts'
import { DELIVERED_TYPES } from './queries.ts'

const route = getRouteApi('/$team/-/webhooks/$webhook')

/** The address as the filters, and a way to change some of them. */
function useFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: { [Name in keyof EndpointSearch]?: EndpointSearch[Name] | undefined }) => {
    const { item: _item, ...kept } = search
    void navigate({ search: { ...defined({ ...kept, ...change }), tab: search.tab }, replace: true, resetScroll: false })
  }
  return { search, set, clear: () => void navigate({ search: { tab: search.tab }, replace: true, resetScroll: false }) }
}

/** The filters of deliveries, in the address. */
export function DeliveryFilters({ actions }: { actions: ReactNode }) {
  const { search, set, clear } = useFilters()
  const { tab: _tab, item: _item, ...filters } = search
  return (
    <search className="filters">
      <SelectField
        label="State"
        options={anyOf('Any state', DELIVERY_STATES)}
        value={search.state ?? ''}
        onChange={({ target }) => set({ state: DELIVERY_STATES.find((state) => state === target.value) })}
      />
      <SelectField
        label="Type"
        options={anyOf('Any type', DELIVERED_TYPES)}
        value={search.type ?? ''}
        onChange={({ target }) => set({ type: target.value || undefined })}
      />
      <Span search={search} set={set} />
      <EventField key={search.event} event={search.event ?? ''} onSet={(event) => set({ event })} />
      <div className="row">
        {actions}
        {Object.keys(filters).length > 0 && (
          <Button onClick={clear}>{search.replay === undefined ? 'Clear filters' : 'Leave the replay'}</Button>
        )}
      </div>
    </search>
  )
}

/** The filters of attempts, in the address. */
export function AttemptFilters({ actions }: { actions: ReactNode }) {
  const { search, set, clear } = useFilters()
  return (
    <search className="filters">
      <SelectField
        label="Outcome"
        options={anyOf('Any outcome', OUTCOMES)}
        value={search.outcome ?? ''}
        onChange={({ target }) => set({ outcome: OUTCOMES.find((outcome) => outcome === target.value) })}
      />
      <TextField
        key={search.status}
        label="Status code"
        type="number"
        min={100}
        max={599}
        defaultValue={search.status ?? ''}
        onBlur={({ target }) => target.validity.valid && set({ status: target.value === '' ? undefined : Number(target.value) })}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <Span search={search} set={set} />
      <div className="row">
        {actions}
        <Button onClick={clear}>Clear filters</Button>
      </div>
    </search>
  )
}

interface SpanProps {
  search: EndpointSearch
  set: (change: { after?: string | undefined; before?: string | undefined }) => void
}

function Span({ search, set }: SpanProps) {
  return (
    <>
      <PeriodField
        type="datetime-local"
        from={search.after ?? ''}
        to={search.before ?? ''}
        onChange={({ from, to }) => set({ after: from || undefined, before: to || undefined })}
      />
      <TextField
        label="From"
        type="datetime-local"
        value={search.after ?? ''}
        onChange={({ target }) => set({ after: target.value || undefined })}
      />
      <TextField
        label="To"
        type="datetime-local"
        value={search.before ?? ''}
        onChange={({ target }) => set({ before: target.value || undefined })}
      />
    </>
  )
}

function EventField({ event, onSet }: { event: string; onSet: (event: string | undefined) => void }) {
  const [typed, setTyped] = useState(event)
  const set = () => typed.trim() !== event && onSet(typed.trim() || undefined)
  return (
    <TextField
      label="Event id"
      value={typed}
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => setTyped(target.value)}
      onBlur={set}
      onKeyDown={({ key }) => key === 'Enter' && set()}
    />
  )
}

function anyOf(all: string, values: readonly string[]) {
  return [{ value: '', label: all }, ...values.map((value) => ({ value, label: value }))]
}
