import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Project } from '../api.ts'
import { useLive } from '../live/use-live.ts'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Loaded, type LoadedProps } from '../ui/loaded.tsx'
import { LoadingBar } from '../ui/loading-bar.tsx'
import { Page } from '../ui/page.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { AccessNews } from './access-news.tsx'
import { Offline } from './offline.tsx'
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
      <Framed query={identity} skeleton={<div className="app" />}>
        {(known) => (
          <IdentityContext value={known}>
            <Outlet />
          </IdentityContext>
        )}
      </Framed>
      <LoadingBar />
      <Offline />
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
    <Framed query={teams} skeleton={<div className="app" />}>
      {(all) => {
        const team = findPlace(all, name ?? '') ?? findPlace(all, ids.get(name ?? '') ?? '')
        if (!team) return <Missing what="team" />
        ids.set(team.slug, team.id)
        if (team.slug !== name && team.id !== name) return <Renamed params={{ team: team.slug }} />
        return (
          <TeamContext value={team}>
            <AccessNews />
            <div className="app">
              <Sidebar />
              <Outlet />
            </div>
          </TeamContext>
        )
      }}
    </Framed>
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
    <Framed query={projects}>
      {(all) => {
        const key = `${team.id}/${name}`
        const project = findPlace(all, name ?? '') ?? findPlace(all, ids.get(key) ?? '')
        if (!project) return <Missing what="project" />
        ids.set(`${team.id}/${project.slug}`, project.id)
        if (project.slug !== name && project.id !== name) return <Renamed params={{ project: project.slug }} />
        return (
          <ProjectContext value={project}>
            <Live project={project} />
            <Outlet />
          </ProjectContext>
        )
      }}
    </Framed>
  )
}

/** The ids of the teams and projects that were shown, by their short names: somebody may change these while a page is open. */
const ids = new Map<string, string>()

/** Goes on at the new address of a team or project, on the same page. */
function Renamed({ params }: { params: { team?: string; project?: string } }) {
  return <Navigate to="." params={(before) => ({ ...before, ...params })} search hash replace />
}

/** As `Loaded`, for what all of a page needs: a failure is a page of its own. */
function Framed<Data>({ query, ...rest }: LoadedProps<Data>) {
  if (query.data !== undefined || !query.error) return <Loaded query={query} {...rest} />
  return (
    <Page title="Not loaded">
      <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
    </Page>
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
