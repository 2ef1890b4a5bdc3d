import { randomBytes } from 'node:crypto'
import { signWebhook } from '@earshot/contracts/webhooks'

const TIMEOUT_MS = 30_000
/** The same as the service's; any other status is final. */
const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504])

const ERROR_CODES: Record<string, string> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'dns_failure',
  EAI_AGAIN: 'dns_failure',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
}

export interface ForwardedEvent {
  id: string
  type: string
  /** The body, as the service stores it. */
  text: string
}

/** The result of one request: a status, or the reason for none. */
export interface Forwarding {
  status: number | null
  /** A code of attempts, such as `connection_refused`. */
  error: string | null
  ms: number
}

export function isDelivered({ status }: Forwarding): boolean {
  return status !== null && status >= 200 && status < 300
}

export function isWorthRetrying({ status }: Forwarding): boolean {
  return status === null || RETRIED_STATUSES.has(status)
}

/**
 * Posts an event like a delivery: same bytes, both sets of signature headers, the trace of the event. The delivery's id is the event's, so that a
 * receiver that deduplicates recognizes an event sent again after a killed run.
 */
export async function forward(url: string, { id, type, text }: ForwardedEvent, secret: string, signal: AbortSignal): Promise<Forwarding> {
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const signature = await signWebhook({ body: text, secret, timestampSeconds, deliveryId: id })
  const startedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'earshot-listen',
        'X-Service-Event': type,
        'X-Service-Delivery': id,
        ...signature,
        traceparent: `00-${id.replaceAll('-', '')}-${randomBytes(8).toString('hex')}-01`,
      },
      body: text,
      signal: AbortSignal.any([signal, timeout]),
    })
    await response.body?.cancel()
    return { status: response.status, error: null, ms: elapsedMs() }
  } catch (error) {
    signal.throwIfAborted()
    return { status: null, error: timeout.aborted ? 'read_timeout' : codeOf(error), ms: elapsedMs() }
  }
}

/** Reads the code from the cause, where fetch keeps the reason, also after several addresses were tried. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  const code = String(cause?.code ?? '')
  if (/CERT|TLS|SSL/.test(code)) return 'tls_error'
  return ERROR_CODES[code] ?? 'protocol_error'
}
