import { sizes } from '@earshot/contracts'
import { type AddressRules, checkUrlForm, type EgressProxy, type OwnAddresses, type ResolveName, resolveName } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import { createDeliveryAgent } from './delivery-agent.ts'
import { Exchange, type ExchangeLimits, type ReceivedResponse } from './exchange.ts'
import { createPinnedConnector } from './pinned-connector.ts'
import { readRetryAfterSeconds } from './retry-after.ts'

/** The statuses that send the client to another URL (RFC 9110 §15.4). */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 307, 308])

export interface SenderOptions extends Partial<ExchangeLimits> {
  rules: AddressRules
  /** The addresses of this service, which are never receivers. */
  ownAddresses: OwnAddresses
  /** Whether plain http is allowed. */
  allowInsecure: boolean
  userAgent: string
  /** Defaults to the system's resolver. */
  resolve?: ResolveName
  /** The proxy through which all deliveries go; by default none. */
  proxy?: EgressProxy | null
  /** Whether this machine's loopback addresses are reached without the proxy. */
  directLoopback?: boolean
}

export interface DeliveryRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  /** Ends the attempt as `interrupted`. */
  signal?: AbortSignal
}

/** The result of one attempt, with the same names as the API's Attempt. */
export interface SendResult extends ReceivedResponse {
  durationMs: number
  /** From the response's Retry-After, in either of its forms. */
  retryAfterSeconds: number | null
}

export interface Sender {
  /** Sends one POST. Never throws and never rejects: a failure is a result with `error`. */
  send: (request: DeliveryRequest) => Promise<SendResult>
  /** Closes all connections at once; attempts in flight end as `interrupted`. */
  close: () => Promise<void>
}

/** The limits of every attempt. */
export const EXCHANGE_LIMITS: ExchangeLimits = {
  connectTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  keptSuccessBytes: sizes.keptSuccessBytes,
  keptFailureBytes: sizes.keptFailureBytes,
}

export function createSender({ allowInsecure, userAgent, ...given }: SenderOptions): Sender {
  const options = { ...EXCHANGE_LIMITS, resolve: resolveName, proxy: null, directLoopback: false, ...given }
  const connector = createPinnedConnector(options)
  const agent = createDeliveryAgent(connector.connect)

  async function exchange({ url, headers, body, signal }: DeliveryRequest): Promise<ReceivedResponse> {
    const exchange = new Exchange(options)
    const interrupt = () => exchange.abort(new AttemptFailure('interrupted', 'The worker stopped during the attempt.'))
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted) interrupt()
    const refusal = refuseUrl(url, allowInsecure)
    if (refusal) {
      exchange.abort(refusal)
    } else {
      const { origin, pathname, search } = new URL(url)
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers: { ...headers, 'User-Agent': userAgent }, body }, exchange)
    }
    const response = await exchange.response
    signal?.removeEventListener('abort', interrupt)
    return response
  }

  return {
    async send(request) {
      const startedAt = performance.now()
      const response = withRedirectRefused(await exchange(request))
      const durationMs = Math.round(performance.now() - startedAt)
      return { ...response, durationMs, retryAfterSeconds: readRetryAfterSeconds(response.responseHeaders) }
    },
    async close() {
      connector.close()
      await agent.destroy()
    },
  }
}

/** Checks the URL again: it may have been registered under other rules. */
function refuseUrl(url: string, allowInsecure: boolean): AttemptFailure | null {
  if (!URL.canParse(url)) return new AttemptFailure('blocked_address', 'This is not an absolute URL.')
  const refusal = checkUrlForm(new URL(url), allowInsecure)
  return refusal && new AttemptFailure('blocked_address', refusal.detail)
}

function withRedirectRefused(response: ReceivedResponse): ReceivedResponse {
  if (response.error || response.statusCode === null || !REDIRECTS.has(response.statusCode)) return response
  const location = response.responseHeaders?.location?.slice(0, 200)
  const detail = `Redirects are not followed${location ? ` (Location: ${location})` : ''}: register the final address.`
  return { ...response, error: { code: 'redirect', detail } }
}
