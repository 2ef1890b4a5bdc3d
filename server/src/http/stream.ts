import { Readable } from 'node:stream'
import { ApiError } from '@earshot/contracts'
import { laterCursor } from '@earshot/db'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthorizedRequest } from '../auth/caller.ts'
import { sendFailure, toApiError } from './failure.ts'
import type { FeedPoll } from './feed-poll.ts'
import type { InTeam, StreamPage } from './implement.ts'
import { createOpenStreams } from './open-streams.ts'
import type { Pipeline } from './pipeline.ts'
import { compileQuery } from './query.ts'
import { type ReplyHeaders, replyHeadersOf } from './reply-headers.ts'
import { type RequestFacts, requestFactsOf } from './request-facts.ts'
import { gather, singleHeader } from './rest.ts'

/** After this long a comment keeps the connection open, and the caller is authorized again. */
export const BEAT_MS = 15_000
const RECONNECT_MS = 1_000
/** What waits for a reader; while it is not taken nothing more is read from the database. */
const BUFFER_BYTES = 65_536
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-store',
  // Proxies that follow nginx would keep events until a buffer is full.
  'x-accel-buffering': 'no',
}

/** The headers have gone: there is nothing to add. */
const silent: ReplyHeaders = { rateLimit: () => {}, cookie: () => {} }

interface Reader {
  requestFacts: RequestFacts
  authorized: AuthorizedRequest
  fields: Record<string, unknown>
  /** Where the stream begins. */
  cursor: string
  request: FastifyRequest
  signal: AbortSignal
  beatMs: number
}

/** Registers a stream as a Fastify route: judged like any operation, then server-sent events as long as the reader may and stays. */
export function registerStream(
  app: FastifyInstance,
  pipeline: Pipeline,
  { baseUrl, feedPoll, beatMs = BEAT_MS }: { baseUrl: string; feedPoll: FeedPoll; beatMs?: number | undefined },
): void {
  const { path, input, queryFields, bodyFields } = pipeline.named.operation
  const ownOrigin = new URL(baseUrl).origin
  const readQuery = compileQuery(input, queryFields)
  const open = createOpenStreams()
  app.addHook('preClose', async () => open.endAll())
  app.route({
    method: 'GET',
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // A HEAD would have to begin what never ends.
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      request.authorized = await pipeline.authorize(requestFactsOf(request, ownOrigin), replyHeadersOf(reply))
    },
    handler: async (request, reply) => {
      const authorized = request.authorized as AuthorizedRequest // The hook above has run.
      const signal = open.enter(callerOf(authorized).actor.userId, reply.raw)
      const fields = { ...gather(request, readQuery, bodyFields), ...resumption(request) }
      // The first page shows before any header whether all is right.
      const first = await readPage(pipeline, authorized, fields)
      const cursor = typeof fields.cursor === 'string' ? fields.cursor : first.next_cursor
      const reader = { requestFacts: requestFactsOf(request, ownOrigin), authorized, fields, cursor, request, signal, beatMs }
      const chunks = chunksOf(pipeline, reader, feedPoll)
      return reply.headers(HEADERS).send(Readable.from(chunks, { objectMode: false, highWaterMark: BUFFER_BYTES }))
    },
    errorHandler: async (error, request, reply) => sendFailure(error, request, reply),
  })
}

/** The header of an EventSource that comes back goes before the cursor of its address, which stays the same. */
function resumption(request: FastifyRequest): { cursor?: string } {
  const id = singleHeader(request, 'last-event-id')
  return id ? { cursor: id } : {}
}

async function* chunksOf(pipeline: Pipeline, reader: Reader, feedPoll: FeedPoll): AsyncGenerator<string> {
  const { requestFacts, fields, request, signal, beatMs } = reader
  const feed = feedPoll(callerOf(reader.authorized).team.id)
  let { authorized, cursor } = reader
  let authorizedAt = performance.now()
  try {
    yield `retry: ${RECONNECT_MS}\n${message({ id: cursor, event: 'ready', data: JSON.stringify({ cursor }) })}`
    while (!signal.aborted) {
      if (performance.now() - authorizedAt >= beatMs) {
        authorized = await pipeline.reauthorize(requestFacts, silent)
        authorizedAt = performance.now()
        yield ':\n\n'
      }
      // Before the reading: what is not beyond it cannot be missed by it.
      const end = feed.end()
      const page = await readPage(pipeline, authorized, { ...fields, cursor })
      if (page.results.length > 0) {
        yield page.results.map((result) => messageOf(result, authorized)).join('')
        cursor = page.next_cursor
      } else {
        cursor = laterCursor(cursor, end ?? cursor)
        await feed.goesOn(end, { signal, timeoutMs: Math.max(0, authorizedAt + beatMs - performance.now()) })
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
  const answer = await pipeline.perform(authorized, fields, null)
  if ('refusal' in answer) throw answer.refusal
  return answer.output as StreamPage // Proven by `implement` for the operation of a stream.
}

function messageOf({ cursor, data, text }: StreamPage['results'][number], authorized: AuthorizedRequest): string {
  const { type } = data as { type: string } // Every event has one.
  return message({ id: cursor, event: type, data: callerOf(authorized).seesContacts ? text : JSON.stringify(data) })
}

/** WHATWG HTML, "Parsing an event stream": a line of data for each of its lines, and an empty line at the end. */
function message({ id, event, data }: { id?: string; event: string; data: string }): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\n${lines.join('')}\n`
}

/** Streams are a team's. */
function callerOf({ caller }: AuthorizedRequest): Pick<InTeam, 'actor' | 'team' | 'seesContacts'> {
  if (!('team' in caller)) throw new ApiError('not_found')
  return caller
}
