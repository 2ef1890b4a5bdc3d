import { EarshotApiError, EarshotConnectionError } from './errors.ts'
import type { ErrorBody } from './models.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { outputOf, type Reply, retryAfterSeconds, sendOnce } from './reply.ts'
import { codeOf } from './statuses.ts'
import { startWatchdog } from './watchdog.ts'

const TUS_VERSION = '1.0.0'
const UPLOAD_TOKEN_HEADER = 'x-upload-token'
/** How long one request may take. What arrived of it is kept, so even a slow connection makes progress. */
const REQUEST_MS = 60_000

/** Where to upload a file: the `upload` of a reservation. */
export interface UploadTarget {
  url: string
  token: string
}

/** What the service has of a file. */
interface Received {
  offsetBytes: number
  /** Null if the size was not reserved. */
  sizeBytes: number | null
}

/** Requests of tus 1.0 (https://tus.io) for one upload. Each is sent once. */
export interface TusUpload {
  /** Asks what has arrived. */
  head(): Promise<Received>
  /** Sends bytes from an offset. Returns the new offset. */
  patch(offsetBytes: number, bytes: Uint8Array<ArrayBuffer>): Promise<number>
}

/**
 * Sends to the address of the client, because the service may know itself by another address. The token authorizes the requests, so
 * they carry no other credential. Throws EarshotApiError, EarshotConnectionError and the reason of the signal.
 */
export function openTusUpload(
  options: ClientOptions,
  { url, token }: UploadTarget,
  call: Pick<CallOptions, 'signal' | 'headers'>,
): TusUpload {
  const { fetch = globalThis.fetch, baseUrl, userAgent } = options
  const path = /\/api\/(public\/)?v1\/.*/.exec(new URL(url).pathname)?.[0]
  if (path === undefined) throw new TypeError(`${url} is not an address for an upload`)
  const address = new URL(baseUrl.replace(/\/+$/, '') + path).href
  const headers = {
    accept: 'application/json',
    ...(userAgent && { 'user-agent': userAgent }),
    ...options.headers,
    ...call.headers,
    'tus-resumable': TUS_VERSION,
    [UPLOAD_TOKEN_HEADER]: token,
  }

  async function send(method: 'HEAD' | 'PATCH', extra: Record<string, string>, body?: Uint8Array<ArrayBuffer>): Promise<Reply> {
    const init: RequestInit = { method, headers: { ...headers, ...extra }, redirect: 'manual', credentials: 'omit', ...(body && { body }) }
    const watchdog = startWatchdog(call.signal)
    watchdog.expectWithin(REQUEST_MS, () => new EarshotConnectionError(`${address} did not respond within ${REQUEST_MS / 1000} s.`))
    try {
      return await sendOnce(fetch, { address, init }, watchdog.signal)
    } finally {
      watchdog.stop()
    }
  }

  return {
    head: async () => {
      const reply = await send('HEAD', {})
      if (reply.status !== 200) throw failureOfHead(reply)
      const size = reply.headers.get('upload-length')
      return { offsetBytes: offsetOf(reply), sizeBytes: size === null ? null : Number(size) }
    },
    patch: async (offsetBytes, bytes) => {
      const extra = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offsetBytes) }
      const reply = await send('PATCH', extra, bytes)
      // Throws the refusal, or that another server responded.
      outputOf(reply)
      return offsetOf(reply)
    },
  }
}

function offsetOf({ address, headers }: Reply): number {
  const offset = headers.get('upload-offset')
  if (offset !== null && /^\d+$/.test(offset)) return Number(offset)
  throw new EarshotConnectionError(`${address} responded without Upload-Offset. Is it the address of the service?`)
}

/** A response to HEAD has no body (RFC 9110 §9.3.2): the status stands for the error. */
function failureOfHead({ address, status, headers }: Reply): Error {
  const code = codeOf(status)
  if (!code || !headers.has('tus-resumable'))
    return new EarshotConnectionError(`${address} responded to HEAD with ${status}. Is it the address of the service?`)
  const body: ErrorBody = {
    code,
    detail: `The service refused the upload with status ${status}.`,
    request_id: headers.get('x-request-id') ?? '',
  }
  return new EarshotApiError(status, body, retryAfterSeconds(headers))
}
