import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, queries } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Json } from '../ui/json.tsx'
import { At } from '../ui/time.tsx'
import { toast } from '../ui/toasts.tsx'
import { Fact } from '../webhooks/attempt.tsx'
import { focusRow, isEscape } from '../webhooks/panel.ts'
import { endpointsQuery } from '../webhooks/queries.ts'
import type { FeedEvent, FeedReader } from './feed-reader.ts'

const route = getRouteApi('/$team/-/events')

/** One event, opened beside the feed: its JSON, its deliveries, and a way to expunge it. */
export function EventPanel({ id, feed }: { id: string; feed: FeedReader }) {
  const navigate = route.useNavigate()
  const heading = useRef<HTMLHeadingElement>(null)
  const event = feed.view.events.find((one) => one.id === id)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const close = async () => {
    await navigate({ search: ({ item: _item, ...rest }) => rest, resetScroll: false })
    focusRow(id)
  }
  return (
    <section className="panel" aria-label="Event" onKeyDown={(event) => isEscape(event) && void close()}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {event?.type ?? 'Event'}
        </h2>
        <IconButton icon="x" label="Close the event" onClick={() => void close()} />
      </header>
      {event ? <EventDetails event={event} feed={feed} onExpunged={() => void close()} /> : <NotRead id={id} feed={feed} />}
    </section>
  )
}

/** An event of the address that is not in the list: it is looked for among older ones. */
function NotRead({ id, feed }: { id: string; feed: FeedReader }) {
  const { state, hasOlder, isReadingOlder } = feed.view
  const isRead = state !== 'reading'
  useEffect(() => {
    if (isRead) void feed.seek(id)
  }, [feed, id, isRead])
  return (
    <div className="stack">
      {!isRead || isReadingOlder ? (
        <p className="soft">Loading events…</p>
      ) : (
        <p>
          The event <code>{id}</code> is not among those read. {!hasOlder && 'It was expunged, is no longer kept, or was a test.'}
        </p>
      )}
      <DeliveryLinks id={id} />
    </div>
  )
}

function EventDetails({ event, feed, onExpunged }: { event: FeedEvent; feed: FeedReader; onExpunged: () => void }) {
  const team = useTeam()
  const [isAsked, setIsAsked] = useState(false)
  const expunge = async () => {
    await api.events.expunge({ team_id: team.id, event_id: event.id })
    feed.remove(event.id)
    onExpunged()
    toast({ look: 'good', text: 'The payload was removed' })
    await queries.invalidateQueries({ queryKey: ['deliveries'] })
    await queries.invalidateQueries({ queryKey: ['delivery'] })
  }
  return (
    <div className="stack">
      <dl className="facts">
        <Fact name="Event">
          <code>{event.id}</code>
        </Fact>
        <Fact name="Happened">
          <At at={event.created_at} />
        </Fact>
      </dl>
      <Json value={event} label="Event" />
      <DeliveryLinks id={event.id} />
      <h3>Remove its content</h3>
      <p className="soft">For a payload that must not be kept, such as a secret that somebody sent.</p>
      <div className="row">
        <Button icon="trash" onClick={() => setIsAsked(true)}>
          Expunge the event
        </Button>
      </div>
      {isAsked && (
        <Confirm title="Expunge this event?" action="Expunge the event" onConfirm={expunge} onClose={() => setIsAsked(false)}>
          <p>
            Its payload is removed at once and for good, and so are the responses to it. The feed and replays leave it out, and deliveries
            that wait are skipped. Receivers keep what they got.
          </p>
        </Confirm>
      )}
    </div>
  )
}

function DeliveryLinks({ id }: { id: string }) {
  const team = useTeam()
  const { data } = useInfiniteQuery(endpointsQuery(team.id))
  const endpoints = data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <>
      <h3>Its deliveries</h3>
      {data && endpoints.length === 0 && <p className="soft">Your team has no webhook endpoint.</p>}
      <ul className="links">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id}>
            <Link
              to="/$team/-/webhooks/$webhook"
              params={{ team: team.slug, webhook: endpoint.id }}
              search={{ tab: 'deliveries', event: id }}
              dir="auto"
            >
              {endpoint.description || endpoint.url}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
