import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'

/** For a team without a project: makes the first one. */
export function FirstProject() {
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [website, setWebsite] = useState('')
  const create = useMutation({
    mutationFn: () => api.projects.create({ team_id: team.id, name: name.trim(), website_url: website.trim() || null }),
    onSuccess: async ({ slug }) => {
      await queries.invalidateQueries({ queryKey: ['projects', team.id] })
      await navigate({ to: '/$team/$project/inbox', params: { team: team.slug, project: slug } })
    },
  })
  const errors = fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate()
  }
  if (!isAdmin)
    return (
      <Page title={team.name}>
        <Empty icon="inbox" title="No project yet">
          An admin or the owner of {team.name} creates projects. Ask them to create the first one.
        </Empty>
      </Page>
    )
  return (
    <Page title="Your first project" lead="A project collects feedback about one website or product.">
      <form className="card stack" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Visitors see it above the form."
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.get('name')}
          required
        />
        <TextField
          label="Website"
          type="url"
          placeholder="https://example.com"
          hint="Optional. Visitors come back to it after they sent their words."
          value={website}
          onChange={(event) => setWebsite(event.target.value)}
          error={errors.get('website_url')}
        />
        {create.error && errors.size === 0 && <ErrorNote error={create.error} />}
        <div className="row">
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create the project
          </Button>
        </div>
      </form>
    </Page>
  )
}
