import { durations } from '@earshot/contracts/constants'
import { type FormEvent, useState } from 'react'
import type { Team } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { SelectField, TextArea, TextField } from '../ui/field.tsx'
import { SaveRow } from '../ui/save-row.tsx'
import { useForm } from '../ui/use-form.ts'
import { originProblem, originsOf } from './origins.ts'
import { useSaveTeam } from './use-save-team.ts'

const ORIGINS = 'settings.cors_origins'
const SCORES = Array.from({ length: 11 }, (_, score) => ({ value: String(score), label: score === 0 ? 'Never' : `Below ${score}` }))

/** Thresholds, how long payloads are kept, and whose pages may call the API. */
export function SettingsForm() {
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const form = useForm(fieldsOf(team), `earshot.team-settings.${team.id}`)
  const save = useSaveTeam((saved) => form.reset(fieldsOf(saved)))
  const [problem, setProblem] = useState<string | null>(null)
  const errors = fieldErrors(save.error)
  const originsError = problem ?? [...errors].find(([field]) => field.startsWith(ORIGINS))?.[1]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending || !form.isChanged) return
    const found = originProblem(form.values.origins)
    setProblem(found)
    if (found === null) save.mutate({ settings: settingsOf(form.values) })
  }
  return (
    <form className="card" onSubmit={submit} noValidate>
      <fieldset className="stack" disabled={!isAdmin}>
        <SelectField
          {...{ label: 'Warn of a low NPS score', options: SCORES, value: form.values.threshold }}
          error={errors.get('settings.nps_low_score_threshold')}
          hint="Such a score sends the event nps.low_score to your webhooks."
          onChange={(event) => form.set({ threshold: event.target.value })}
        />
        <TextField
          {...{ label: 'Days to keep the content of events', type: 'number', min: 1, max: durations.eventDays, value: form.values.days }}
          error={errors.get('settings.payload_retention_days')}
          hint={`1 to ${durations.eventDays}: what events contain, and what webhook endpoints answered. A lower number removes what is older within ten minutes, and a higher one brings nothing back.`}
          onChange={(event) => form.set({ days: event.target.value })}
        />
        <TextArea
          {...{ label: 'Origins that may call the API', value: form.values.origins, error: originsError, spellCheck: false, dir: 'ltr' }}
          hint="One in each line, such as https://app.example.com. Only pages that send credentials of the team need this; forms and widgets do not."
          onChange={(event) => form.set({ origins: event.target.value })}
        />
        {save.error && errors.size === 0 && <ErrorNote error={save.error} />}
        {isAdmin && <SaveRow isChanged={form.isChanged} isBusy={save.isPending} onDiscard={() => form.reset(fieldsOf(team))} />}
      </fieldset>
    </form>
  )
}

function fieldsOf({ settings }: Team) {
  return {
    threshold: String(settings.nps_low_score_threshold),
    days: String(settings.payload_retention_days),
    origins: settings.cors_origins.join('\n'),
  }
}

function settingsOf({ threshold, days, origins }: ReturnType<typeof fieldsOf>) {
  return {
    nps_low_score_threshold: Number(threshold),
    payload_retention_days: Number(days),
    cors_origins: originsOf(origins),
  }
}
