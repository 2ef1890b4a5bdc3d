import { type ImageFailure, sizes } from '@earshot/contracts'
import { checkUrlForm } from '@earshot/drivers'
import type { Dispatcher } from 'undici'
import { AttemptFailure, toAttemptError } from '../sending/attempt-error.ts'
import type { PinnedConnector } from '../sending/pinned-connector.ts'
import { Agent } from '../sending/undici.ts'

/** From the first look-up to the last byte, with all redirects. */
const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 3
/** Statuses that name another address (RFC 9110 §15.4). */
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Those that may be another answer later. */
const PASSING_STATUSES = new Set([408, 425, 429])

/** An image could not be fetched. When it `isFinal`, another attempt would end the same way. */
export class FetchFailure extends Error {
  readonly code: ImageFailure
  readonly isFinal: boolean

  constructor(code: ImageFailure, { isFinal = true, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(code, options)
    this.name = 'FetchFailure'
    this.code = code
    this.isFinal = isFinal
  }
}

interface FetchOptions {
  connector: PinnedConnector
  userAgent: string
  /** Ends the fetch with the signal's reason. */
  signal: AbortSignal
  timeoutMs?: number
}

/**
 * Fetches what may be an image from another site, at most `sizes.imageBytes` of it, whatever it says of its length. Every address on the
 * way is checked and pinned as those of webhooks are. The request says nothing of the team or of a person. Throws a `FetchFailure`.
 */
export async function fetchImage(url: string, { connector, userAgent, signal, timeoutMs = TIMEOUT_MS }: FetchOptions): Promise<Buffer> {
  const timeout = AbortSignal.timeout(timeoutMs)
  // Of this fetch alone, so that closing it ends a transfer that is not read to its end.
  const agent = new Agent({ connect: connector.connect, allowH2: false, headersTimeout: 0, bodyTimeout: 0 })
  try {
    return await follow(url, { agent, userAgent, signal: AbortSignal.any([signal, timeout]) })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof FetchFailure) throw error
    if (timeout.aborted) throw new FetchFailure('timeout', { isFinal: false, cause: error })
    const { code } = toAttemptError(error)
    if (code === 'blocked_address') throw new FetchFailure('blocked_address', { cause: error })
    throw new FetchFailure('unreachable', { isFinal: false, cause: error })
  } finally {
    await agent.destroy()
  }
}

interface Way {
  agent: Agent
  userAgent: string
  signal: AbortSignal
}

async function follow(first: string, way: Way): Promise<Buffer> {
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(url, way)
    const { statusCode, headers } = response
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) return read(response)
    // What a redirect says beside the address is not read.
    response.body.on('error', () => {}).destroy()
    const next = URL.parse([headers.location].flat()[0] ?? '', url)
    if (next === null) throw new FetchFailure('not_found')
    url = next.href
  }
  throw new FetchFailure('too_many_redirects')
}

async function request(url: string, { agent, userAgent, signal }: Way): Promise<Dispatcher.ResponseData> {
  const parsed = URL.parse(url)
  if (parsed === null) throw new FetchFailure('not_found')
  const refusal = checkUrlForm(parsed, true)
  if (refusal) throw new AttemptFailure('blocked_address', refusal.detail)
  const { origin, pathname, search } = parsed
  // Without compression: what is counted is what is read.
  const headers = { accept: 'image/webp,image/avif,image/png,image/jpeg,image/gif', 'accept-encoding': 'identity', 'user-agent': userAgent }
  return agent.request({ origin, path: pathname + search, method: 'GET', headers, signal })
}

async function read({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  // Never without a listener: it is destroyed in the middle.
  body.on('error', () => {})
  if (statusCode !== 200) throw new FetchFailure('not_found', { isFinal: statusCode < 500 && !PASSING_STATUSES.has(statusCode) })
  if (Number(headers['content-length']) > sizes.imageBytes) throw new FetchFailure('too_large')
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > sizes.imageBytes) throw new FetchFailure('too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
