import { EarshotConnectionError } from './errors.ts'
import type { Import, ReservedImport } from './models.ts'
import { readOperation } from './operation.ts'
import { operations } from './operations.ts'
import type { ClientOptions, UploadFile, UploadOptions } from './options.ts'
import { outputOf, type Reply, sendOnce } from './reply.ts'
import { headersOf, type PreparedRequest } from './request.ts'
import { MAX_RETRIES, sendWithRetries } from './retry.ts'
import { startWatchdog } from './watchdog.ts'

/** The longest time of a timer: 24 days. */
export const UNLIMITED_MS = 2_147_483_647
/** How long a stream may make no progress. What is sent already may be on its way for most of it. */
const STALL_MS = 120_000

/**
 * Uploads the file of an import that was created with `size_bytes`, to `upload` and with the credentials of the client. Complete
 * the import next: `client.imports.complete({ team_id, project_id, import_id })`. A file of another size throws a TypeError.
 *
 * In Node, `await openAsBlob(path)` of `node:fs` is a file that is read as it is sent. Browsers take a Blob or bytes: they send
 * streams over HTTP/2 only. Retries and throws like the methods of the client. A stream that makes no progress for two minutes
 * throws EarshotConnectionError.
 */
export async function uploadImportFile(
  options: ClientOptions,
  { upload }: ReservedImport,
  file: UploadFile,
  call: UploadOptions = {},
): Promise<Import> {
  if (!upload) throw new TypeError('The import was not created with size_bytes')
  const { fetch = globalThis.fetch, maxRetries = MAX_RETRIES } = options
  const sizeBytes = upload.max_bytes
  const request = requestOf(upload.url, options, call)
  const policy = {
    maxRetries: file instanceof ReadableStream ? 0 : maxRetries,
    timeoutMs: call.timeoutMs ?? UNLIMITED_MS,
    signal: call.signal,
  }
  const reply = await sendWithRetries((signal) => {
    if (typeof file === 'function') return sendStream(fetch, request, { stream: file(), sizeBytes, signal })
    if (file instanceof ReadableStream) return sendStream(fetch, request, { stream: file, sizeBytes, signal })
    requireSize(file instanceof Blob ? file.size : file.byteLength, sizeBytes)
    return sendOnce(fetch, withBody(request, file, sizeBytes), signal)
  }, policy)
  return outputOf(reply) as Import // The service checked it.
}

/** The service may know itself by another address than its callers do, and credentials are sent to `baseUrl` alone. */
function requestOf(url: string, options: ClientOptions, call: UploadOptions): PreparedRequest {
  const path = /\/api\/v1\/.*/.exec(new URL(url).pathname)?.[0]
  if (path === undefined) throw new TypeError(`${url} is not an address for an upload`)
  // The headers of a GET: without an idempotency key, and not of JSON.
  const headers = headersOf({ ...readOperation(operations.imports.complete), method: 'GET' }, options, {
    ...call,
    headers: { 'content-type': 'text/csv', ...call.headers },
  })
  return { address: new URL(options.baseUrl.replace(/\/+$/, '') + path).href, init: { method: 'PUT', headers, redirect: 'manual' } }
}

interface Sending {
  stream: ReadableStream<Uint8Array>
  sizeBytes: number
  signal: AbortSignal
}

/** Sends a stream once, for as long as it makes progress. Throws what the stream throws. */
async function sendStream(
  fetch: typeof globalThis.fetch,
  request: PreparedRequest,
  { stream, sizeBytes, signal }: Sending,
): Promise<Reply> {
  const watchdog = startWatchdog(signal)
  let failure: unknown
  const onProgress = () => {
    watchdog.expectWithin(STALL_MS, () => new EarshotConnectionError(`The upload made no progress for ${STALL_MS / 1000} s.`))
  }
  const onFailure = (error: unknown) => {
    failure = error
  }
  onProgress()
  try {
    const body = observed(stream, { sizeBytes, onProgress, onFailure })
    return await sendOnce(fetch, withBody(request, body, sizeBytes), watchdog.signal)
  } catch (error) {
    throw failure ?? error
  } finally {
    watchdog.stop()
  }
}

interface Observation {
  sizeBytes: number
  onProgress: () => void
  onFailure: (error: unknown) => void
}

/** Passes on what is read from a stream. A stream of another length fails. */
function observed(stream: ReadableStream<Uint8Array>, { sizeBytes, onProgress, onFailure }: Observation): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let sentBytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        onProgress()
        sentBytes += value?.byteLength ?? 0
        if (done || sentBytes > sizeBytes) requireSize(sentBytes, sizeBytes)
        if (value) controller.enqueue(value)
        else controller.close()
      } catch (error) {
        onFailure(error)
        controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Throws a TypeError unless the sizes are the same. */
export function requireSize(actualBytes: number, reservedBytes: number): void {
  if (actualBytes === reservedBytes) return
  throw new TypeError(`The file has ${actualBytes > reservedBytes ? 'more' : 'less'} than the ${reservedBytes} bytes that were reserved`)
}

function withBody({ address, init }: PreparedRequest, body: Exclude<UploadFile, () => unknown>, sizeBytes: number): PreparedRequest {
  const headers = new Headers(init.headers)
  // Node sends a stream with this length. Browsers ignore it: they set the length themselves.
  headers.set('content-length', String(sizeBytes))
  // Node requires `duplex` for a stream (Fetch Standard §5.4), which the types of browsers lack.
  return { address, init: { ...init, headers, body, duplex: 'half' } as RequestInit }
}
