import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api, queries } from '../api.ts'
import { useIdentity } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'

/** For a person without a team: makes the first one. */
export function FirstTeam() {
  const { user } = useIdentity()
  return (
    <Page
      title={`Welcome, ${user.name}`}
      lead="A team owns projects, and the people who moderate them. Invitations by others come by e-mail."
    >
      <TeamForm />
    </Page>
  )
}

/** Makes another team, which the person owns. */
export function NewTeam() {
  return (
    <Page title="New team" lead="A team has its own projects, members and plan. You will be its owner.">
      <TeamForm />
    </Page>
  )
}

function TeamForm() {
  const navigate = useNavigate()
  const [{ name }, change, forget] = useDraft('team', { name: '' })
  const create = useMutation({
    mutationFn: () => api.teams.create({ name: name.trim() }),
    onSuccess: async ({ slug }) => {
      forget()
      await queries.invalidateQueries({ queryKey: ['teams'] })
      await queries.invalidateQueries({ queryKey: ['me'] })
      await navigate({ to: '/$team', params: { team: slug } })
    },
  })
  const errors = fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate()
  }
  return (
    <form className="card stack" onSubmit={submit}>
      <TextField
        {...{ label: 'Name of your team', value: name, error: errors.get('name') }}
        hint="Your company or your product. You can change it later."
        onChange={(event) => change({ name: event.target.value })}
        autoComplete="organization"
        dir="auto"
        required
      />
      {create.error && errors.size === 0 && <ErrorNote error={create.error} />}
      <div className="row">
        <Button look="primary" type="submit" isBusy={create.isPending}>
          Create the team
        </Button>
      </div>
    </form>
  )
}
