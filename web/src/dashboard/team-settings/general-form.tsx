import type { FormEvent } from 'react'
import type { Team } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { LanguageField } from '../ui/language-field.tsx'
import { SaveRow } from '../ui/save-row.tsx'
import { useForm } from '../ui/use-form.ts'
import { useSaveTeam } from './use-save-team.ts'

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Name, language and time zone of the team. */
export function GeneralForm() {
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const form = useForm(fieldsOf(team), `earshot.team.${team.id}`)
  const save = useSaveTeam((saved) => form.reset(fieldsOf(saved)))
  const { name, slug, locale, timezone } = form.values
  const errors = fieldErrors(save.error)
  const zones = ZONES.includes(timezone) ? ZONES : [timezone, ...ZONES]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending && form.isChanged)
      save.mutate({ name: name.trim(), slug: slug.trim(), settings: { locale: locale.trim(), timezone } })
  }
  return (
    <form className="card" onSubmit={submit}>
      <fieldset className="stack" disabled={!isAdmin}>
        <TextField
          {...{ label: 'Name', value: name, error: errors.get('name'), dir: 'auto', required: true }}
          onChange={(event) => form.set({ name: event.target.value })}
        />
        <TextField
          {...{
            label: 'Name in addresses',
            value: slug,
            error: errors.get('slug'),
            required: true,
            spellCheck: false,
            autoCapitalize: 'none',
          }}
          hint="Part of the addresses of the dashboard. Old links stop working when you change it."
          onChange={(event) => form.set({ slug: event.target.value })}
        />
        <LanguageField
          {...{ label: 'Language', value: locale, error: errors.get('settings.locale') }}
          hint="The language of mails and pages."
          onChange={(tag) => form.set({ locale: tag })}
        />
        <SelectField
          {...{ label: 'Time zone', value: timezone, error: errors.get('settings.timezone') }}
          options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
          hint="Days in figures begin at midnight in this time zone. A change applies to records that arrive from now on."
          onChange={(event) => form.set({ timezone: event.target.value })}
        />
        {save.error && errors.size === 0 && <ErrorNote error={save.error} />}
        {isAdmin && <SaveRow isChanged={form.isChanged} isBusy={save.isPending} onDiscard={() => form.reset(fieldsOf(team))} />}
      </fieldset>
    </form>
  )
}

function fieldsOf({ name, slug, settings: { locale, timezone } }: Team) {
  return { name, slug, locale, timezone }
}
