import { ProjectForm } from '../projects/new-project.tsx'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

/** For a team without a project: makes the first one. */
export function FirstProject() {
  const team = useTeam()
  if (!useHasRole('admin'))
    return (
      <Page title={team.name}>
        <Empty icon="inbox" title="No project yet">
          An admin or the owner of {team.name} creates projects. Ask them to create the first one.
        </Empty>
      </Page>
    )
  return (
    <Page title="Your first project" lead="A project collects feedback about one website or product.">
      <ProjectForm />
    </Page>
  )
}
