import { type AddressRules, checkUrlForm, type OwnAddresses, type ResolveName, resolveName } from '@earshot/drivers'
import { AttemptFailure } from './attempt-error.ts'
import { createDeliveryAgent } from './delivery-agent.ts'
import { type Answer, Exchange, type ExchangeLimits } from './exchange.ts'
import { createPinnedConnector } from './pinned-connector.ts'
import { readRetryAfterSeconds } from './retry-after.ts'

/** RFC 9110 §15.4: those that send the client elsewhere. */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 307, 308])

export interface SenderOptions extends Partial<ExchangeLimits> {
  rules: AddressRules
  /** Where this service itself answers: never a receiver. */
  ownAddresses: OwnAddresses
  /** Whether plain http is allowed. */
  allowInsecure: boolean
  userAgent: string
  /** The system's resolver when left out. */
  resolve?: ResolveName
}

export interface DeliveryRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  /** Ends the attempt as `interrupted`. */
  signal?: AbortSignal
}

/** What came of one attempt; the same words as the API's Attempt. */
export interface SendResult extends Answer {
  durationMs: number
  /** What the answer's Retry-After asks for, in either of its forms. */
  retryAfterSeconds: number | null
}

export interface Sender {
  /** Sends one POST. Never throws and never rejects: a failure is a result with `error`. */
  send: (request: DeliveryRequest) => Promise<SendResult>
  /** Closes all connections at once; what is in flight comes back as `interrupted`. */
  close: () => Promise<void>
}

/** The limits of every attempt. */
export const EXCHANGE_LIMITS: ExchangeLimits = { connectTimeoutMs: 10_000, answerTimeoutMs: 30_000, maxResponseBytes: 65_536 }

export function createSender({ rules, ownAddresses, allowInsecure, userAgent, resolve = resolveName, ...limits }: SenderOptions): Sender {
  const { connectTimeoutMs, answerTimeoutMs, maxResponseBytes } = { ...EXCHANGE_LIMITS, ...limits }
  const connector = createPinnedConnector({ rules, ownAddresses, resolve, connectTimeoutMs })
  const agent = createDeliveryAgent(connector.connect)

  async function exchange({ url, headers, body, signal }: DeliveryRequest): Promise<Answer> {
    const exchange = new Exchange({ connectTimeoutMs, answerTimeoutMs, maxResponseBytes })
    const interrupt = () => exchange.abort(new AttemptFailure('interrupted', 'The attempt was interrupted by the sender.'))
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted) interrupt()
    const refusal = refuseUrl(url, allowInsecure)
    if (refusal) {
      exchange.abort(refusal)
    } else {
      const { origin, pathname, search } = new URL(url)
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers: { ...headers, 'User-Agent': userAgent }, body }, exchange)
    }
    const answer = await exchange.answer
    signal?.removeEventListener('abort', interrupt)
    return answer
  }

  return {
    async send(request) {
      const startedAt = performance.now()
      const answer = withRedirectRefused(await exchange(request))
      const durationMs = Math.round(performance.now() - startedAt)
      return { ...answer, durationMs, retryAfterSeconds: readRetryAfterSeconds(answer.responseHeaders) }
    },
    async close() {
      connector.close()
      await agent.destroy()
    },
  }
}

/** A URL that registration would refuse may still come from a time of other rules. */
function refuseUrl(url: string, allowInsecure: boolean): AttemptFailure | null {
  if (!URL.canParse(url)) return new AttemptFailure('blocked_address', 'This is not a complete URL.')
  const refusal = checkUrlForm(new URL(url), allowInsecure)
  return refusal && new AttemptFailure('blocked_address', refusal.detail)
}

function withRedirectRefused(answer: Answer): Answer {
  if (answer.error || answer.statusCode === null || !REDIRECTS.has(answer.statusCode)) return answer
  const location = answer.responseHeaders?.location?.slice(0, 200)
  const detail = `Redirects are not followed${location ? ` (Location: ${location})` : ''}: register the final address.`
  return { ...answer, error: { code: 'redirect', detail } }
}
