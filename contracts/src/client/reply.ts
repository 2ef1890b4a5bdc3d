import type { ErrorBody } from '../errors.ts'
import { EarshotApiError, EarshotConnectionError } from './errors.ts'
import type { PreparedRequest } from './request.ts'

/** An answer, read to its end. */
export interface Reply {
  address: string
  status: number
  headers: Headers
  text: string
}

/** Sends once. Network failures become an EarshotConnectionError; an abort throws the signal's reason. */
export async function sendOnce(fetch: typeof globalThis.fetch, request: PreparedRequest, signal: AbortSignal): Promise<Reply> {
  const { address, init } = request
  try {
    const response = await fetch(address, { ...init, signal })
    return { address, status: response.status, headers: response.headers, text: await response.text() }
  } catch (cause) {
    signal.throwIfAborted()
    throw new EarshotConnectionError(`${new URL(address).origin} is not reachable: ${reasonOf(cause)}.`, { cause })
  }
}

/** The output of the operation, undefined for 204. Throws EarshotApiError, or EarshotConnectionError when it is not the service that answered. */
export function outputOf(reply: Reply): unknown {
  if (reply.status === 204) return undefined
  const body = parseJson(reply.text)
  if (body !== undefined && reply.status >= 200 && reply.status < 300) return body
  if (isErrorBody(body)) throw new EarshotApiError(reply.status, body, retryAfterSeconds(reply.headers))
  throw new EarshotConnectionError(
    `${reply.address} answered ${reply.status} with ${reply.headers.get('content-type') ?? 'no content type'} instead of the service's JSON; is this its address?`,
  )
}

/** RFC 9110 §10.2.3: seconds or a date. Undefined without a sane one. */
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

/** Whether it is a failure as the service words it. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' && 'detail' in body
}

/** fetch says "fetch failed" and hides why in the cause: an error with a code, or an AggregateError of such. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
