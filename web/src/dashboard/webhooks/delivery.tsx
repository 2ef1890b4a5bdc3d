import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { api } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Note } from '../ui/error-note.tsx'
import { Json } from '../ui/json.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Ago, At } from '../ui/time.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { AttemptDetails, Fact } from './attempt.tsx'
import { StateTag, StatusTag } from './marks.tsx'
import { focusRow, isEscape } from './panel.ts'
import { deliveryAttemptsQuery, deliveryQuery, endpointSent } from './queries.ts'
import type { Delivery, Endpoint, EndpointRef } from './records.ts'
import { durationInWords } from './words.ts'

const route = getRouteApi('/$team/-/webhooks/$webhook')

/** A delivery, opened beside the list: its payload, its attempts with their answers, and a way to send it again. */
export function DeliveryPanel({ endpoint, id }: { endpoint: Endpoint; id: string }) {
  const ref = { team_id: endpoint.team_id, webhook_id: endpoint.id }
  const navigate = route.useNavigate()
  const query = useQuery(deliveryQuery(ref, id))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const close = async () => {
    await navigate({ search: ({ item: _item, ...rest }) => rest, resetScroll: false })
    focusRow(id)
  }
  return (
    <section className="panel" aria-label="Delivery" onKeyDown={(event) => isEscape(event) && void close()}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {query.data?.event_type ?? 'Delivery'}
        </h2>
        <IconButton icon="x" label="Close the delivery" onClick={() => void close()} />
      </header>
      <Loaded query={query}>{(delivery) => <DeliveryDetails delivery={delivery} endpoint={endpoint} />}</Loaded>
    </section>
  )
}

function DeliveryDetails({ delivery, endpoint }: { delivery: Delivery; endpoint: Endpoint }) {
  const ref = { team_id: endpoint.team_id, webhook_id: endpoint.id }
  const isRemoved = delivery.payload === null
  return (
    <div className="stack">
      <div className="row">
        <StateTag state={delivery.state} />
        <Redeliver endpointRef={ref} delivery={delivery} />
      </div>
      {delivery.state === 'skipped' && (
        <Note>It was skipped: the endpoint was paused or disabled, or its payload was removed before it was sent.</Note>
      )}
      <AttemptsOfDelivery endpoint={endpoint} delivery={delivery} />
      <h3>Delivery</h3>
      <DeliveryFacts delivery={delivery} />
      <h3>Payload</h3>
      {isRemoved ? (
        <Note>
          <p>
            <strong>The payload was removed</strong>: it was expunged, is older than your team keeps payloads, or its person was erased. It
            cannot be sent again. Its SHA-256 was <code>{delivery.payload_sha256}</code>.
          </p>
        </Note>
      ) : (
        <>
          {endpoint.format !== 'earshot' && (
            <p className="soft">The endpoint gets a message for {endpoint.format} that is made of this event.</p>
          )}
          <Json value={delivery.payload} label="Payload" />
        </>
      )}
    </div>
  )
}

function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const team = useTeam()
  return (
    <dl className="facts">
      <Fact name="Delivery">
        <code>{delivery.id}</code>
      </Fact>
      <Fact name="Event">
        <Link to="/$team/-/events" params={{ team: team.slug }} search={{ item: delivery.event_id }}>
          <code>{delivery.event_id}</code>
        </Link>
      </Fact>
      <Fact name="Created">
        <At at={delivery.created_at} />
      </Fact>
      {delivery.next_attempt_at && (
        <Fact name="Next attempt">
          <Ago at={delivery.next_attempt_at} />
        </Fact>
      )}
      {delivery.replay_of !== null && (
        <Fact name="Sent again">
          <Link
            from="/$team/-/webhooks/$webhook"
            to="."
            search={(previous) => ({ ...previous, tab: 'deliveries', item: delivery.replay_of ?? '' })}
          >
            the first delivery
          </Link>
        </Fact>
      )}
      {delivery.replay_id !== null && (
        <Fact name="Replay">
          <Link from="/$team/-/webhooks/$webhook" to="." search={{ tab: 'deliveries', replay: delivery.replay_id }}>
            all of this replay
          </Link>
        </Fact>
      )}
    </dl>
  )
}

function Redeliver({ endpointRef, delivery }: { endpointRef: EndpointRef; delivery: Delivery }) {
  const navigate = route.useNavigate()
  const redeliver = useMutation({
    mutationFn: () => api.webhooks.deliveries.redeliver({ ...endpointRef, delivery_id: delivery.id }),
    onSuccess: async ({ id }) => {
      toast({ look: 'good', text: 'Sent again, as a new delivery' })
      await navigate({ search: (previous) => ({ ...previous, item: id }), resetScroll: false })
      await endpointSent(endpointRef)
    },
    onError: toastFailure,
  })
  const isRemoved = delivery.payload === null
  return (
    <Button
      icon="refresh"
      isBusy={redeliver.isPending}
      aria-disabled={isRemoved || undefined}
      title={isRemoved ? 'Its payload was removed' : 'Sends the event once more, at once'}
      onClick={() => !isRemoved && redeliver.mutate()}
    >
      Redeliver
    </Button>
  )
}

function AttemptsOfDelivery({ endpoint, delivery }: { endpoint: Endpoint; delivery: Delivery }) {
  const query = useQuery(deliveryAttemptsQuery({ team_id: endpoint.team_id, webhook_id: endpoint.id }, delivery))
  return (
    <>
      <h3>Attempts</h3>
      <Loaded query={query}>
        {(attempts) =>
          attempts.length === 0 ? (
            <p className="soft">{delivery.attempt_count > 0 ? 'Its attempts are no longer kept.' : 'No attempt was made yet.'}</p>
          ) : (
            <ol className="attempts">
              {attempts.map((attempt, at) => (
                <li key={attempt.id}>
                  <details open={at === 0}>
                    <summary>
                      <span>Attempt {attempt.number}</span>
                      <StatusTag attempt={attempt} />
                      <span className="soft">
                        <Ago at={attempt.started_at} />
                        {attempt.duration_ms !== null && `, took ${durationInWords(attempt.duration_ms)}`}
                      </span>
                    </summary>
                    <AttemptDetails attempt={attempt} endpoint={endpoint} eventType={delivery.event_type} eventId={delivery.event_id} />
                  </details>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </>
  )
}
