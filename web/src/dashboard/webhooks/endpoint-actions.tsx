import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Note } from '../ui/error-note.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { endpointChanged } from './queries.ts'
import type { Endpoint } from './records.ts'
import { ReplayDialog } from './replay.tsx'
import { TestDialog } from './test.tsx'

/** What can be done with an endpoint: test it, replay events, pause and resume it. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const [open, setOpen] = useState<'test' | 'replay' | null>(null)
  const change = useStateChange(endpoint)
  const isActive = endpoint.state === 'active'
  return (
    <>
      <Button icon="play" onClick={() => setOpen('test')}>
        Send a test
      </Button>
      <Button icon="undo" onClick={() => setOpen('replay')}>
        Replay
      </Button>
      {endpoint.state !== 'disabled' && (
        <Button isBusy={change.isPending} onClick={() => change.mutate(isActive ? 'paused' : 'active')}>
          {isActive ? 'Pause' : 'Resume'}
        </Button>
      )}
      {open === 'test' && <TestDialog endpoint={endpoint} onClose={() => setOpen(null)} />}
      {open === 'replay' && <ReplayDialog endpoint={endpoint} onClose={() => setOpen(null)} />}
    </>
  )
}

/** Says why nothing is sent to an endpoint, and what to do. */
export function StateNote({ endpoint }: { endpoint: Endpoint }) {
  const change = useStateChange(endpoint)
  if (endpoint.state === 'active') return null
  if (endpoint.state === 'paused')
    return (
      <Note look="warn">
        <p>
          <strong>Paused.</strong> New events are skipped. After you resume, replay the time of the pause to send them.
        </p>
      </Note>
    )
  return (
    <Note look="warn">
      <p>
        <strong>The service disabled this endpoint.</strong> <span dir="auto">{endpoint.disabled_reason}</span>
      </p>
      <p>Repair your receiver, send a test, enable the endpoint, and replay the events that were skipped meanwhile.</p>
      <Button isBusy={change.isPending} onClick={() => change.mutate('active')}>
        Enable the endpoint
      </Button>
    </Note>
  )
}

function useStateChange({ team_id, id }: Endpoint) {
  return useMutation({
    mutationFn: (state: 'active' | 'paused') => api.webhooks.update({ team_id, webhook_id: id, state }),
    onSuccess: async (changed) => {
      await endpointChanged(changed)
      toast({ look: 'good', text: changed.state === 'active' ? 'Events are sent again' : 'Paused: new events are skipped' })
    },
    onError: toastFailure,
  })
}
