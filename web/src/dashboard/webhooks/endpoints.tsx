import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { AdminsOnly, NotInPlan, useLacksFeature } from '../shell/admins-only.tsx'
import { projectsQuery, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { Page } from '../ui/page.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { CreateEndpoint } from './create.tsx'
import { Health, StateTag } from './marks.tsx'
import { endpointsQuery, summariesQuery } from './queries.ts'
import type { Endpoint, Summary } from './records.ts'
import { CHATS, eventsInWords, shareInWords } from './words.ts'
import './webhooks.css'

const TITLE = 'Webhooks'
const route = getRouteApi('/$team/-/webhooks')

/** The webhook endpoints of a team, with their health. */
export function Webhooks() {
  return (
    <AdminsOnly title={TITLE}>
      <Endpoints />
    </AdminsOnly>
  )
}

function Endpoints() {
  const team = useTeam()
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery({ ...endpointsQuery(team.id), enabled: useHasFeature('webhooks') })
  if (useLacksFeature('webhooks', query.error))
    return (
      <Page title={TITLE}>
        <NotInPlan what="webhooks" />
      </Page>
    )
  if (create) return <CreateEndpoint />
  const add = (
    <Button look="primary" icon="plus" onClick={() => void navigate({ search: { create: true } })}>
      New endpoint
    </Button>
  )
  return (
    <Page
      title={TITLE}
      lead="Earshot sends what happens to your programs and chats, signed, and retries when they fail."
      width="wide"
      actions={add}
    >
      <Loaded query={query} skeleton={<ListSkeleton rows={3} height="5rem" />}>
        {({ pages }) => <EndpointList endpoints={pages.flatMap(({ results }) => results)} add={add} />}
      </Loaded>
      <More query={query} />
    </Page>
  )
}

function EndpointList({ endpoints, add }: { endpoints: readonly Endpoint[]; add: ReactNode }) {
  const summaries = useSummaries(endpoints)
  if (endpoints.length === 0)
    return (
      <Empty icon="hook" title="No endpoint yet" actions={add}>
        An endpoint is an address of your program, or of a channel in Slack, Discord or Teams. Add one, send it a test, and see its answer
        here.
      </Empty>
    )
  return (
    <ul className="records">
      {endpoints.map((endpoint) => (
        <li key={endpoint.id}>
          <EndpointRow endpoint={endpoint} figures={summaries.get(endpoint.id)} />
        </li>
      ))}
    </ul>
  )
}

/** The figures of the endpoints by their ids: as many pages as there are of endpoints. */
function useSummaries(endpoints: readonly Endpoint[]): ReadonlyMap<string, Summary> {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    ...summariesQuery(useTeam().id),
    enabled: endpoints.length > 0,
  })
  const known = data?.pages.flatMap(({ results }) => results) ?? []
  const isBehind = hasNextPage && known.length < endpoints.length && !isFetching && !isError
  useEffect(() => {
    if (isBehind) void fetchNextPage()
  }, [isBehind, fetchNextPage])
  return new Map(known.map((summary) => [summary.endpoint_id, summary]))
}

function EndpointRow({ endpoint, figures }: { endpoint: Endpoint; figures: Summary | undefined }) {
  const team = useTeam()
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const project = projects.find(({ id }) => id === endpoint.project_id)
  return (
    <Link
      className="record endpoint-row"
      to="/$team/-/webhooks/$webhook"
      params={{ team: team.slug, webhook: endpoint.id }}
      search={{ tab: 'deliveries' }}
    >
      <span className="what">
        <strong dir="auto">{endpoint.description || endpoint.url}</strong>
        <span className="soft url">{endpoint.url}</span>
        <span className="soft">
          {eventsInWords(endpoint.events)} · {project ? <bdi>{project.name}</bdi> : 'all projects'}
          {endpoint.format !== 'earshot' && ` · ${CHATS[endpoint.format]}`}
        </span>
      </span>
      <Health endpoint={endpoint} figures={figures} />
      <span className="share">
        <strong className={figures?.totals.success_share === 0 ? 'failing' : undefined}>
          {figures ? shareInWords(figures.totals.success_share) : '…'}
        </strong>
        <span className="soft">{figures?.totals.attempts === 0 ? 'Nothing sent in 24 h' : 'succeeded in 24 h'}</span>
      </span>
      <StateTag state={endpoint.state} />
    </Link>
  )
}
