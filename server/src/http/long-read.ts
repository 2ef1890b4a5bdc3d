import { Readable } from 'node:stream'
import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InProject } from '../auth/callers.ts'
import { patienceOfPage } from '../auth/patience.ts'
import { type ReplyHeaders, replyHeadersOf } from '../auth/reply-headers.ts'
import { requestFactsOf } from '../auth/request-facts.ts'
import { sendFailure } from './failure.ts'
import type { OpenStreams } from './open-streams.ts'
import type { AuthorizedRequest, Pipeline } from './pipeline.ts'
import { compileQuery } from './query.ts'
import { collectInput } from './rest.ts'

/** How often the reader is authorized again. */
export const HEARTBEAT_MS = 15_000
/** Buffered bytes for a slow reader. While the buffer is full, nothing more is read from the database. */
const BUFFER_BYTES = 65_536
/** nginx and compatible proxies would buffer the response otherwise. */
const HEADERS = { 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' }
/** The headers were sent with the first bytes. */
const silent: ReplyHeaders = { rateLimit: () => {}, cookie: () => {} }

type Caller = Pick<InProject, 'actor' | 'project' | 'seesContacts'>

/** A response that is read over a long time, page by page. */
export interface LongRead {
  request: FastifyRequest
  fields: Record<string, unknown>
  /** The caller, as authorized last. */
  caller: () => Caller
  /** Aborts when the reader leaves or the service stops. */
  signal: AbortSignal
  /** When the reader has to be authorized again, as `performance.now()`. */
  dueMs: () => number
  /** Authorizes the reader again when that is due, and returns whether it was. Throws when it is refused. */
  authorizeAgain: () => Promise<boolean>
  /** Performs the operation for a page. */
  readPage: <Page>(fields: Record<string, unknown>) => Promise<Page>
}

/** What a response consists of: its own headers and its bytes. */
interface Opened {
  headers: Record<string, string>
  chunks: AsyncIterable<string>
}

interface Kind {
  /** Those that are open; it limits how many a person has. */
  running: OpenStreams
  heartbeatMs?: number | undefined
  /** Reads the first page before the headers are sent, so that its errors are ordinary responses. */
  open: (read: LongRead) => Promise<Opened>
}

/** Registers an operation of a team as a Fastify route whose response takes long, while the reader stays authorized and connected. */
export function registerLongRead(
  app: FastifyInstance,
  pipeline: Pipeline,
  { baseUrl, running, heartbeatMs = HEARTBEAT_MS, open }: Kind & { baseUrl: string },
): void {
  const { operation } = pipeline.named
  const { path, input, queryFields } = operation
  const ownOrigin = new URL(baseUrl).origin
  const readQuery = compileQuery(input, queryFields)
  app.addHook('preClose', async () => running.endAll())
  app.route({
    method: 'GET',
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // A HEAD request would have to read everything.
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      request.authorized = await pipeline.authorize(requestFactsOf(request, ownOrigin), replyHeadersOf(reply))
    },
    handler: async (request, reply: FastifyReply) => {
      const authorized = request.authorized as AuthorizedRequest // The hook above has run.
      const signal = running.enter(callerOf(authorized).actor.userId, reply.raw)
      const fields = collectInput(request, readQuery, operation)
      const access = accessOf(pipeline, authorized, { request, ownOrigin, heartbeatMs })
      const { headers, chunks } = await open({ request, fields, signal, ...access })
      return reply.headers({ ...HEADERS, ...headers }).send(Readable.from(chunks, { objectMode: false, highWaterMark: BUFFER_BYTES }))
    },
    errorHandler: async (error, request, reply) => sendFailure(error, request, reply),
  })
}

function accessOf(
  pipeline: Pipeline,
  first: AuthorizedRequest,
  { request, ownOrigin, heartbeatMs }: { request: FastifyRequest; ownOrigin: string; heartbeatMs: number },
): Pick<LongRead, 'caller' | 'dueMs' | 'authorizeAgain' | 'readPage'> {
  const requestFacts = requestFactsOf(request, ownOrigin)
  let authorized = first
  let authorizedAt = performance.now()
  const dueMs = () => authorizedAt + heartbeatMs
  return {
    caller: () => callerOf(authorized),
    dueMs,
    async authorizeAgain() {
      if (performance.now() < dueMs()) return false
      authorized = await pipeline.reauthorize({ ...requestFacts, patience: patienceOfPage(request) }, silent)
      authorizedAt = performance.now()
      return true
    },
    async readPage<Page>(fields: Record<string, unknown>) {
      const result = await pipeline.perform({ ...authorized, patience: patienceOfPage(request) }, fields, null)
      if ('refusal' in result) throw result.refusal
      return result.output as Page // `implement` has checked what the handler returns.
    },
  }
}

/** Returns the caller. Only operations of a team are read for long; where no project is named, its id is empty. */
function callerOf({ caller }: AuthorizedRequest): Caller {
  if (!('team' in caller)) throw new ApiError('not_found')
  return caller
}
