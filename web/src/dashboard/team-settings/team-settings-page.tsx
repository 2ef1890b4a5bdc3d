import { useHasRole, useTeam } from '../shell/places.ts'
import { Note } from '../ui/error-note.tsx'
import { Page, Section } from '../ui/page.tsx'
import { DeleteTeam } from './delete-team.tsx'
import { GeneralForm } from './general-form.tsx'
import { SettingsForm } from './settings-form.tsx'

/** What admins set about a team, and its end. */
export function TeamSettings() {
  const { id, name } = useTeam()
  const isAdmin = useHasRole('admin')
  const isOwner = useHasRole('owner')
  return (
    <Page title="Team settings" lead={`For all projects of ${name}.`}>
      {!isAdmin && <Note>Only admins and owners can change these settings.</Note>}
      <Section title="General">
        <GeneralForm key={id} />
      </Section>
      <Section title="Data and access">
        <SettingsForm key={id} />
      </Section>
      {isOwner && <DeleteTeam />}
    </Page>
  )
}
