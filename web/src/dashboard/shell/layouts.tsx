import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Project } from '../api.ts'
import { useLive } from '../live/use-live.ts'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { LoadingBar } from '../ui/loading-bar.tsx'
import { Page } from '../ui/page.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { usePerson } from './person.ts'
import {
  findPlace,
  IdentityContext,
  identityQuery,
  ProjectContext,
  projectsQuery,
  rememberPlace,
  TeamContext,
  teamsQuery,
  useTeam,
} from './places.ts'
import { Sidebar } from './sidebar.tsx'
import { SignedOutDialog } from './signed-out-dialog.tsx'

/** Everything: who is signed in, and messages. */
export function RootLayout() {
  const identity = useQuery(identityQuery)
  usePerson(identity.data)
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Loaded query={identity} skeleton={<div className="app" />}>
        {(known) => (
          <IdentityContext value={known}>
            <Outlet />
          </IdentityContext>
        )}
      </Loaded>
      <LoadingBar />
      <Toasts />
      <SignedOutDialog />
    </>
  )
}

/** The pages of a team, beside the navigation. */
export function TeamLayout() {
  const { team: name } = useParams({ strict: false })
  const teams = useQuery(teamsQuery)
  return (
    <Loaded query={teams} skeleton={<div className="app" />}>
      {(all) => {
        const team = findPlace(all, name ?? '')
        if (!team) return <Missing what="team" />
        return (
          <TeamContext value={team}>
            <div className="app">
              <Sidebar />
              <Outlet />
            </div>
          </TeamContext>
        )
      }}
    </Loaded>
  )
}

/** The pages of a project. */
export function ProjectLayout() {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const projects = useQuery(projectsQuery(team.id))
  useEffect(() => {
    if (name !== undefined) rememberPlace(team.slug, name)
  }, [team.slug, name])
  return (
    <Loaded query={projects}>
      {(all) => {
        const project = findPlace(all, name ?? '')
        if (!project) return <Missing what="project" />
        return (
          <ProjectContext value={project}>
            <Live project={project} />
            <Outlet />
          </ProjectContext>
        )
      }}
    </Loaded>
  )
}

/** Follows the project as long as one of its pages is open. */
function Live({ project }: { project: Project }) {
  useLive(project)
  return null
}

/** For an address that leads nowhere. */
export function Missing({ what = 'page' }: { what?: string }) {
  return (
    <Page title="Not found">
      <Empty icon="search" title={`There is no such ${what}`} actions={<a href="/app/">Go to your inbox</a>}>
        It may have been deleted or renamed, or you are not a member of its team.
      </Empty>
    </Page>
  )
}
