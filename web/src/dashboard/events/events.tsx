import { eventTypes } from '@earshot/contracts/constants'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { AdminsOnly, NotInPlan, useLacksFeature } from '../shell/admins-only.tsx'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SelectField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { Page } from '../ui/page.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { typesQuery } from '../webhooks/queries.ts'
import { EventPanel } from './event.tsx'
import { useFeed } from './feed.ts'
import type { FeedEvent, FeedReader } from './feed-reader.ts'
import { TypesCatalogue } from './types.tsx'
import '../webhooks/webhooks.css'
import '../webhooks/attempt.css'
import './events.css'

const route = getRouteApi('/$team/-/events')

/** The change feed of a team, live, and the catalogue of event types. */
export function Events() {
  return (
    <AdminsOnly title="Events">
      <EventsPage />
    </AdminsOnly>
  )
}

function EventsPage() {
  const team = useTeam()
  const { view, type } = route.useSearch()
  const types = useQuery({ ...typesQuery(team.id), enabled: useHasFeature('webhooks') && view === 'types' })
  const known = eventTypes.find((one) => one === type)
  return (
    <Page title="Events" lead="Everything that happens in your team, as your programs receive it." width="wide">
      {useLacksFeature('webhooks', types.error) ? (
        <NotInPlan what="events" />
      ) : (
        <>
          <nav className="tabs" aria-label="Parts of this page">
            <Link
              to="/$team/-/events"
              params={{ team: team.slug }}
              search={{}}
              activeOptions={{ exact: true }}
              aria-current={current(view === undefined)}
            >
              Feed
            </Link>
            <Link to="/$team/-/events" params={{ team: team.slug }} search={{ view: 'types' }} aria-current={current(view === 'types')}>
              Types
            </Link>
          </nav>
          {view === 'types' ? <Loaded query={types}>{(all) => <TypesCatalogue types={all} />}</Loaded> : <FeedView type={known} />}
        </>
      )}
    </Page>
  )
}

function FeedView({ type }: { type: FeedEvent['type'] | undefined }) {
  const team = useTeam()
  const { item } = route.useSearch()
  const feed = useFeed(team.id, type)
  return (
    <div className="beside" data-open={item !== undefined || undefined}>
      <section className="list-side" aria-label="Feed">
        <FeedBar feed={feed} type={type} />
        <FeedNote feed={feed} />
        <FeedList key={`${team.id} ${type}`} feed={feed} />
      </section>
      {item !== undefined && <EventPanel key={item} id={item} feed={feed} />}
    </div>
  )
}

function FeedBar({ feed, type }: { feed: FeedReader; type: string | undefined }) {
  const navigate = route.useNavigate()
  const texts = {
    live: 'Live',
    paused: 'Paused',
    lost: 'Connecting again',
    reading: 'Reading',
    failed: 'Not live',
  } as const
  return (
    <search className="filters">
      <SelectField
        label="Type"
        options={[{ value: '', label: 'Any type' }, ...eventTypes.map((one) => ({ value: one, label: one }))]}
        value={type ?? ''}
        onChange={({ target }) => void navigate({ search: target.value ? { type: target.value } : {}, replace: true })}
      />
      <div className="row">
        <span className={`live ${feed.view.state === 'live' ? 'is-live' : feed.view.state}`} role="status">
          {texts[feed.view.state]}
        </span>
        {/* One button, which keeps the focus. */}
        {(feed.view.state === 'live' || feed.view.state === 'paused') && (
          <Button onClick={() => (feed.view.state === 'live' ? feed.pause() : feed.start())}>
            {feed.view.state === 'live' ? 'Pause' : 'Resume'}
          </Button>
        )}
      </div>
    </search>
  )
}

function FeedNote({ feed }: { feed: FeedReader }) {
  return feed.view.state === 'failed' ? <ErrorNote error={feed.view.error} onRetry={() => feed.start()} /> : null
}

function FeedList({ feed }: { feed: FeedReader }) {
  const { events, hasOlder, isReadingOlder } = feed.view
  const { item } = route.useSearch()
  if (events.length === 0 && feed.view.state === 'reading') return <ListSkeleton />
  if (events.length === 0 && feed.view.state !== 'failed' && !hasOlder)
    return (
      <Empty icon="events" title="No event yet">
        Events appear here at once when something happens, such as a new submission. They are kept for as long as your team keeps payloads.
      </Empty>
    )
  return (
    <>
      <ul className="records">
        {events.map((event) => (
          <li key={event.id}>
            <Link
              className="record delivery-row"
              from="/$team/-/events"
              to="."
              search={(previous) => ({ ...previous, item: event.id })}
              aria-current={event.id === item ? 'true' : undefined}
              activeOptions={{ exact: true }}
              id={`row-${event.id}`}
              resetScroll={false}
            >
              <span className="what">
                <strong>{event.type}</strong>
                <code className="soft url">{event.id}</code>
              </span>
              <Ago at={event.created_at} />
            </Link>
          </li>
        ))}
      </ul>
      {feed.view.olderError !== null && <ErrorNote error={feed.view.olderError} onRetry={() => void feed.older()} />}
      <More query={{ hasNextPage: hasOlder, isFetchingNextPage: isReadingOlder, fetchNextPage: () => feed.older() }} />
    </>
  )
}

function current(isCurrent: boolean) {
  return isCurrent ? 'page' : undefined
}
