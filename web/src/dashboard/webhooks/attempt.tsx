import type { ReactNode } from 'react'
import { Note } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { CodeBlock } from '../ui/json.tsx'
import { At } from '../ui/time.tsx'
import { StatusTag } from './marks.tsx'
import type { Attempt, Endpoint } from './records.ts'
import { durationInWords, explainAttempt, outcomeOf, TRIGGERS } from './words.ts'
import './attempt.css'

const MS = 1_000

interface AttemptDetailsProps {
  attempt: Attempt
  endpoint: Endpoint
  eventType: string
  /** Where it is known, for the trace that the request carries. */
  eventId?: string
}

/** One request to an endpoint and its response: times, addresses, headers, body, and what went wrong in words. */
export function AttemptDetails({ attempt, endpoint, eventType, eventId }: AttemptDetailsProps) {
  const { what, help } = explainAttempt(attempt)
  const isBad = outcomeOf(attempt) === 'failed'
  return (
    <div className="attempt stack">
      <div className={`verdict ${isBad ? 'bad' : 'good'}`}>
        <Icon name={isBad ? 'warn' : 'check'} />
        <p>
          <strong>{what}</strong> {help}
          {attempt.error?.detail && (
            <>
              <br />
              <span className="soft" dir="auto">
                {attempt.error.code}: {attempt.error.detail}
              </span>
            </>
          )}
        </p>
      </div>
      <ResponseBody attempt={attempt} />
      <Facts attempt={attempt} />
      <ResponseHeaders attempt={attempt} />
      <Request attempt={attempt} endpoint={endpoint} eventType={eventType} {...(eventId !== undefined && { eventId })} />
    </div>
  )
}

function Facts({ attempt }: { attempt: Attempt }) {
  const { started_at, duration_ms, remote_ip, trigger, response_body_bytes } = attempt
  return (
    <dl className="facts">
      <Fact name="Status">
        <StatusTag attempt={attempt} />
      </Fact>
      <Fact name="Started">
        <At at={started_at} />
      </Fact>
      <Fact name="Took">{duration_ms === null ? '–' : durationInWords(duration_ms)}</Fact>
      <Fact name="Remote address">{remote_ip ?? 'no connection'}</Fact>
      <Fact name="Why">{TRIGGERS[trigger]}</Fact>
      {response_body_bytes !== null && <Fact name="Response">{response_body_bytes.toLocaleString('en')} bytes</Fact>}
    </dl>
  )
}

/** A name and its value, in a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Request({ attempt, endpoint, eventType, eventId }: AttemptDetailsProps) {
  const own = Object.keys(endpoint.headers).map((name) => `${name}: ••••••••`)
  const seconds = Math.floor(Date.parse(attempt.started_at) / MS)
  const lines = [
    `POST ${endpoint.url}`,
    'Content-Type: application/json',
    `X-Service-Event: ${eventType}`,
    `X-Service-Delivery: ${attempt.delivery_id}`,
    `X-Service-Timestamp: ${seconds}`,
    'X-Service-Signature: (not kept)',
    `webhook-id: ${attempt.delivery_id}`,
    `webhook-timestamp: ${seconds}`,
    'webhook-signature: (not kept)',
    ...(eventId === undefined ? [] : [`traceparent: 00-${bare(eventId)}-${bare(attempt.id).slice(-16)}-01`]),
    ...own,
  ]
  return (
    <details className="part">
      <summary>Request</summary>
      <p className="soft">With the address and the headers as the endpoint has them now. The body is the payload of the delivery.</p>
      <CodeBlock code={lines.join('\n')} label="Request headers" />
    </details>
  )
}

/** What the receiver said: the first thing that somebody looks for. */
function ResponseBody({ attempt }: { attempt: Attempt }) {
  const { status_code, response_headers, response_body, response_body_truncated, response_body_bytes } = attempt
  if (status_code === null) return null
  if (response_headers === null && response_body === null)
    return <Note>The response is no longer kept. It is removed with the payload of the event.</Note>
  return (
    <div className="part">
      <p className="title">Response: body</p>
      {response_body ? (
        <CodeBlock code={response_body} label="Body of the response" foldedLines={12} />
      ) : (
        <p className="soft">The body is empty.</p>
      )}
      {response_body_truncated && (
        <p className="soft">
          Only the start is kept{response_body_bytes !== null && ` of ${response_body_bytes.toLocaleString('en')} bytes`}.
        </p>
      )}
    </div>
  )
}

function ResponseHeaders({ attempt: { response_headers } }: { attempt: Attempt }) {
  if (response_headers === null) return null
  const headers = Object.entries(response_headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <details className="part">
      <summary>Response: {headers.length === 1 ? '1 header' : `${headers.length} headers`}</summary>
      <CodeBlock code={headers.join('\n')} label="Headers of the response" />
    </details>
  )
}

function bare(id: string): string {
  return id.replaceAll('-', '')
}
