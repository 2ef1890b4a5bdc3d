import { sizes } from '@earshot/contracts'
import { type AddressRules, checkUrlForm, type EgressProxy, type OwnAddresses, type ResolveName, resolveName } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import { createDeliveryAgent } from './delivery-agent.ts'
import { Exchange, type ExchangeLimits, type ReceivedResponse } from './exchange.ts'
import { createPinnedConnector } from './pinned-connector.ts'
import { readRetryAfterSeconds } from './retry-after.ts'

/** The statuses that send the client to another URL (RFC 9110 §15.4). */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 307, 308])

/** A URL has at most 2,048 characters. */
const MAX_KNOWN_URLS = 1_000

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
  const targetOf = createTargetParser(allowInsecure)

  async function exchange({ url, headers, body, signal }: DeliveryRequest): Promise<ReceivedResponse> {
    const exchange = new Exchange(options)
    const interrupt = () => exchange.abort(new AttemptFailure('interrupted', 'The worker stopped during the attempt.'))
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted) interrupt()
    const target = targetOf(url)
    if (target instanceof AttemptFailure) {
      exchange.abort(target)
    } else {
      agent.dispatch({ ...target, method: 'POST', headers: { ...headers, 'User-Agent': userAgent }, body }, exchange)
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

interface Target {
  origin: string
  path: string
}

/** Returns a function that parses a URL and checks it again, as it may have been registered under other rules. Caches what it parsed. */
function createTargetParser(allowInsecure: boolean): (url: string) => Target | AttemptFailure {
  const known = new Map<string, Target>()
  return (url) => {
    const parsed = known.get(url)
    if (parsed) return parsed
    const target = parseTarget(url, allowInsecure)
    if (target instanceof AttemptFailure) return target
    if (known.size >= MAX_KNOWN_URLS) known.clear()
    known.set(url, target)
    return target
  }
}

function parseTarget(url: string, allowInsecure: boolean): Target | AttemptFailure {
  const parsed = URL.parse(url)
  if (!parsed) return new AttemptFailure('blocked_address', 'This is not an absolute URL.')
  const refusal = checkUrlForm(parsed, allowInsecure)
  if (refusal) return new AttemptFailure('blocked_address', refusal.detail)
  return { origin: parsed.origin, path: parsed.pathname + parsed.search }
}

function withRedirectRefused(response: ReceivedResponse): ReceivedResponse {
  if (response.error || response.statusCode === null || !REDIRECTS.has(response.statusCode)) return response
  const location = response.responseHeaders?.location?.slice(0, 200)
  const detail = `Redirects are not followed${location ? ` (Location: ${location})` : ''}: register the final address.`
  return { ...response, error: { code: 'redirect', detail } }
}
