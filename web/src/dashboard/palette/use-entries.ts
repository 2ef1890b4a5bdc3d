import { useQuery } from '@tanstack/react-query'
import { type NavigateFn, useNavigate, useParams } from '@tanstack/react-router'
import type { Project, Team } from '../api.ts'
import { PROJECT_PAGES, TEAM_PAGES } from '../shell/pages.ts'
import { nearProject, projectsQuery, teamsQuery, useHasRole, useTeam } from '../shell/places.ts'
import { signOut } from '../shell/sign-out.ts'
import { chooseTheme } from '../theme.ts'
import { useIsDark } from '../use-is-dark.ts'
import type { Entry } from './entry.ts'

/** Pages outside of the dashboard. */
const ACCOUNT = [
  { to: '/accounts/', icon: 'settings', text: 'Your account' },
  { to: '/accounts/profile/', icon: 'edit', text: 'Profile', keywords: 'name picture language time zone' },
  { to: '/accounts/notifications/', icon: 'mail', text: 'Notifications', keywords: 'mails e-mail' },
  { to: '/accounts/tokens/', icon: 'key', text: 'Access tokens', keywords: 'api key' },
  { to: '/accounts/sessions/', icon: 'lock', text: 'Sessions', keywords: 'devices browsers' },
  { to: '/api/docs/', icon: 'log', text: 'API reference', keywords: 'documentation docs help' },
] as const
const SYNONYMS: Readonly<Record<string, string>> = {
  'Audit log': 'history',
  Members: 'people roles invitations',
  Usage: 'plan quota limits billing',
  Privacy: 'erase export gdpr',
  Imports: 'exports csv download',
  Analytics: 'charts nps figures',
  Webhooks: 'endpoints deliveries',
  'Project settings': 'public keys collection page consent',
}

interface Places {
  team: Team
  /** The project of the address, or the first one. */
  project: Project | undefined
  projects: readonly Project[]
  navigate: NavigateFn
}

/** All that the person can go to and do from here. */
export function useEntries(showShortcuts: () => void): readonly Entry[] {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const { data: teams = [] } = useQuery(teamsQuery)
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const isMember = useHasRole('member')
  const isAdmin = useHasRole('admin')
  const navigate = useNavigate()
  const dark = useIsDark()
  const places = { team, projects, project: nearProject(team, projects, name), navigate }
  return [
    ...pagesOf(places, isAdmin),
    ...(isMember ? projectActions(places) : []),
    ...(isAdmin ? teamActions(places) : []),
    ...personActions(showShortcuts, dark),
    ...switches(places, teams),
  ]
}

function pagesOf({ team, project, projects, navigate }: Places, isAdmin: boolean): Entry[] {
  const here = project === undefined ? [] : [project, ...projects.filter((one) => one !== project)]
  const ofProjects = here.flatMap((one) =>
    PROJECT_PAGES.map(({ to, icon, text }) => ({
      ...{ id: `${to} ${one.id}`, group: 'Go to' as const, icon, text, keywords: `${SYNONYMS[text] ?? ''} ${one.name}` },
      ...(one !== project && { detail: one.name, isDeep: true }),
      run: () => navigate({ to, params: { team: team.slug, project: one.slug } }),
    })),
  )
  const ofTeam = TEAM_PAGES.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true).map(({ to, icon, text }) => ({
    ...{ id: `${to} ${team.id}`, group: 'Go to' as const, icon, text, keywords: `${SYNONYMS[text] ?? ''} ${team.name}` },
    run: () => navigate({ to, params: { team: team.slug } }),
  }))
  const ofPerson = ACCOUNT.map((entry) => ({
    ...{ ...entry, id: entry.to, group: 'Go to' as const, isDeep: true },
    run: () => location.assign(entry.to),
  }))
  return [...ofProjects, ...ofTeam, ...ofPerson]
}

function projectActions({ team, project, navigate }: Places): Entry[] {
  if (!project) return []
  const params = { team: team.slug, project: project.slug }
  return [
    action('new-survey', {
      ...{ icon: 'survey', text: 'New survey', keywords: 'create questionnaire nps' },
      run: () => navigate({ to: '/$team/$project/surveys', params, search: { create: true } }),
    }),
    action('new-widget', {
      ...{ icon: 'wall', text: 'New widget', keywords: 'create add wall carousel badge embed' },
      run: () => navigate({ to: '/$team/$project/widgets/$widget', params: { ...params, widget: 'new' } }),
    }),
    action('new-testimonial', {
      ...{ icon: 'quote', text: 'Add a testimonial', keywords: 'new create' },
      run: () => navigate({ to: '/$team/$project/testimonials', params, search: { view: 'new' } }),
    }),
    action('import', {
      ...{ icon: 'import', text: 'Import a file', keywords: 'csv new' },
      run: () => navigate({ to: '/$team/$project/imports', params }),
    }),
  ]
}

function teamActions({ team, navigate }: Places): Entry[] {
  const params = { team: team.slug }
  return [
    action('invite', {
      ...{ icon: 'people', text: 'Invite a member', keywords: 'add person people colleague new' },
      run: () => navigate({ to: '/$team/-/members', params, search: { invite: true } }),
    }),
    action('new-webhook', {
      ...{ icon: 'hook', text: 'New webhook endpoint', keywords: 'create add slack discord teams' },
      run: () => navigate({ to: '/$team/-/webhooks', params, search: { create: true } }),
    }),
    action('new-project', {
      ...{ icon: 'plus', text: 'New project', keywords: 'create add' },
      run: () => navigate({ to: '/$team/-/projects/new', params }),
    }),
  ]
}

function action(id: string, fields: Pick<Entry, 'icon' | 'text' | 'run' | 'keywords'>): Entry {
  return { id, group: 'Actions', ...fields }
}

function personActions(showShortcuts: () => void, dark: boolean): Entry[] {
  const group = 'Actions'
  return [
    {
      ...{ id: 'theme', group, icon: dark ? 'sun' : 'moon', text: dark ? 'Use light colours' : 'Use dark colours' },
      ...{ keywords: 'theme mode colors toggle appearance', run: () => chooseTheme(dark ? 'light' : 'dark') },
    },
    {
      ...{ id: 'device-theme', group, icon: 'settings', text: 'Use the colours of the device', isDeep: true },
      ...{ keywords: 'theme mode system colors automatic', run: () => chooseTheme(null) },
    },
    { ...{ id: 'shortcuts', group, icon: 'keyboard', text: 'Keyboard shortcuts', keywords: 'keys help' }, run: showShortcuts },
    { ...{ id: 'sign-out', group, icon: 'external', text: 'Sign out', keywords: 'log out leave' }, run: signOut },
  ]
}

function switches({ team, project, projects, navigate }: Places, teams: readonly Team[]): Entry[] {
  const group = 'Switch to'
  const toProjects = projects
    .filter((one) => one !== project)
    .map(({ id, name, slug }) => ({
      ...({ id: `project ${id}`, group, icon: 'inbox', text: name, detail: 'Project', keywords: 'switch' } as const),
      run: () => navigate({ to: '/$team/$project/inbox', params: { team: team.slug, project: slug } }),
    }))
  const toTeams = teams
    .filter(({ id }) => id !== team.id)
    .map(({ id, name, slug }) => ({
      ...({ id: `team ${id}`, group, icon: 'people', text: name, detail: 'Team', keywords: 'switch' } as const),
      run: () => navigate({ to: '/$team', params: { team: slug } }),
    }))
  return [...toProjects, ...toTeams]
}
