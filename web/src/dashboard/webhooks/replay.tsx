import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { serviceNow } from '../clock.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { instantOf, localOf } from './address.ts'
import { TypeChecks } from './events-field.tsx'
import { endpointSent, typesQuery } from './queries.ts'
import type { Endpoint, EventType } from './records.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const SPANS = [
  { label: 'Last hour', ms: HOUR_MS },
  { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { label: 'Last 7 days', ms: 168 * HOUR_MS },
] as const
const route = getRouteApi('/$team/-/webhooks/$webhook')

/** Sends the events of a period again. It says how many there are, and leads to their deliveries. */
export function ReplayDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const ref = { team_id: endpoint.team_id, webhook_id: endpoint.id }
  const navigate = route.useNavigate()
  const replay = useMutation({
    mutationFn: (input: { from: string; to: string; events?: EventType[] }) => api.webhooks.replay({ ...ref, ...input }),
    onSuccess: () => endpointSent(ref),
  })
  const follow = (replay_id: string) => {
    onClose()
    void navigate({ search: { tab: 'deliveries', replay: replay_id } })
  }
  return (
    <Dialog title="Replay events" onClose={onClose}>
      {replay.data ? (
        <>
          <div className="stack">
            <Note look="good">
              <p>
                <strong>
                  {replay.data.matched.toLocaleString('en')} {replay.data.matched === 1 ? 'event matches' : 'events match'}.
                </strong>{' '}
                {replay.data.matched > 0
                  ? 'Each is sent again as a new delivery, with all its retries.'
                  : 'Choose a longer period, or other types.'}
              </p>
            </Note>
          </div>
          <footer>
            <Button onClick={() => replay.reset()}>Choose another period</Button>
            <Button look="primary" onClick={() => follow(replay.data.replay_id)}>
              Follow its deliveries
            </Button>
          </footer>
        </>
      ) : (
        <ReplayForm endpoint={endpoint} error={replay.error} isBusy={replay.isPending} onSubmit={replay.mutate} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface ReplayFormProps {
  endpoint: Endpoint
  error: unknown
  isBusy: boolean
  onSubmit: (input: { from: string; to: string; events?: EventType[] }) => void
  onClose: () => void
}

function ReplayForm({ endpoint, error, isBusy, onSubmit, onClose }: ReplayFormProps) {
  const [from, setFrom] = useState(localOf(serviceNow() - HOUR_MS))
  // The minute that runs is part of it.
  const [to, setTo] = useState(localOf(serviceNow() + MINUTE_MS))
  const [types, setTypes] = useState<readonly EventType[]>([])
  const { data: all = [] } = useQuery(typesQuery(endpoint.team_id))
  const errors = fieldErrors(error)
  const hasPlaces = errors.size > 0 && [...errors.keys()].every((field) => field === 'from' || field === 'to')
  const choose = (ms: number) => {
    setFrom(localOf(serviceNow() - ms))
    setTo(localOf(serviceNow() + MINUTE_MS))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const period = { from: instantOf(from) ?? '', to: instantOf(to) ?? '' }
    if (!isBusy) onSubmit({ ...period, ...(types.length > 0 && { events: [...types] }) })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p>
        Every event of the period that this endpoint gets is sent again, also what it has already and what was skipped. Your receiver must
        deduplicate by the id of the event.
      </p>
      <div className="row">
        {SPANS.map(({ label, ms }) => (
          <Button key={label} onClick={() => choose(ms)}>
            {label}
          </Button>
        ))}
      </div>
      <div className="two-fields">
        <TextField
          label="From"
          type="datetime-local"
          required
          value={from}
          onChange={({ target }) => setFrom(target.value)}
          error={errors.get('from')}
        />
        <TextField
          label="To"
          type="datetime-local"
          required
          value={to}
          onChange={({ target }) => setTo(target.value)}
          error={errors.get('to')}
        />
      </div>
      <details>
        <summary>{types.length === 0 ? 'All types of the endpoint' : `Only ${types.length} chosen types`}</summary>
        <TypeChecks types={all} chosen={types} onChange={setTypes} />
      </details>
      {error !== null && !hasPlaces && <ErrorNote error={error} />}
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={isBusy}>
          Replay
        </Button>
      </footer>
    </form>
  )
}
