import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Page } from '../ui/page.tsx'

/** Makes another project in the team. */
export function NewProject() {
  return useHasRole('admin') ? (
    <Page title="New project" lead="A project collects feedback about one website or product.">
      <ProjectForm />
    </Page>
  ) : (
    <Page title="New project">
      <Empty icon="lock" title="You cannot create projects">
        An admin or an owner of the team creates projects.
      </Empty>
    </Page>
  )
}

/** Asks for what a project needs, and leads to its first steps. */
export function ProjectForm() {
  const team = useTeam()
  const navigate = useNavigate()
  const [{ name, website }, change, forget] = useDraft(`project.${team.id}`, { name: '', website: '' })
  const create = useMutation({
    mutationFn: () => api.projects.create({ team_id: team.id, name: name.trim(), website_url: website.trim() || null }),
    onSuccess: async ({ slug }) => {
      forget()
      await queries.invalidateQueries({ queryKey: ['projects', team.id] })
      await navigate({ to: '/$team/$project/first-steps', params: { team: team.slug, project: slug } })
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
        {...{ label: 'Name', hint: 'Visitors see it above the form.', value: name, error: errors.get('name') }}
        onChange={(event) => change({ name: event.target.value })}
        dir="auto"
        required
      />
      <TextField
        {...{ label: 'Website', type: 'url', value: website, error: errors.get('website_url') }}
        placeholder="https://example.com"
        hint="Optional. Visitors come back to it after they sent their words."
        onChange={(event) => change({ website: event.target.value })}
      />
      {create.error && errors.size === 0 && <ErrorNote error={create.error} />}
      <div className="row">
        <Button look="primary" type="submit" isBusy={create.isPending}>
          Create the project
        </Button>
      </div>
    </form>
  )
}
