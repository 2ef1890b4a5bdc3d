import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api } from '../api.ts'
import { memberNamesQuery } from '../members/members-query.ts'
import { nearProject, projectsQuery, useHasRole, useTeam } from '../shell/places.ts'
import { surveyNamesQuery } from '../surveys/queries.ts'
import { plainName } from '../ui/names.ts'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { endpointNamesQuery } from '../webhooks/names-query.ts'
import type { Entry } from './entry.ts'

/** The newest of each list: more are found on their pages. */
const MOST = 100
const NOWHERE = { id: '', slug: '' }

interface ProjectRef {
  team_id: string
  project_id: string
}

const widgetNamesQuery = (ref: ProjectRef) => ({
  queryKey: ['widgets', ref.project_id, 'names'],
  queryFn: async () => (await api.widgets.list({ ...ref, limit: MOST })).results,
})
const tagNamesQuery = (ref: ProjectRef) => ({
  queryKey: ['tags', ref.project_id, 'counts'],
  queryFn: async () => (await api.tags.list({ ...ref, limit: MOST })).results,
})

/**
 * What has a name in the project and the team, as far as the role sees it. The lists are read once something is typed, and kept for
 * a minute; the page finds names in them by itself.
 */
export function useNames(query: string): readonly Entry[] {
  const isTyped = query.trim() !== ''
  return [...useProjectNames(isTyped), ...useTeamNames(isTyped)]
}

function useProjectNames(isTyped: boolean): readonly Entry[] {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const near = nearProject(team, projects, name)
  const { id, slug } = near ?? NOWHERE
  const ref = { team_id: team.id, project_id: id }
  const enabled = isTyped && near !== undefined
  const { data: surveys = [] } = useQuery({ ...surveyNamesQuery(ref), enabled })
  const { data: widgets = [] } = useQuery({ ...widgetNamesQuery(ref), enabled })
  const { data: tags = [] } = useQuery({ ...tagNamesQuery(ref), enabled })
  const navigate = useNavigate()
  const params = { team: team.slug, project: slug }
  const ofSurveys = surveys.map((one) => ({
    ...named({ id: `survey ${one.id}`, group: 'Surveys', icon: 'survey', text: one.name, detail: one.status }),
    run: () =>
      navigate({
        to: one.status === 'draft' ? '/$team/$project/surveys/$survey/edit' : '/$team/$project/surveys/$survey/results',
        params: { ...params, survey: one.id },
      }),
  }))
  const ofWidgets = widgets.map((one) => ({
    ...named({ id: `widget ${one.id}`, group: 'Widgets', icon: 'wall', text: one.name, detail: one.layout }),
    run: () => navigate({ to: '/$team/$project/widgets/$widget', params: { ...params, widget: one.id } }),
  }))
  const ofTags = tags.map(({ tag, count }) => ({
    ...named({ id: `tag ${tag}`, group: 'Tags', icon: 'tag', text: tag, detail: count === 1 ? '1 submission' : `${count} submissions` }),
    run: () => navigate({ to: '/$team/$project/inbox', params, search: { state: 'approved', tag } }),
  }))
  return [...ofSurveys, ...ofWidgets, ...ofTags]
}

function useTeamNames(isTyped: boolean): readonly Entry[] {
  const team = useTeam()
  const seesEndpoints = [useHasRole('admin'), useHasFeature('webhooks')].every(Boolean)
  const { data: endpoints = [] } = useQuery({ ...endpointNamesQuery(team.id), enabled: isTyped && seesEndpoints })
  const { data: members = [] } = useQuery({ ...memberNamesQuery(team.id), enabled: isTyped })
  const navigate = useNavigate()
  const ofEndpoints = endpoints.map(({ id, description, url }) => ({
    ...named({ id: `webhook ${id}`, group: 'Webhook endpoints', icon: 'hook', text: description || url, detail: url }),
    run: () => navigate({ to: '/$team/-/webhooks/$webhook', params: { team: team.slug, webhook: id }, search: { tab: 'deliveries' } }),
  }))
  const ofMembers = members.map(({ user, role }) => ({
    ...named({ id: `member ${user.id}`, group: 'Members', icon: 'people', text: user.name, detail: role }),
    keywords: user.email ?? '',
    run: () => navigate({ to: '/$team/-/members', params: { team: team.slug } }),
  }))
  return [...ofEndpoints, ...ofMembers]
}

function named({ text, ...fields }: Omit<Entry, 'run' | 'isDeep'>) {
  return { ...fields, text: plainName(text), isDeep: true }
}
