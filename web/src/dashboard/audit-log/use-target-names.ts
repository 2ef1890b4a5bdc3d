import { useQueries, useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { memberNamesQuery } from '../members/members-query.ts'
import { projectsQuery, useTeam } from '../shell/places.ts'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { endpointNamesQuery } from '../webhooks/names-query.ts'

/** The newest of each list: what is not among them keeps its id. */
const MOST = 100
/** Of how many projects the authors are read, so that a long log needs few requests. */
const MAX_PROJECTS = 5

interface Entry {
  project_id: string | null
  target: { type: string; id: string | null }
}

const authorsQuery = (team_id: string, project_id: string) => ({
  queryKey: ['audit-log', team_id, 'authors', project_id],
  queryFn: async () =>
    (await api.submissions.list({ team_id, project_id, limit: MOST })).results.map(({ id, author }) => [id, author.name] as const),
})

/** The names of what the entries are about, by id, as far as they are known: people, projects, authors and endpoints. */
export function useTargetNames(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const { id: team_id } = useTeam()
  const has = (...types: string[]) => entries.some(({ target }) => types.includes(target.type))
  const { data: projects = [] } = useQuery(projectsQuery(team_id))
  const { data: members = [] } = useQuery({ ...memberNamesQuery(team_id), enabled: has('user', 'member') })
  const seesEndpoints = useHasFeature('webhooks')
  const { data: endpoints = [] } = useQuery({ ...endpointNamesQuery(team_id), enabled: seesEndpoints && has('webhook') })
  const near = new Set(
    entries.flatMap(({ project_id, target }) => (project_id !== null && target.type === 'submission' ? [project_id] : [])),
  )
  const known = projects.filter(({ id }) => near.has(id)).slice(0, MAX_PROJECTS)
  const authors = useQueries({ queries: known.map(({ id }) => authorsQuery(team_id, id)) })
  return new Map([
    ...members.map(({ user }) => [user.id, user.name] as const),
    ...projects.map(({ id, name }) => [id, name] as const),
    ...endpoints.map(({ id, description, url }) => [id, description || url] as const),
    ...authors.flatMap(({ data = [] }) => data),
  ])
}
