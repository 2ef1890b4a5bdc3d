import { Icon } from '../ui/icon.tsx'
import { Ago } from '../ui/time.tsx'
import type { Attempt, Delivery, Endpoint } from './records.ts'
import { outcomeOf, STATE_LOOKS } from './words.ts'

/** The state of an endpoint or a delivery, by word and colour. */
export function StateTag({ state }: { state: Delivery['state'] | Endpoint['state'] }) {
  return <span className={`tag ${STATE_LOOKS[state]}`}>{state}</span>
}

/** The status code of an attempt, or the code of its error. */
export function StatusTag({ attempt }: { attempt: Attempt }) {
  const look = { succeeded: 'good', failed: 'bad', sending: 'warn' }[outcomeOf(attempt)]
  return <span className={`tag ${look}`}>{attempt.status_code ?? attempt.error?.code ?? 'running'}</span>
}

/** Since when an endpoint fails, or when it last succeeded. */
export function Health({ endpoint }: { endpoint: Endpoint }) {
  const { consecutive_failures, last_success_at } = endpoint
  return (
    <span className="health">
      {consecutive_failures > 0 && (
        <span className="failing">
          <Icon name="warn" />
          {consecutive_failures.toLocaleString('en')} failed in a row
        </span>
      )}
      <span className="soft">{last_success_at === null ? 'No success yet' : <>Last success {<Ago at={last_success_at} />}</>}</span>
    </span>
  )
}
