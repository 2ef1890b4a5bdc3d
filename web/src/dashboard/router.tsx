import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { only, readFlag } from './address.ts'
import { readRange } from './analytics/range.ts'
import { queries } from './api.ts'
import { readAuditSearch } from './audit-log/address.ts'
import { readEventsSearch } from './events/address.ts'
import { readFilters } from './inbox/filters.ts'
import { Missing, ProjectLayout, RootLayout, TeamLayout } from './shell/layouts.tsx'
import { findPlace, findStart, projectsQuery, teamsQuery } from './shell/places.ts'
import { readBuilder, readResponses, readResults } from './surveys/address.ts'
import { readTagsSearch } from './tags/address.ts'
import { readFilters as readWordsFilters } from './testimonials/filters.ts'
import { ErrorNote } from './ui/error-note.tsx'
import { readFilters as readVideoFilters } from './videos/videos.ts'
import { readEndpointSearch, readEndpointsSearch } from './webhooks/address.ts'

const root = createRootRoute({ component: RootLayout, notFoundComponent: () => <Missing />, errorComponent: PageError })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const place = await findStart(queries)
    if (place === null) return
    const { team, project } = place
    if (project === null) throw redirect({ to: '/$team', params: { team } })
    throw redirect({ to: '/$team/$project/inbox', params: { team, project } })
  },
  component: lazyRouteComponent(() => import('./first-steps/first-team.tsx'), 'FirstTeam'),
})

const team = createRoute({ getParentRoute: () => root, path: '/$team', component: TeamLayout })

const teamStart = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: async ({ params }) => {
    const found = findPlace(await queries.ensureQueryData(teamsQuery), params.team)
    const [first] = found ? await queries.ensureQueryData(projectsQuery(found.id)) : []
    if (first) throw redirect({ to: '/$team/$project/inbox', params: { team: params.team, project: first.slug } })
  },
  component: lazyRouteComponent(() => import('./first-steps/first-project.tsx'), 'FirstProject'),
})

const newTeam = createRoute({
  getParentRoute: () => team,
  path: '/-/teams/new',
  component: lazyRouteComponent(() => import('./first-steps/first-team.tsx'), 'NewTeam'),
})

const newProject = createRoute({
  getParentRoute: () => team,
  path: '/-/projects/new',
  component: lazyRouteComponent(() => import('./projects/new-project.tsx'), 'NewProject'),
})

const webhooks = createRoute({
  getParentRoute: () => team,
  path: '/-/webhooks',
  validateSearch: only(readEndpointsSearch),
  component: lazyRouteComponent(() => import('./webhooks/endpoints.tsx'), 'Webhooks'),
})

const webhook = createRoute({
  getParentRoute: () => team,
  path: '/-/webhooks/$webhook',
  validateSearch: only(readEndpointSearch),
  component: lazyRouteComponent(() => import('./webhooks/endpoint.tsx'), 'WebhookEndpoint'),
})

const events = createRoute({
  getParentRoute: () => team,
  path: '/-/events',
  validateSearch: only(readEventsSearch),
  component: lazyRouteComponent(() => import('./events/events.tsx'), 'Events'),
})

const auditLog = createRoute({
  getParentRoute: () => team,
  path: '/-/audit-log',
  validateSearch: only(readAuditSearch),
  component: lazyRouteComponent(() => import('./audit-log/audit-log.tsx'), 'AuditLog'),
})

const members = createRoute({
  getParentRoute: () => team,
  path: '/-/members',
  validateSearch: only(readFlag('invite')),
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'Members'),
})

const usage = createRoute({
  getParentRoute: () => team,
  path: '/-/usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'Usage'),
})

const privacy = createRoute({
  getParentRoute: () => team,
  path: '/-/privacy',
  // The request that is open.
  validateSearch: only(({ request }): { request?: string } => (typeof request === 'string' ? { request } : {})),
  component: lazyRouteComponent(() => import('./privacy/privacy-page.tsx'), 'Privacy'),
})

const teamSettings = createRoute({
  getParentRoute: () => team,
  path: '/-/settings',
  component: lazyRouteComponent(() => import('./team-settings/team-settings-page.tsx'), 'TeamSettings'),
})

const project = createRoute({ getParentRoute: () => team, path: '/$project', component: ProjectLayout })

