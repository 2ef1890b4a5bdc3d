import type { FormEvent } from 'react'
import type { Project } from '../api.ts'
import { useHasRole, useProject } from '../shell/places.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { CheckField, TextArea } from '../ui/field.tsx'
import { SaveRow } from '../ui/save-row.tsx'
import { type Form, useForm } from '../ui/use-form.ts'
import { LogoField } from './logo-field.tsx'
import { ThemeColor } from './theme-color.tsx'
import { useSaveProject } from './use-save-project.ts'

type Fields = ReturnType<typeof fieldsOf>
interface PartProps {
  form: Form<Fields>
  errors: ReadonlyMap<string, string>
}

/** What the project collects, and the words and the look of the page for visitors. */
export function CollectionForm() {
  const project = useProject()
  const isAdmin = useHasRole('admin')
  const form = useForm(fieldsOf(project), `earshot.collection.${project.id}`)
  const save = useSaveProject((saved) => form.reset(fieldsOf(saved)))
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending && form.isChanged) save.mutate(changeOf(form.values))
  }
  return (
    <form className="card" onSubmit={submit}>
      <fieldset className="stack" disabled={!isAdmin}>
        <Collects form={form} errors={errors} />
        <Words form={form} errors={errors} />
        <ThemeColor color={form.values.color} onChange={(color) => form.set({ color })} error={errors.get('theme.color')} />
        <LogoField value={form.values.logo} onChange={(logo) => form.set({ logo })} error={errors.get('theme.logo_url')} />
        {save.error && errors.size === 0 && <ErrorNote error={save.error} />}
        {isAdmin && <SaveRow isChanged={form.isChanged} isBusy={save.isPending} onDiscard={() => form.reset(fieldsOf(project))} />}
      </fieldset>
    </form>
  )
}

function Collects({ form, errors }: PartProps) {
  const { text, video, rating } = form.values
  return (
    <fieldset className="choices">
      <legend>Visitors can leave</legend>
      <CheckField
        label="Text"
        checked={text}
        onChange={(event) => form.set({ text: event.target.checked })}
        error={errors.get('collects.text')}
      />
      <CheckField
        label="A video"
        checked={video}
        onChange={(event) => form.set({ video: event.target.checked })}
        error={errors.get('collects.video')}
      />
      <CheckField label="A rating of one to five stars" checked={rating} onChange={(event) => form.set({ rating: event.target.checked })} />
      {!text && !video && <p className="soft">Without text and video, visitors can leave nothing.</p>}
    </fieldset>
  )
}

function Words({ form, errors }: PartProps) {
  return (
    <>
      <TextArea
        {...{ label: 'Consent', value: form.values.consent, error: errors.get('consent_text') }}
        hint="What visitors agree to before you may publish their words. It is kept with each submission."
        maxLength={2_000}
        onChange={(event) => form.set({ consent: event.target.value })}
      />
      <TextArea
        {...{ label: 'Thank you', value: form.values.thanks, error: errors.get('thank_you_text') }}
        hint="What visitors read after they sent their words."
        maxLength={2_000}
        rows={2}
        onChange={(event) => form.set({ thanks: event.target.value })}
      />
    </>
  )
}

function fieldsOf({ collects, consent_text, thank_you_text, theme }: Project) {
  return { ...collects, consent: consent_text, thanks: thank_you_text, color: theme.color ?? '', logo: theme.logo_url ?? '' }
}

function changeOf({ text, video, rating, consent, thanks, color, logo }: Fields) {
  return {
    collects: { text, video, rating },
    consent_text: consent,
    thank_you_text: thanks,
    theme: { color: color.trim() || null, logo_url: logo.trim() || null },
  }
}
