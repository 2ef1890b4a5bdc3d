import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api, queries } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Button } from '../ui/button.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'
import { createInput, EMPTY, type EndpointDraft } from './draft.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { SecretDialog } from './secret.tsx'

const route = getRouteApi('/$team/-/webhooks')

/** A new endpoint. Its secret is shown once, then its page opens. */
export function CreateEndpoint() {
  const team = useTeam()
  const navigate = route.useNavigate()
  const [draft, setDraft] = useState<EndpointDraft>(EMPTY)
  const [secret, setSecret] = useState('')
  const create = useMutation({
    mutationFn: () =>
      api.webhooks.create({ team_id: team.id, ...createInput(draft), ...(secret.trim() !== '' && { secret: secret.trim() }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', team.id] }),
  })
  const open = (id: string) =>
    navigate({ to: '/$team/-/webhooks/$webhook', params: { team: team.slug, webhook: id }, search: { tab: 'deliveries' }, replace: true })
  return (
    <Page
      title="New endpoint"
      back={
        <BackLink to="/$team/-/webhooks" params={{ team: team.slug }}>
          All endpoints
        </BackLink>
      }
      lead="An address that gets your events. You can change everything later."
    >
      <EndpointForm
        draft={draft}
        onChange={setDraft}
        onSubmit={() => create.mutate()}
        error={create.error}
        isBusy={create.isPending}
        action="Create the endpoint"
        more={<Button onClick={() => void navigate({ search: {} })}>Cancel</Button>}
      >
        <TextField
          label="Secret of your own"
          hint="Optional: whsec_ and 24 to 64 random bytes in base64, if your receivers have one already. Otherwise the service makes one."
          value={secret}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setSecret(target.value)}
          error={fieldErrors(create.error).get('secret')}
        />
      </EndpointForm>
      {create.data && <SecretDialog created={create.data} title="The endpoint is ready" onClose={() => void open(create.data.id)} />}
    </Page>
  )
}
