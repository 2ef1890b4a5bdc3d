import type { FormEvent } from 'react'
import type { Project } from '../api.ts'
import { useHasRole, useProject } from '../shell/places.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { SaveRow } from '../ui/save-row.tsx'
import { useForm } from '../ui/use-form.ts'
import { useSaveProject } from './use-save-project.ts'

/** Name, short name and website of the project. */
export function GeneralForm() {
  const project = useProject()
  const isAdmin = useHasRole('admin')
  const form = useForm(fieldsOf(project), `earshot.project.${project.id}`)
  const save = useSaveProject((saved) => form.reset(fieldsOf(saved)))
  const { name, slug, website } = form.values
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending && form.isChanged) save.mutate({ name: name.trim(), slug: slug.trim(), website_url: website.trim() || null })
  }
  return (
    <form className="card" onSubmit={submit}>
      <fieldset className="stack" disabled={!isAdmin}>
        <TextField
          {...{ label: 'Name', hint: 'Visitors see it above the form.', value: name, error: errors.get('name') }}
          onChange={(event) => form.set({ name: event.target.value })}
          dir="auto"
          required
        />
        <TextField
          {...{ label: 'Name in addresses', value: slug, error: errors.get('slug') }}
          hint="Part of the addresses of the dashboard. Old links stop working when you change it."
          onChange={(event) => form.set({ slug: event.target.value })}
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextField
          {...{ label: 'Website', type: 'url', value: website, error: errors.get('website_url') }}
          hint="Optional. Visitors come back to it after they sent their words."
          placeholder="https://example.com"
          onChange={(event) => form.set({ website: event.target.value })}
        />
        {save.error && errors.size === 0 && <ErrorNote error={save.error} />}
        {isAdmin && <SaveRow isChanged={form.isChanged} isBusy={save.isPending} onDiscard={() => form.reset(fieldsOf(project))} />}
      </fieldset>
    </form>
  )
}

function fieldsOf({ name, slug, website_url }: Project) {
  return { name, slug, website: website_url ?? '' }
}
