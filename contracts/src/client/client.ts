import type { z } from 'zod'
import type { Contracts } from '../index.ts'
import type { Method, Operation } from '../operation.ts'
import { takesKey } from '../operation-names.ts'
import { type ClientOperation, type OperationTexts, readOperation } from './operation.ts'
import { operations } from './operations.ts'
import type {
  CallOptions,
  ClientOptions,
  Export,
  ExportOptions,
  Page,
  PagedPromise,
  Streamed,
  StreamOptions,
  VideoMethods,
} from './options.ts'
import { paged } from './pages.ts'
import { outputOf, sendOnce } from './reply.ts'
import { requestOf } from './request.ts'
import { MAX_RETRIES, sendWithRetries } from './retry.ts'

const TIMEOUT_MS = 30_000

/** One method per operation, under the operation's name, and `videos.upload`. */
export type Client = ClientOf<Contracts> & { readonly videos: VideoMethods }

type ClientOf<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Operation<Method, string, infer Input, infer Output>
    ? Tree[Name] extends { stream: 'events' }
      ? (input: z.input<Input>, options?: StreamOptions) => AsyncIterable<Streamed<z.output<Output>>>
      : Tree[Name] extends { stream: 'records' }
        ? (input: Omit<z.input<Input>, 'format'>, options?: ExportOptions) => Export<z.output<Output>>
        : Call<z.input<Input>, z.output<Output>>
    : ClientOf<Tree[Name]>
}

/** A call. Its input is optional if all fields are. */
type Call<Input, Output> =
  Record<never, never> extends Input
    ? (input?: Input, options?: CallOptions) => CallResult<Output>
    : (input: Input, options?: CallOptions) => CallResult<Output>

type CallResult<Output> = Output extends Page<infer Item> ? PagedPromise<Output, Item> : Promise<Output>

// What few programs use is loaded with its first use: streams, exports and uploads.

/**
 * Creates a client, for Node and browsers: `await client.submissions.approve({ team_id, project_id, submission_id })`.
 * A list resolves to its first page, and iterates over all items: `for await (const team of client.teams.list())`.
 * An export yields all records of a list: `for await (const submission of client.submissions.export({ team_id, project_id }))`.
 * A video is uploaded by one call: `await client.videos.upload({ team_id, project_id }, file, { onProgress, signal })`.
 * A stream continues until the connection drops: `for await (const { cursor, data } of client.events.stream({ team_id }))`.
 *
 * Calls throw EarshotApiError when the service refuses, EarshotConnectionError when it cannot be reached, EarshotTimeoutError
 * after `timeoutMs`, and the reason of an aborted signal.
 */
export function createClient(options: ClientOptions): Client {
  // Proven: the walk below creates a method wherever ClientOf has one.
  const client = methodsOf(operations, options) as ClientOf<Contracts>
  const upload: VideoMethods['upload'] = async (...upload) => {
    const { videoUploader } = await import('./upload-video.ts')
    return videoUploader(options, client.videos)(...upload)
  }
  return { ...client, videos: { ...client.videos, upload } }
}

function methodsOf(tree: OperationTexts, options: ClientOptions): object {
  const entries = Object.entries(tree).map(([name, node]) => [
    name,
    typeof node === 'string' ? methodOf(node, options) : methodsOf(node, options),
  ])
  return Object.fromEntries(entries)
}

type AnyMethod = (input?: object, call?: CallOptions) => unknown

/** Its text is read with the first call: a program that starts calls few of them. */
function methodOf(text: string, options: ClientOptions): AnyMethod {
  let method: AnyMethod | undefined
  return (input, call) => {
    method ??= readMethod(readOperation(text), options)
    return method(input, call)
  }
}

function readMethod(operation: ClientOperation, options: ClientOptions): AnyMethod {
  if (operation.stream === 'events') return (input = {}, call = {}) => streamOf(operation, input, options, call)
  if (operation.stream === 'records') return (input = {}, call = {}) => exportOf(operation, input, options, call)
  const send = (input: object, call: CallOptions) => callOperation(operation, input, options, call)
  if (!operation.pages) return (input = {}, call = {}) => send(input, call)
  return (input = {}, call = {}) => {
    const sendPage = async (fields: object) => (await send(fields, call)) as Page<unknown> // Proven: it returns pages.
    return paged(sendPage(input), (cursor) => sendPage({ ...input, cursor }), operation.pages === 'feed')
  }
}

async function* streamOf(operation: ClientOperation, input: { cursor?: string }, options: ClientOptions, call: StreamOptions) {
  const { openStream, resumed } = await import('./stream.ts')
  const { fetch = globalThis.fetch } = options
  const headers = { accept: 'text/event-stream', ...call.headers }
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS
  const open = (cursor: string | undefined) =>
    openStream(fetch, requestOf(operation, { ...input, cursor }, options, { ...call, headers }), { ...call, timeoutMs })
  yield* resumed(open, input.cursor, call.onExpired)
}

function exportOf(operation: ClientOperation, input: { cursor?: string }, options: ClientOptions, call: ExportOptions): Export<object> {
  const { fetch = globalThis.fetch, maxRetries = MAX_RETRIES } = options
  const { signal, timeoutMs = options.timeoutMs ?? TIMEOUT_MS } = call
  const open = async function* (format: 'ndjson' | 'csv', cursor: string | undefined) {
    const { readBytes } = await import('./records.ts')
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
    const request = requestOf(operation, { ...input, format, cursor }, options, { ...call, headers: { accept: type, ...call.headers } })
    yield* readBytes(fetch, request, { type, signal, timeoutMs })
  }
  return {
    async *[Symbol.asyncIterator]() {
      const { continued, readRecords } = await import('./records.ts')
      const recordsFrom = (cursor: string | undefined) => readRecords<{ id: string }>(open('ndjson', cursor))
      yield* continued(recordsFrom, { start: input.cursor, maxRetries, signal })
    },
    csv: () => open('csv', input.cursor),
  }
}

async function callOperation(operation: ClientOperation, input: object, options: ClientOptions, call: CallOptions): Promise<unknown> {
  const { fetch = globalThis.fetch, maxRetries = MAX_RETRIES } = options
  const request = requestOf(operation, { ...input }, options, call)
  const { waitsSeconds = 0 } = operation
  // What takes no idempotency key could run twice, or use up a value such as a refresh token or a code.
  const isRepeatable = operation.method === 'POST' ? takesKey(operation) : operation.access !== 'account'
  const policy = {
    maxRetries: isRepeatable ? maxRetries : 0,
    timeoutMs: call.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS + waitsSeconds * 1000,
    signal: call.signal,
  }
  return outputOf(await sendWithRetries((signal) => sendOnce(fetch, request, signal), policy))
}
