import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { CheckField, TextArea, TextField } from '../ui/field.tsx'
import { readTags } from './new-fields.ts'
import { keepWords, refreshWords, type Testimonial } from './words.ts'

/** Changes what the team adds to a testimonial. The words of the customer stay as they were. */
export function EditTestimonial({ testimonial, onClose }: { testimonial: Testimonial; onClose: () => void }) {
  const { consent } = testimonial
  const [{ excerpt, tags, granted, agreedTo }, change, forget] = useDraft(`edit.${testimonial.id}`, {
    excerpt: testimonial.excerpt ?? '',
    tags: testimonial.tags.join(', '),
    granted: consent.granted && consent.revoked_at === null,
    agreedTo: consent.text ?? '',
  })
  const isWithdrawn = consent.revoked_at !== null
  const isConsentChanged = granted !== (consent.granted && !isWithdrawn) || agreedTo.trim() !== (consent.text ?? '')
  const save = useSave(testimonial, () => {
    forget()
    onClose()
  })
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending) return
    save.mutate({
      excerpt: excerpt.trim() || null,
      tags: readTags(tags),
      ...(isConsentChanged && { consent: { granted, text: agreedTo.trim() || null } }),
    })
  }
  const errorOf = (field: string) => [...errors].find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]
  return (
    <Dialog title="Edit the testimonial" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Note>The words themselves cannot be changed: they are the customer’s.</Note>
        <TextArea
          label="Excerpt"
          hint="The part that visitors see, exactly as it stands in the words. Empty for all of them."
          value={excerpt}
          onChange={({ target }) => change({ excerpt: target.value })}
          error={errorOf('excerpt')}
        />
        <TextField
          label="Tags"
          hint="Separated by commas. Widgets can show only some tags."
          value={tags}
          onChange={({ target }) => change({ tags: target.value })}
          error={errorOf('tags')}
        />
        <CheckField
          label="The customer agreed to publication"
          {...(isWithdrawn && { hint: 'The consent was withdrawn. Tick this only if the customer gave it again.' })}
          checked={granted}
          onChange={({ target }) => change({ granted: target.checked })}
          error={errorOf('consent.granted')}
        />
        <TextField
          label="What they agreed to"
          value={agreedTo}
          onChange={({ target }) => change({ agreedTo: target.value })}
          error={errorOf('consent.text')}
        />
        {save.error && errors.size === 0 && <ErrorNote error={save.error} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function useSave({ team_id, project_id, id }: Testimonial, onSaved: () => void) {
  return useMutation({
    mutationFn: (change: Omit<Parameters<typeof api.testimonials.update>[0], 'team_id' | 'project_id' | 'testimonial_id'>) =>
      api.testimonials.update({ team_id, project_id, testimonial_id: id, ...change }),
    onSuccess: async (saved) => {
      keepWords(saved)
      onSaved()
      await refreshWords(project_id)
    },
  })
}
