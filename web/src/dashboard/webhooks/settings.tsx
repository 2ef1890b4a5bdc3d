import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { api, queries } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Section } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toasts.tsx'
import { draftOf, updateInput } from './draft.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { endpointChanged } from './queries.ts'
import type { Endpoint } from './records.ts'
import { SecretPanel } from './secret.tsx'

const Samples = lazy(async () => ({ default: (await import('./samples.tsx')).Samples }))
const route = getRouteApi('/$team/-/webhooks/$webhook')

/** The settings of an endpoint, its secret, code for its receiver, and its end. */
export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <Section title="Settings">
        <SettingsForm endpoint={endpoint} />
      </Section>
      <Section title="Signing secret" lead="Your receiver verifies with it that requests come from Earshot.">
        <SecretPanel endpoint={endpoint} />
      </Section>
      {endpoint.format === 'earshot' && (
        <Section title="Code for your receiver" lead="Complete programs. Set WEBHOOK_SECRET to the secret of this endpoint.">
          <Suspense fallback={<Skeleton rows={1} height="20rem" />}>
            <Samples />
          </Suspense>
        </Section>
      )}
      <Section title="Delete the endpoint">
        <div className="card stack">
          <p>Nothing more is sent to it. To stop for a while, pause it instead.</p>
          <div className="row">
            <Button look="danger" onClick={() => setIsAsked(true)}>
              Delete the endpoint
            </Button>
          </div>
        </div>
      </Section>
      {isAsked && <DeleteConfirm endpoint={endpoint} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function SettingsForm({ endpoint }: { endpoint: Endpoint }) {
  const [draft, setDraft] = useState(() => draftOf(endpoint))
  const save = useMutation({
    mutationFn: () => api.webhooks.update({ team_id: endpoint.team_id, webhook_id: endpoint.id, ...updateInput(draft, endpoint) }),
    onSuccess: async (changed) => {
      setDraft(draftOf(changed))
      toast({ look: 'good', text: 'Saved' })
      await endpointChanged(changed)
    },
  })
  return (
    <EndpointForm
      draft={draft}
      onChange={setDraft}
      onSubmit={() => save.mutate()}
      error={save.error}
      isBusy={save.isPending}
      action="Save the changes"
    />
  )
}

function DeleteConfirm({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const team = useTeam()
  const navigate = route.useNavigate()
  const remove = async () => {
    await api.webhooks.delete({ team_id: endpoint.team_id, webhook_id: endpoint.id })
    // The list as it was would ask for the figures of what is gone.
    queries.removeQueries({ queryKey: ['webhooks', team.id], type: 'inactive' })
    await navigate({ to: '/$team/-/webhooks', params: { team: team.slug }, search: {}, replace: true })
    queries.removeQueries({ queryKey: ['webhook', endpoint.id], type: 'inactive' })
    await queries.invalidateQueries({ queryKey: ['webhooks', team.id] })
    toast({ look: 'good', text: 'The endpoint was deleted' })
  }
  return (
    <Confirm title="Delete the endpoint?" action="Delete the endpoint" onConfirm={remove} onClose={onClose}>
      <p>
        Nothing more is sent to <code>{endpoint.url}</code>, and deliveries that wait are dropped. Its deliveries and its secret are gone.
        This cannot be undone.
      </p>
    </Confirm>
  )
}
