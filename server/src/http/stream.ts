import { Readable } from 'node:stream'
import { ApiError } from '@earshot/contracts'
import { laterCursor } from '@earshot/db'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { InTeam } from '../auth/callers.ts'
import { type ReplyHeaders, replyHeadersOf } from '../auth/reply-headers.ts'
import { type RequestFacts, requestFactsOf } from '../auth/request-facts.ts'
import { sendFailure, toApiError } from './failure.ts'
import type { FeedPoll } from './feed-poll.ts'
import type { StreamPage } from './implement.ts'
import { createOpenStreams } from './open-streams.ts'
import type { AuthorizedRequest, Pipeline } from './pipeline.ts'
import { compileQuery } from './query.ts'
import { collectInput, singleHeader } from './rest.ts'

/** How often a comment keeps the connection open and the reader is authorized again. */
export const HEARTBEAT_MS = 15_000
const RECONNECT_MS = 1_000
/** Buffered bytes for a slow reader. While the buffer is full, nothing more is read from the database. */
const BUFFER_BYTES = 65_536
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-store',
  // nginx and compatible proxies would buffer events otherwise.
  'x-accel-buffering': 'no',
}

/** The headers were sent with the first message. */
const silent: ReplyHeaders = { rateLimit: () => {}, cookie: () => {} }

interface Reader {
  requestFacts: RequestFacts
  authorized: AuthorizedRequest
  fields: Record<string, unknown>
  /** Where the stream starts. */
  cursor: string
  request: FastifyRequest
  signal: AbortSignal
  heartbeatMs: number
}

/** Registers a stream as a Fastify route: server-sent events for as long as the reader stays authorized and connected. */
export function registerStream(
  app: FastifyInstance,
  pipeline: Pipeline,
  { baseUrl, feedPoll, heartbeatMs = HEARTBEAT_MS }: { baseUrl: string; feedPoll: FeedPoll; heartbeatMs?: number | undefined },
): void {
  const { path, input, queryFields, bodyFields } = pipeline.named.operation
  const ownOrigin = new URL(baseUrl).origin
  const readQuery = compileQuery(input, queryFields)
  const open = createOpenStreams()
  app.addHook('preClose', async () => open.endAll())
  app.route({
    method: 'GET',
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // A HEAD request would have to start an endless response.
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      request.authorized = await pipeline.authorize(requestFactsOf(request, ownOrigin), replyHeadersOf(reply))
    },
    handler: async (request, reply) => {
      const authorized = request.authorized as AuthorizedRequest // The hook above has run.
      const signal = open.enter(callerOf(authorized).actor.userId, reply.raw)
      const fields = { ...collectInput(request, readQuery, bodyFields), ...resumption(request) }
      // Reads the first page before sending headers, so that its errors are ordinary responses.
      const first = await readPage(pipeline, authorized, fields)
      const cursor = typeof fields.cursor === 'string' ? fields.cursor : first.next_cursor
      const reader = { requestFacts: requestFactsOf(request, ownOrigin), authorized, fields, cursor, request, signal, heartbeatMs }
      const chunks = chunksOf(pipeline, reader, feedPoll)
      return reply.headers(HEADERS).send(Readable.from(chunks, { objectMode: false, highWaterMark: BUFFER_BYTES }))
    },
    errorHandler: async (error, request, reply) => sendFailure(error, request, reply),
  })
}

/** `Last-Event-ID` precedes the cursor: a reconnecting EventSource sends the header and the original address. */
function resumption(request: FastifyRequest): { cursor?: string } {
  const id = singleHeader(request, 'last-event-id')
  return id ? { cursor: id } : {}
}

async function* chunksOf(pipeline: Pipeline, reader: Reader, feedPoll: FeedPoll): AsyncGenerator<string> {
  const { requestFacts, fields, request, signal, heartbeatMs } = reader
  const feed = feedPoll(callerOf(reader.authorized).team.id)
  let { authorized, cursor } = reader
  let authorizedAt = performance.now()
  try {
    yield `retry: ${RECONNECT_MS}\n${message({ id: cursor, event: 'ready', data: JSON.stringify({ cursor }) })}`
    while (!signal.aborted) {
      if (performance.now() - authorizedAt >= heartbeatMs) {
        authorized = await pipeline.reauthorize(requestFacts, silent)
        authorizedAt = performance.now()
        yield ':\n\n'
      }
      // Taken before the page is read, so that an event committed in between ends the wait below.
      const end = feed.end()
      const page = await readPage(pipeline, authorized, { ...fields, cursor })
      if (page.results.length > 0) {
        yield page.results.map((result) => messageOf(result, authorized)).join('')
        cursor = page.next_cursor
      } else {
        cursor = laterCursor(cursor, end ?? cursor)
        await feed.goesOn(end, { signal, timeoutMs: Math.max(0, authorizedAt + heartbeatMs - performance.now()) })
      }
    }
  } catch (error) {
    if (signal.aborted) return
    const failure = toApiError(error)
    if (failure.status >= 500) request.log.warn({ err: failure.cause ?? error }, 'stream ended')
    yield message({ event: 'error', data: JSON.stringify(failure.toBody(request.id)) })
  } finally {
    feed.close()
  }
}

async function readPage(pipeline: Pipeline, authorized: AuthorizedRequest, fields: Record<string, unknown>): Promise<StreamPage> {
  const result = await pipeline.perform(authorized, fields, null)
  if ('refusal' in result) throw result.refusal
  return result.output as StreamPage // `implement` has checked that the handler of a stream returns pages.
}

function messageOf({ cursor, data, text }: StreamPage['results'][number], authorized: AuthorizedRequest): string {
  const { type } = data as { type: string } // Every event has a type.
  return message({ id: cursor, event: type, data: callerOf(authorized).seesContacts ? text : JSON.stringify(data) })
}

/** Encodes a message (WHATWG HTML, "Parsing an event stream"): each line of the data is prefixed; an empty line ends it. */
function message({ id, event, data }: { id?: string; event: string; data: string }): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\n${lines.join('')}\n`
}

/** Returns the caller of a stream. Only operations of a team are streams. */
function callerOf({ caller }: AuthorizedRequest): Pick<InTeam, 'actor' | 'team' | 'seesContacts'> {
  if (!('team' in caller)) throw new ApiError('not_found')
  return caller
}
