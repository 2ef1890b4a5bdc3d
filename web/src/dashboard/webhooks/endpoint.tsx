import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { isRefusal } from '../api.ts'
import { AdminsOnly, NotInPlan, useLacksFeature } from '../shell/admins-only.tsx'
import { Missing } from '../shell/layouts.tsx'
import { useTeam } from '../shell/places.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { TABS, type Tab } from './address.ts'
import { Attempts } from './attempts.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActions, StateNote } from './endpoint-actions.tsx'
import { Figures } from './figures.tsx'
import { Health, StateTag } from './marks.tsx'
import { endpointQuery, statsQuery } from './queries.ts'
import type { Endpoint } from './records.ts'
import { EndpointSettings } from './settings.tsx'
import { CHATS, eventsInWords } from './words.ts'
import './webhooks.css'

const route = getRouteApi('/$team/-/webhooks/$webhook')
const NAMES: Record<Tab, string> = { deliveries: 'Deliveries', attempts: 'Attempts', figures: 'Figures', settings: 'Settings' }
const PANELS: Record<Tab, (props: { endpoint: Endpoint }) => React.ReactNode> = {
  deliveries: Deliveries,
  attempts: Attempts,
  figures: Figures,
  settings: EndpointSettings,
}

/** One webhook endpoint: what was sent to it and what it answered, its figures and its settings. */
export function WebhookEndpoint() {
  return (
    <AdminsOnly title="Webhook endpoint">
      <EndpointPage />
    </AdminsOnly>
  )
}

function EndpointPage() {
  const team = useTeam()
  const { webhook } = route.useParams()
  const query = useQuery(endpointQuery({ team_id: team.id, webhook_id: webhook }))
  if (useLacksFeature('webhooks', query.error))
    return (
      <Page title="Webhook endpoint">
        <NotInPlan what="webhooks" />
      </Page>
    )
  if (isRefusal(query.error, 'not_found')) return <Missing what="endpoint" />
  if (!query.data)
    return (
      <Page title="Webhook endpoint" width="wide">
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return <KnownEndpoint endpoint={query.data} />
}

function KnownEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const team = useTeam()
  const { tab } = route.useSearch()
  const Panel = PANELS[tab]
  const { data: stats } = useQuery(statsQuery({ team_id: team.id, webhook_id: endpoint.id }, 1))
  return (
    <Page
      title={endpoint.description || hostOf(endpoint.url)}
      width="wide"
      back={
        <BackLink to="/$team/-/webhooks" params={{ team: team.slug }}>
          All endpoints
        </BackLink>
      }
      lead={
        <span className="endpoint-lead">
          <code>{endpoint.url}</code>
        </span>
      }
      actions={<EndpointActions endpoint={endpoint} />}
    >
      <p className="endpoint-facts">
        <StateTag state={endpoint.state} />
        <Health
          endpoint={endpoint}
          figures={stats && { latest: stats.series.findLast(({ attempts }) => attempts > 0) ?? null, backlog: stats.backlog }}
        />
        <span className="soft">
          {eventsInWords(endpoint.events)}
          {endpoint.format !== 'earshot' && ` · ${CHATS[endpoint.format]} messages`}
          {endpoint.max_per_second !== null && ` · at most ${endpoint.max_per_second} a second`}
        </span>
      </p>
      <StateNote endpoint={endpoint} />
      <nav className="tabs" aria-label="Parts of this endpoint">
        {TABS.map((name) => (
          <Link
            key={name}
            from="/$team/-/webhooks/$webhook"
            to="."
            search={{ tab: name }}
            activeOptions={{ exact: false, includeSearch: true }}
          >
            {NAMES[name]}
          </Link>
        ))}
      </nav>
      <Panel endpoint={endpoint} />
    </Page>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
