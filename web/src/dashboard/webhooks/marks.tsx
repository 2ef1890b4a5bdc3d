import { useQuery } from '@tanstack/react-query'
import { Icon } from '../ui/icon.tsx'
import { Ago } from '../ui/time.tsx'
import { retriesQuery } from './queries.ts'
import type { Attempt, Delivery, Endpoint, Summary } from './records.ts'
import { onlyFails, outcomeOf, STATE_LOOKS } from './words.ts'

/** The state of an endpoint or a delivery, by word and colour. */
export function StateTag({ state }: { state: Delivery['state'] | Endpoint['state'] }) {
  return <span className={`tag state ${STATE_LOOKS[state]}`}>{state}</span>
}

/** The status code of an attempt, or the code of its error. */
export function StatusTag({ attempt }: { attempt: Attempt }) {
  const look = { succeeded: 'good', failed: 'bad', sending: 'warn' }[outcomeOf(attempt)]
  return <span className={`tag ${look}`}>{attempt.status_code ?? attempt.error?.code ?? 'running'}</span>
}

/** Since when an endpoint fails, and when it last succeeded. `figures` are those of the last day, once they are there. */
export function Health({ endpoint, figures }: { endpoint: Endpoint; figures: Pick<Summary, 'latest' | 'backlog'> | undefined }) {
  const { consecutive_failures, last_success_at } = endpoint
  const isRetrying = consecutive_failures === 0 && endpoint.state === 'active' && figures !== undefined && onlyFails(figures)
  return (
    <span className="health">
      {consecutive_failures > 0 && (
        <span className="failing">
          <Icon name="warn" />
          {consecutive_failures.toLocaleString('en')} failed in a row
        </span>
      )}
      {isRetrying && (
        <span className="failing">
          <Icon name="warn" />
          <Retrying endpoint={endpoint} />
        </span>
      )}
      <span className="soft">{last_success_at === null ? 'No success yet' : <>Last success {<Ago at={last_success_at} />}</>}</span>
    </span>
  )
}

/** No delivery has failed for good yet, but none of the newest attempts succeeded. */
function Retrying({ endpoint: { team_id, id } }: { endpoint: Endpoint }) {
  const { data: next } = useQuery(retriesQuery({ team_id, webhook_id: id }))
  return next ? (
    <span>
      Failing: next attempt <Ago at={next} />
    </span>
  ) : (
    'Failing: attempts are retried'
  )
}
