import { EarshotApiError, EarshotConnectionError } from './errors.ts'
import type { ErrorBody } from './models.ts'
import type { PreparedRequest } from './request.ts'

/** A response, read to its end. */
export interface Reply {
  address: string
  status: number
  headers: Headers
  text: string
}

/** Sends once. Network failures become an EarshotConnectionError; an abort throws the signal's reason. What a given `fetch` throws otherwise stays as it is. */
export async function sendOnce(fetch: typeof globalThis.fetch, request: PreparedRequest, signal: AbortSignal): Promise<Reply> {
  const { address, init } = request
  let response: Response | undefined
  try {
    response = await fetch(address, { ...init, signal })
    return { address, status: response.status, headers: response.headers, text: await response.text() }
  } catch (cause) {
    signal.throwIfAborted()
    throw failureOf(cause, address, response)
  }
}

/**
 * Returns what a call throws after `fetch` has failed, or reading its response: an EarshotConnectionError for a failure of the network,
 * which `fetch` reports as a TypeError (Fetch standard §5.6), and for all that breaks a response. Another error is of a `fetch` that the
 * caller gave, and stays as it is.
 */
export function failureOf(cause: unknown, address: string, response: Response | undefined): unknown {
  if (cause instanceof EarshotApiError || cause instanceof EarshotConnectionError) return cause
  if (response === undefined && !(cause instanceof Error && cause.name === 'TypeError')) return cause
  return new EarshotConnectionError(`${new URL(address).origin} is not reachable: ${reasonOf(cause)}.`, { cause })
}

/** Returns the output, undefined for 204. Throws EarshotApiError, or EarshotConnectionError if another server responded. */
export function outputOf(reply: Reply): unknown {
  if (reply.status === 204) return undefined
  const body = parseJson(reply.text)
  if (body !== undefined && reply.status >= 200 && reply.status < 300) return body
  if (isErrorBody(body)) throw new EarshotApiError(reply.status, body, retryAfterSeconds(reply.headers))
  const type = reply.headers.get('content-type') ?? 'no content type'
  const found = body === undefined ? `${type} instead of JSON` : 'JSON of another kind'
  throw new EarshotConnectionError(`${reply.address} responded with ${reply.status} and ${found}. Is it the address of the service?`)
}

/** Reads Retry-After (RFC 9110 §10.2.3): seconds or a date. Undefined if missing or malformed. */
export function retryAfterSeconds(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns whether it is an error body of the service. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' && 'detail' in body
}

/** Returns the reason of a failed fetch, which is in the cause: an error with a code, or an AggregateError of such errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
