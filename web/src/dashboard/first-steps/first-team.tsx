import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../api.ts'
import { useIdentity } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'

/** For a person without a team: makes the first one. */
export function FirstTeam() {
  const { user } = useIdentity()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => api.teams.create({ name: name.trim() }),
    onSuccess: async ({ slug }) => {
      await queries.invalidateQueries()
      await navigate({ to: '/$team', params: { team: slug } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate()
  }
  return (
    <Page
      title={`Welcome, ${user.name}`}
      lead="A team owns projects, and the people who moderate them. Invitations by others come by e-mail."
    >
      <form className="card stack" onSubmit={submit}>
        <TextField
          label="Name of your team"
          hint="Your company or your product. You can change it later."
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={fieldErrors(create.error).get('name')}
          autoComplete="organization"
          required
        />
        {create.error && fieldErrors(create.error).size === 0 && <ErrorNote error={create.error} />}
        <div className="row">
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create the team
          </Button>
        </div>
      </form>
    </Page>
  )
}
