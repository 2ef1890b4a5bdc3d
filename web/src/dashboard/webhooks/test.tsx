import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SelectField } from '../ui/field.tsx'
import { AttemptDetails } from './attempt.tsx'
import { endpointSent, typesQuery } from './queries.ts'
import type { Endpoint } from './records.ts'

/** Sends a test event, waits for the answer and shows it. */
export function TestDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const ref = { team_id: endpoint.team_id, webhook_id: endpoint.id }
  const { data: types = [] } = useQuery(typesQuery(endpoint.team_id))
  const [chosen, setChosen] = useState('')
  const type = types.find((known) => known.type === chosen)?.type
  const test = useMutation({
    mutationFn: () => api.webhooks.test({ ...ref, ...(type && { type }) }),
    onSettled: () => endpointSent(ref),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!test.isPending) test.mutate()
  }
  return (
    <Dialog title="Send a test" onClose={onClose} size="wide">
      <form className="stack" onSubmit={submit}>
        <SelectField
          label="Event"
          hint="The example of the type, whether or not the endpoint gets it. It is signed like any other, sent once, and not in the change feed."
          options={[{ value: '', label: 'webhook.test' }, ...types.map((known) => ({ value: known.type, label: known.type }))]}
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
        />
        {test.error && <ErrorNote error={test.error} />}
        <div role="status">
          {test.isPending && <p className="soft">Waiting for the answer, up to 30 seconds…</p>}
          {test.data && <AttemptDetails attempt={test.data} endpoint={endpoint} eventType={type ?? 'webhook.test'} />}
        </div>
        <footer>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" isBusy={test.isPending}>
            {test.data ? 'Send again' : 'Send'}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
