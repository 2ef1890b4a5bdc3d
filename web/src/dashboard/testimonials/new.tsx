import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../api.ts'
import { useProject, useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { CheckField, SelectField, TextArea, TextField } from '../ui/field.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { createInput, EMPTY, type NewFields } from './new-fields.ts'
import { refreshWords } from './words.ts'

const RATINGS = [
  { value: '', label: 'No rating' },
  ...[5, 4, 3, 2, 1].map((stars) => ({ value: String(stars), label: `${stars} ${stars === 1 ? 'star' : 'stars'}` })),
]

interface FieldsProps {
  fields: NewFields
  change: (changed: Partial<NewFields>) => void
  errors: ReadonlyMap<string, string>
}

/** The form for what a customer told the team elsewhere. */
export function NewTestimonial({ onClose }: { onClose: (created?: string) => void }) {
  const project = useProject()
  const [fields, change, forget] = useDraft(`testimonial.${project.id}`, EMPTY)
  const create = useCreate(() => forget(), onClose)
  const errors = fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate(fields)
  }
  return (
    <Dialog title="Add a testimonial" size="wide" onClose={() => onClose()}>
      <form className="stack" onSubmit={submit}>
        <WordsFields fields={fields} change={change} errors={errors} />
        <AuthorFields fields={fields} change={change} errors={errors} />
        <PublicationFields fields={fields} change={change} errors={errors} />
        {create.error && <ErrorNote error={create.error} />}
        <footer>
          <Button onClick={() => onClose()}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Add the testimonial
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function useCreate(forget: () => void, onClose: (created?: string) => void) {
  const ref = useProjectRef()
  return useMutation({
    mutationFn: (fields: NewFields) => api.testimonials.create({ ...ref, ...createInput(fields) }),
    onSuccess: async ({ id }, { isApproved, granted }) => {
      forget()
      if (isApproved) await api.submissions.approve({ ...ref, submission_id: id }).catch(toastFailure)
      toast({ look: 'good', text: isApproved && granted ? 'Added. It is public now.' : 'Added.' })
      onClose(id)
      await refreshWords(ref.project_id)
    },
  })
}

function WordsFields({ fields, change, errors }: FieldsProps) {
  return (
    <>
      <TextArea
        label="Words"
        rows={5}
        autoFocus
        hint="As the customer said or wrote them. They cannot be changed later."
        value={fields.body}
        onChange={({ target }) => change({ body: target.value })}
        error={errors.get('body')}
        maxLength={10_000}
        required
      />
      <div className="field-pair">
        <TextField
          label="Headline"
          dir="auto"
          value={fields.title}
          onChange={({ target }) => change({ title: target.value })}
          error={errors.get('title')}
        />
        <SelectField
          label="Rating"
          options={RATINGS}
          value={fields.rating}
          onChange={({ target }) => change({ rating: target.value })}
          error={errors.get('rating')}
        />
      </div>
    </>
  )
}

const AUTHOR = [
  { name: 'name', path: 'author.name', label: 'Name', required: true },
  { name: 'email', path: 'author.email', label: 'E-mail', type: 'email', hint: 'Never public.' },
  { name: 'role', path: 'author.title', label: 'Job title' },
  { name: 'company', path: 'author.company', label: 'Company' },
  { name: 'website', path: 'author.website_url', label: 'Website', type: 'url', placeholder: 'https://example.com' },
] as const
const SOURCE = [
  { name: 'provider', path: 'source.provider', label: 'Where it was said', placeholder: 'E-mail, G2, a call' },
  { name: 'url', path: 'source.url', label: 'Address of the original', type: 'url', placeholder: 'https://' },
] as const

function AuthorFields({ fields, change, errors }: FieldsProps) {
  return (
    <>
      {[
        { legend: 'Customer', members: AUTHOR },
        { legend: 'Source', members: SOURCE },
      ].map(({ legend, members }) => (
        <fieldset key={legend}>
          <legend>{legend}</legend>
          <div className="field-pair">
            {members.map(({ name, path, ...rest }) => (
              <TextField
                key={name}
                {...rest}
                dir="auto"
                value={fields[name]}
                onChange={({ target }) => change({ [name]: target.value })}
                error={errors.get(path)}
              />
            ))}
          </div>
        </fieldset>
      ))}
    </>
  )
}

function PublicationFields({ fields, change, errors }: FieldsProps) {
  return (
    <fieldset className="stack">
      <legend>Publication</legend>
      <CheckField
        label="The customer agreed to publication"
        hint="Without consent it stays inside your team. You can record the consent later."
        checked={fields.granted}
        onChange={({ target }) => change({ granted: target.checked })}
        error={errors.get('consent.granted')}
      />
      {fields.granted && (
        <TextField
          label="What they agreed to"
          hint="Optional. The sentence that you asked with, as a record."
          value={fields.agreedTo}
          onChange={({ target }) => change({ agreedTo: target.value })}
          error={errors.get('consent.text')}
        />
      )}
      <CheckField
        label="Approve it at once"
        checked={fields.isApproved}
        onChange={({ target }) => change({ isApproved: target.checked })}
      />
      <CheckField
        label="Feature it"
        hint="Widgets show featured testimonials first."
        checked={fields.featured}
        onChange={({ target }) => change({ featured: target.checked })}
      />
      <TextField
        label="Tags"
        hint="Separated by commas. Widgets can show only some tags."
        value={fields.tags}
        onChange={({ target }) => change({ tags: target.value })}
        error={errors.get('tags')}
      />
    </fieldset>
  )
}
