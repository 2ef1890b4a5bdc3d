import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { DeliveryPanel } from './delivery.tsx'
import { DeliveryFilters } from './filters.tsx'
import { StateTag } from './marks.tsx'
import { deliveriesQuery, healthChanged } from './queries.ts'
import type { Delivery, Endpoint } from './records.ts'

const route = getRouteApi('/$team/-/webhooks/$webhook')

/** What was sent to an endpoint and what waits, with filters, and one delivery opened beside. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const search = route.useSearch()
  const ref = { team_id: endpoint.team_id, webhook_id: endpoint.id }
  const query = useInfiniteQuery(deliveriesQuery(ref, search))
  useHealthOf(endpoint, query.data?.pages.flatMap(({ results }) => results) ?? [])
  return (
    <div className="beside" data-open={search.item !== undefined || undefined}>
      <section className="list-side" aria-label="Deliveries">
        <DeliveryFilters
          actions={
            <Button icon="refresh" isBusy={query.isRefetching} onClick={() => void query.refetch()}>
              Refresh
            </Button>
          }
        />
        <Loaded query={query} skeleton={<ListSkeleton />}>
          {({ pages }) => <DeliveryList deliveries={pages.flatMap(({ results }) => results)} />}
        </Loaded>
        <More query={query} />
      </section>
      {search.item !== undefined && <DeliveryPanel key={search.item} endpoint={endpoint} id={search.item} />}
    </div>
  )
}

function DeliveryList({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { tab: _tab, item, replay, ...filters } = route.useSearch()
  if (deliveries.length === 0 && replay !== undefined)
    return (
      <Empty icon="clock" title="No delivery of this replay yet">
        Its deliveries are created in the background. They appear here by themselves.
      </Empty>
    )
  if (deliveries.length === 0)
    return (
      <Empty icon="hook" title={Object.keys(filters).length > 0 ? 'No delivery matches' : 'Nothing was sent yet'}>
        {Object.keys(filters).length > 0
          ? 'Change or clear the filters. Deliveries are kept for 30 days.'
          : 'Deliveries appear here when events happen. Send a test to see one now.'}
      </Empty>
    )
  return (
    <ul className="records">
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <Link
            className="record delivery-row"
            from="/$team/-/webhooks/$webhook"
            to="."
            search={(previous) => ({ ...previous, tab: 'deliveries', item: delivery.id })}
            aria-current={delivery.id === item ? 'true' : undefined}
            activeOptions={{ exact: true }}
            id={`row-${delivery.id}`}
            resetScroll={false}
          >
            <StateTag state={delivery.state} />
            <span className="what">
              <strong>{delivery.event_type}</strong>
              <span className="soft">
                {delivery.attempt_count} {delivery.attempt_count === 1 ? 'attempt' : 'attempts'}
                {delivery.next_attempt_at && delivery.state === 'pending' && (
                  <>
                    , next <Ago at={delivery.next_attempt_at} />
                  </>
                )}
                {delivery.replay_of !== null && ' · sent again'}
                {delivery.payload === null && ' · payload removed'}
              </span>
            </span>
            <Ago at={delivery.created_at} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** When a delivery that is shown has ended, the health of the endpoint has changed: a replay may have brought the first success. */
function useHealthOf(endpoint: Endpoint, deliveries: readonly Delivery[]): void {
  const { team_id, id } = endpoint
  const waiting = useRef<ReadonlySet<string>>(new Set())
  const asked = useRef<ReadonlySet<string>>(new Set())
  const news = deliveries.filter((one) => isEnded(one) && (waiting.current.has(one.id) || isNews(one, endpoint))).map((one) => one.id)
  const moving = deliveries.filter((one) => one.state === 'pending' || one.state === 'sending').map((one) => one.id)
  useEffect(() => {
    waiting.current = new Set(moving)
    if (news.every((one) => asked.current.has(one))) return
    asked.current = new Set([...asked.current, ...news])
    void healthChanged({ team_id, webhook_id: id })
  })
}

function isEnded({ state }: Delivery): boolean {
  return state === 'succeeded' || state === 'failed'
}

/** Whether the endpoint, as it was read, does not know yet how this delivery ended. */
function isNews({ state, created_at }: Delivery, { last_success_at, consecutive_failures }: Endpoint): boolean {
  const isLater = last_success_at === null || Date.parse(created_at) > Date.parse(last_success_at)
  return isLater && (state === 'succeeded' || consecutive_failures === 0)
}
