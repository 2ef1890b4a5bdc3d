import { percentText } from '../ui/numbers.ts'
import type { Attempt, Delivery, Endpoint, Summary } from './records.ts'

/** What happened, and what helps. */
interface Explanation {
  what: string
  help: string
}

type ErrorCode = NonNullable<Attempt['error']>['code']

const ERRORS: Record<ErrorCode, Explanation> = {
  dns_failure: { what: 'The host name does not resolve.', help: 'Check the spelling of the address, and the DNS records of the host.' },
  connect_timeout: {
    what: 'No connection within 10 seconds.',
    help: 'Check that the server runs, and that its firewall lets this service in.',
  },
  connection_refused: {
    what: 'Nothing listens at the address.',
    help: 'Start your receiver, and check the port of the address.',
  },
  read_timeout: {
    what: 'The response did not end within 30 seconds.',
    help: 'Respond with 2xx at once, and do the work afterwards.',
  },
  tls_error: {
    what: 'The TLS connection failed.',
    help: 'Check that the certificate is not expired, is for this host name, and comes with its whole chain.',
  },
  connection_reset: {
    what: 'The connection closed before the response ended.',
    help: 'Look in the logs of your receiver, and of the proxy before it, for a crash or a limit.',
  },
  protocol_error: {
    what: 'The response is not valid HTTP, or its headers are larger than 16 KB.',
    help: 'Check what answers at this address and port.',
  },
  blocked_address: {
    what: 'The host name resolves to a private or local address.',
    help: 'Use a public address, or ask the administrator of this server to allow your network. It is not retried.',
  },
  redirect: {
    what: 'The receiver redirects. Redirects are never followed.',
    help: 'Change the address of the endpoint to the final one. It is not retried.',
  },
  interrupted: {
    what: 'The service stopped during the attempt.',
    help: 'Your receiver may have got it. Deduplicate by X-Service-Delivery.',
  },
  proxy_error: {
    what: 'The egress proxy of the service opened no tunnel to the receiver.',
    help: 'Ask the administrator of this server to check its proxy.',
  },
}

const MAX_ATTEMPTS = 8
const RETRIED = new Set([429, 500, 502, 503, 504])

const STATUSES: Readonly<Record<number, string>> = {
  400: 'The receiver refused the request. If it verifies signatures, check that it reads the raw body and has the current secret.',
  401: 'The receiver asks for credentials. Give them as headers in the settings of the endpoint.',
  403: 'The receiver or a firewall before it forbids the request. Check its rules and the headers of the endpoint.',
  404: 'Nothing is at this path. Check the address of the endpoint.',
  405: 'This path takes no POST requests. Check the address of the endpoint.',
  410: 'The receiver says that it is gone. Change the address, or delete the endpoint.',
  413: 'The body is too large for the receiver. Raise its limit.',
  415: 'The receiver does not take application/json.',
  429: 'The receiver got too many requests. Set a limit of deliveries per second in the settings.',
}

/** Explains an attempt in words: what came back, and what helps. */
export function explainAttempt({ number, status_code, error, duration_ms, trigger }: Attempt): Explanation {
  if (error) return ERRORS[error.code]
  if (status_code === null) return { what: duration_ms === null ? 'The request is under way.' : 'There was no response.', help: '' }
  if (status_code < 300) return { what: `The receiver accepted it with ${status_code}.`, help: '' }
  const help = STATUSES[status_code] ?? (status_code >= 500 ? 'The receiver failed. Look in its logs at this time.' : '')
  const isRetried = RETRIED.has(status_code) && (trigger === 'auto' || trigger === 'replay')
  const retried = number < MAX_ATTEMPTS ? 'This is retried, up to eight attempts.' : 'This was the last of eight attempts.'
  const next = isRetried ? retried : 'It is not retried.'
  return { what: `The receiver responded with ${status_code}.`, help: `${help} ${next}`.trim() }
}

/** Whether the attempt ended well, badly, or runs. */
export function outcomeOf({ status_code, error, duration_ms }: Attempt): 'succeeded' | 'failed' | 'sending' {
  if (status_code !== null && status_code >= 200 && status_code < 300 && error === null) return 'succeeded'
  return duration_ms === null && error === null && status_code === null ? 'sending' : 'failed'
}

/** Whether nothing has succeeded in the last hour with attempts, and something waits for another one. */
export function onlyFails({ latest, backlog }: Pick<Summary, 'latest' | 'backlog'>): boolean {
  return latest?.succeeded === 0 && backlog.pending > 0
}

export const TRIGGERS: Record<Attempt['trigger'], string> = {
  auto: 'The event happened',
  manual: 'Redelivered by a person',
  replay: 'Sent by a replay',
  test: 'Sent as a test',
}

export const STATE_LOOKS: Record<Delivery['state'] | Endpoint['state'], 'good' | 'bad' | 'warn' | 'plain'> = {
  active: 'good',
  succeeded: 'good',
  disabled: 'bad',
  failed: 'bad',
  paused: 'warn',
  sending: 'warn',
  pending: 'plain',
  skipped: 'plain',
}

export const FORMATS: readonly { value: Endpoint['format']; label: string }[] = [
  { value: 'earshot', label: 'Earshot: the event as JSON, for a program' },
  { value: 'slack', label: 'Slack: a message in a channel' },
  { value: 'discord', label: 'Discord: a message in a channel' },
  { value: 'teams', label: 'Microsoft Teams: a message in a channel' },
]

/** The names of the chats that get messages. */
export const CHATS: Record<Endpoint['format'], string> = {
  earshot: 'Earshot',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
}

/** The types of events in words: all, one, or how many. */
export function eventsInWords(events: readonly string[]): string {
  if (events.includes('*')) return 'All events'
  const [only] = events
  return events.length === 1 && only !== undefined ? only : `${events.length} types of events`
}

/** A duration as people read it. */
export function durationInWords(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
}

/** A share, never rounded up to all. */
export function shareInWords(share: number | null): string {
  return share === null ? '–' : percentText(share)
}
