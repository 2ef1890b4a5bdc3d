import { Link } from '@tanstack/react-router'
import { useHasRole, useProject, useTeam } from '../shell/places.ts'
import { Note } from '../ui/error-note.tsx'
import { Page, Section } from '../ui/page.tsx'
import { CollectionForm } from './collection-form.tsx'
import { DeleteProject } from './delete-project.tsx'
import { GeneralForm } from './general-form.tsx'
import { PublicKeys } from './public-keys.tsx'
import './projects.css'

/** What admins set about a project: its name, what visitors see, its public keys; and its end. */
export function ProjectSettings() {
  const team = useTeam()
  const { id, name, slug } = useProject()
  const isAdmin = useHasRole('admin')
  return (
    <Page title="Project settings" lead={`How ${name} collects feedback, and the keys by which your pages reach it.`}>
      {!isAdmin && <Note>Only admins and owners can change these settings.</Note>}
      <Section title="General">
        <GeneralForm key={id} />
      </Section>
      <Section title="Collection page" lead="What visitors see when they leave feedback.">
        <CollectionForm key={id} />
      </Section>
      <PublicKeys key={id} />
      <Section title="Tags" lead="The words that your team sorts submissions by. Widgets and lists can show only some of them.">
        <Link className="btn plain" to="/$team/$project/tags" params={{ team: team.slug, project: slug }}>
          Manage tags
        </Link>
      </Section>
      {isAdmin && <DeleteProject />}
    </Page>
  )
}