const inbox = createRoute({
  getParentRoute: () => project,
  path: '/inbox',
  validateSearch: only(readFilters),
  component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
})

const testimonials = createRoute({
  getParentRoute: () => project,
  path: '/testimonials',
  validateSearch: only(readWordsFilters),
  component: lazyRouteComponent(() => import('./testimonials/page.tsx'), 'Testimonials'),
})

const videos = createRoute({
  getParentRoute: () => project,
  path: '/videos',
  validateSearch: only(readVideoFilters),
  component: lazyRouteComponent(() => import('./videos/page.tsx'), 'Videos'),
})

const surveys = createRoute({
  getParentRoute: () => project,
  path: '/surveys',
  validateSearch: only(readFlag('create')),
  component: lazyRouteComponent(() => import('./surveys/surveys.tsx'), 'Surveys'),
})

const survey = createRoute({
  getParentRoute: () => project,
  path: '/surveys/$survey',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$team/$project/surveys/$survey/results', params, replace: true })
  },
})

const surveyEdit = createRoute({
  getParentRoute: () => project,
  path: '/surveys/$survey/edit',
  validateSearch: only(readBuilder),
  component: lazyRouteComponent(() => import('./surveys/builder/builder.tsx'), 'Builder'),
})

const surveyResults = createRoute({
  getParentRoute: () => project,
  path: '/surveys/$survey/results',
  validateSearch: only(readResults),
  component: lazyRouteComponent(() => import('./surveys/results/results.tsx'), 'SurveyResults'),
})

const surveyResponses = createRoute({
  getParentRoute: () => project,
  path: '/surveys/$survey/responses',
  validateSearch: only(readResponses),
  component: lazyRouteComponent(() => import('./surveys/responses/responses.tsx'), 'SurveyResponses'),
})

const analytics = createRoute({
  getParentRoute: () => project,
  path: '/analytics',
  validateSearch: only(readRange),
  component: lazyRouteComponent(() => import('./analytics/page.tsx'), 'Analytics'),
})

const widgets = createRoute({
  getParentRoute: () => project,
  path: '/widgets',
  component: lazyRouteComponent(() => import('./widgets/page.tsx'), 'Widgets'),
})

const widget = createRoute({
  getParentRoute: () => project,
  path: '/widgets/$widget',
  component: lazyRouteComponent(() => import('./widgets/editor.tsx'), 'WidgetPage'),
})

const imports = createRoute({
  getParentRoute: () => project,
  path: '/imports',
  component: lazyRouteComponent(() => import('./imports/imports-page.tsx'), 'Imports'),
})

const oneImport = createRoute({
  getParentRoute: () => project,
  path: '/imports/$import',
  // How many rows the file has, as a dry run counted them.
  validateSearch: only(({ of }): { of?: number } => (typeof of === 'number' && of > 0 ? { of } : {})),
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'ImportPage'),
})

const firstSteps = createRoute({
  getParentRoute: () => project,
  path: '/first-steps',
  component: lazyRouteComponent(() => import('./first-steps/first-steps.tsx'), 'FirstSteps'),
})

const tags = createRoute({
  getParentRoute: () => project,
  path: '/tags',
  validateSearch: only(readTagsSearch),
  component: lazyRouteComponent(() => import('./tags/tags-page.tsx'), 'Tags'),
})

const projectSettings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(() => import('./projects/settings-page.tsx'), 'ProjectSettings'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    team.addChildren([
      teamStart,
      newTeam,
      newProject,
      webhooks,
      webhook,
      events,
      auditLog,
      members,
      usage,
      privacy,
      teamSettings,
      project.addChildren([
        inbox,
        testimonials,
        videos,
        surveys,
        survey,
        surveyEdit,
        surveyResults,
        surveyResponses,
        analytics,
        widgets,
        widget,
        imports,
        oneImport,
        tags,
        firstSteps,
        projectSettings,
      ]),
    ]),
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  // What the reader of an address leaves out is taken out of the address.
  search: { strict: true },
  trailingSlash: 'preserve',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

function PageError({ error }: { error: unknown }) {
  return (
    <main className="page" id="main">
      <h1>This page failed</h1>
      <ErrorNote error={error} onRetry={() => location.reload()} />
    </main>
  )
}
